import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plant } from "./house-fixture.ts";

/** Lines that say something: no blank ones, no comments. */
function codeLines(text: string): number {
  const lines = text.replace(/\/\*[\s\S]*?\*\//g, "").split("\n");
  return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

const roots = ["src", "plugins", "examples", "bench", "test", "scripts"].filter((root) => existsSync(root));
const files = roots.flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|mjs|cjs)$/.test(file))
    .map((file) => join(root, file)),
);
const limit = (file: string) => (/\.test\.ts$|-fixture\.ts$/.test(file) ? 600 : 500);

test("no file is longer than 500 lines of code, no test longer than 600", () => {
  expect(files.length).toBeGreaterThan(20);
  const long = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return !text.startsWith("// Generated") && codeLines(text) > limit(file);
  });
  expect(long).toEqual([]);
});

test("blank lines and comments do not count", () => {
  expect(codeLines("/**\n * a\n */\n\n// b\nconst a = 1;\n")).toBe(1);
});

const planted: readonly [rule: string, text: string][] = [
  [
    "noExcessiveLinesPerFunction",
    `export function long(): number {\n${"  Math.random();\n".repeat(61)}  return 1;\n}\n`,
  ],
  ["useMaxParams", "export const five = (a: 1, b: 2, c: 3, d: 4, e: 5) => a + b + c + d + e;\n"],
  ["noExplicitAny", "export const x: any = 1;\n"],
  ["noEmptyBlockStatements", "export function f() {\n  try {\n    return 1;\n  } catch {}\n}\n"],
  ["noFloatingPromises", "async function f() {\n  return 1;\n}\nexport function g() {\n  f();\n}\n"],
  ["noRestrictedGlobals", "export const x = process.pid;\n"],
  ["noEnum", "export enum E {\n  A = 1,\n}\n"],
];

test.each(planted)("a planted violation of %s fails the lint", (rule, text) => {
  const { status, output } = plant({ "src/agent/planted.ts": text }, "@biomejs/biome/bin/biome", ["lint", "src"]);
  expect(output).toContain(rule);
  expect(status).not.toBe(0);
});
