import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The alternatives of `TurnEvent`, each with its fields, as the source has them. */
function turnEvents(): ReadonlyMap<string, readonly string[]> {
  const source = readFileSync("src/agent/surface.ts", "utf8");
  const union = source.slice(source.indexOf("export type TurnEvent"), source.indexOf("export type TurnOutcome"));
  const found = new Map<string, readonly string[]>();
  for (const part of union.split(/readonly type: /).slice(1)) {
    const [, name = ""] = /^"([\w-]+)"/.exec(part) ?? [];
    const depthOne = part.replace(/Readonly<[^;]*>/g, "object");
    found.set(
      name,
      [...depthOne.matchAll(/readonly (\w+)\??:/g)].map(([, field]) => field ?? ""),
    );
  }
  return found;
}

test("run-json.md tells of every event with its fields, and of no other", () => {
  const page = readFileSync("docs/reference/run-json.md", "utf8");
  const sections = new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((section) => [section.split("\n", 1)[0] ?? "", section] as const),
  );
  const events = turnEvents();
  expect(events.size).toBeGreaterThan(12);
  expect([...sections.keys()].sort()).toEqual([...events.keys()].sort());
  for (const [name, fields] of events)
    for (const field of fields) expect(sections.get(name), name).toContain(`\`${field}\``);
});

test("launcher.md names what the launcher reads", () => {
  const page = readFileSync("docs/reference/launcher.md", "utf8");
  const source = ["talaria.cjs", "newer-node.cjs", "find-node.cjs"]
    .map((name) => readFileSync(`bin/${name}`, "utf8"))
    .join("");
  const variables = [...source.matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name ?? "");
  expect(variables.length).toBeGreaterThan(2);
  for (const name of new Set(variables)) expect(page).toContain(name);
  const [, floor = ""] = /floor = \[(\d+, \d+)\]/.exec(source) ?? [];
  expect(page).toContain(floor.replace(", ", "."));
});
