import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventNames, rows } from "#kernel";
import { reference, schemaPath } from "../scripts/reference.ts";

const generate = ["--conditions=talaria-source", "scripts/generate.ts"];

test("the generated schemas and pages are fresh", () => {
  const check = spawnSync(process.execPath, [...generate, "--check"], { encoding: "utf8" });
  expect(check.stderr).toBe("");
  expect(check.status).toBe(0);
});

test("a stale, a missing and a superfluous file fail the check and are put right", () => {
  const stale = schemaPath("stop");
  const superfluous = "schemas/events/no_such_event.json";
  const text = readFileSync(stale, "utf8");
  try {
    writeFileSync(stale, text.replace("stop", "stopp"));
    writeFileSync(superfluous, "{}");
    const check = spawnSync(process.execPath, [...generate, "--check"], { encoding: "utf8" });
    expect(check.status).toBe(1);
    expect(
      check.stderr
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual([stale, superfluous]);
    execFileSync(process.execPath, generate);
    expect(readFileSync(stale, "utf8")).toBe(text);
    expect(() => readFileSync(superfluous)).toThrow("ENOENT");
  } finally {
    writeFileSync(stale, text);
    rmSync(superfluous, { force: true });
  }
});

test("every event has a schema with its example, and a section with its sentence", () => {
  const files = reference();
  const page = files.get("docs/reference/events.md") ?? "";
  for (const event of eventNames) {
    const schema = JSON.parse(files.get(schemaPath(event)) ?? "{}");
    expect(schema).toMatchObject({ title: event, type: "object", description: rows[event].row.about });
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(rows[event].row.example)));
    expect(page).toContain(`\n## ${event}\n\n${rows[event].row.about}\n`);
  }
});

test("every page that the kernel's comments refer to is there", () => {
  expect(readFileSync("docs/reference/dialects.md", "utf8")).toContain("# Dialects");
});
