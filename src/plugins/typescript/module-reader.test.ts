import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readModule } from "./module-reader.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "module-reader-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test.each([
  ["index.ts", {}, ""],
  ["index.mts", {}, ""],
  ["index.js", {}, ""],
  ["index.mjs", {}, ""],
  ["index.js", { "package.json": '{"type": "module"}' }, ""],
  ["index.mjs", {}, "await Promise.resolve();\n"],
  ["index.ts", { "package.json": '{"type": "module"}' }, "await Promise.resolve();\n"],
])("%s beside %j: what is read anew is what the file, and the file that it imports, hold now", (name, files, start) => {
  const entry = join(folder(), name);
  const inner = `inner${name.slice(name.lastIndexOf("."))}`;
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dirname(entry), file), text);
  // In a process of its own, since the runner of tests has its own way with imports; more often than Node itself reads anew.
  const script = `
import { writeFileSync } from "node:fs";
import { readModule } from ${JSON.stringify(resolve("src/plugins/typescript/module-reader.ts"))};
const seen = [];
for (let value = 1; value <= 9; value += 1) {
  writeFileSync(${JSON.stringify(join(dirname(entry), inner))}, "export const second = " + value + ";");
  writeFileSync(${JSON.stringify(entry)}, 'import { definePlugin } from "talaria/plugin";\\n${start.trim()}\\nexport * from "./${inner}";\\nexport const door = typeof definePlugin;\\nexport const first = ' + value + ";");
  const { first, second, door } = await readModule(${JSON.stringify(entry)}, { fresh: value > 1 });
  seen.push([first, second, door]);
}
process.stdout.write(JSON.stringify(seen));`;
  const words = ["--conditions=talaria-source", "--input-type=module-typescript", "--eval", script];
  const seen: unknown = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }));
  expect(seen).toEqual(Array.from({ length: 9 }, (_, at) => [at + 1, at + 1, "function"]));
});

test("a CommonJS file is read anew", async () => {
  const entry = join(folder(), "index.cjs");
  for (const value of [1, 2, 3]) {
    writeFileSync(entry, `exports.first = ${value};\n`);
    expect((await readModule(entry, { fresh: value > 1 }))["first"]).toBe(value);
  }
});

test("a mistake in a file that is read anew names the file", async () => {
  const entry = join(folder(), "index.ts");
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, "export const = 1;");
  await expect(readModule(entry, { fresh: true })).rejects.toThrow(/index\.ts/);
  writeFileSync(entry, "throw new Error('in the body');");
  await expect(readModule(entry, { fresh: true })).rejects.toThrow("in the body");
});
