import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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
])(
  "%s beside %j: what is read anew is what the file, and the file that it imports, hold now",
  async (name, files, start) => {
    const entry = join(folder(), name);
    const inner = `inner${name.slice(name.lastIndexOf("."))}`;
    for (const [file, text] of Object.entries(files)) writeFileSync(join(dirname(entry), file), text);
    const written = async (value: number, fresh: boolean): Promise<unknown> => {
      writeFileSync(join(dirname(entry), inner), `export const second = ${value};\n`);
      writeFileSync(
        entry,
        `import { definePlugin } from "talaria/plugin";\n${start}export * from "./${inner}";\nexport const first = ${value};\nexport const door = typeof definePlugin;\n`,
      );
      const { first, second, door } = await readModule(entry, { fresh });
      return start === "" ? [first, second, door] : [first, door];
    };
    for (const [value, fresh] of [
      [1, false],
      [2, true],
      [3, true],
    ] as const)
      expect(await written(value, fresh)).toEqual(start === "" ? [value, value, "function"] : [value, "function"]);
  },
);

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
