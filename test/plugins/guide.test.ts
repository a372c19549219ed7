import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installErrorCodes } from "../../src/plugins/install/error.ts";
import { folder, run } from "../program-fixture.ts";

const guide = readFileSync("docs/guide/write-a-plugin.md", "utf8");
const snippets = [...guide.matchAll(/^`(examples\/[^`]+)`\n\n```\w+\n([\s\S]*?)^```$/gm)];

test("every snippet of the guide is the file of the example, byte for byte", () => {
  expect(snippets.length).toBe(7);
  for (const [, path = "", text] of snippets) expect(text, path).toBe(readFileSync(path, "utf8"));
});

test.each([
  ["notes", { tools: ["note_add", "note_find"], hooks: ["pre_tool_call"], commands: ["notes"] }, undefined],
  ["diary", { tools: ["diary_read"], hooks: ["post_tool_call"], commands: ["diary"] }, { ok: true }],
])("the guide's plugin %s is tried, installed and enabled by the built program", async (name, registers, tests) => {
  const home = folder();
  cpSync(join("examples/plugins", name), join(home, name), { recursive: true });
  const tried = await run(["plugins", "test", name, "--json"], { home });
  expect(JSON.parse(tried.stdout)).toMatchObject({ ok: true, report: registers, ...(tests && { tests }) });
  const installed = await run(["plugins", "install", `./${name}`, "--enable", "--json"], { home });
  expect(JSON.parse(installed.stdout)).toMatchObject({ enabled: true, registers });
});

test("every code of InstallError is documented, and no other", () => {
  const page = readFileSync("docs/reference/errors.md", "utf8");
  const section = page.slice(page.indexOf("## Installing plugins")).split("\n## ")[0] ?? "";
  expect([...section.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code).sort()).toEqual([...installErrorCodes].sort());
});
