import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mendLineFile } from "./line-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lines-"));
});
afterAll(() => rm(folder, { recursive: true }));

const isWhole = (line: string) => line.endsWith("}");

test.each([
  ["", "", undefined],
  ["{a}\n", "{a}\n", "{a}"],
  ["{a}\n{b}\n", "{a}\n{b}\n", "{b}"],
  ["{a}\n{b", "{a}\n", "{a}"],
  ["{a}\n{b}", "{a}\n{b}\n", "{b}"],
  ["{a", "", undefined],
  ["\n", "\n", ""],
])("%j becomes %j", async (before, after, lastLine) => {
  const path = join(folder, "file");
  await writeFile(path, before);
  expect(await mendLineFile(path, isWhole)).toEqual({ bytes: after.length, lastLine });
  expect(await readFile(path, "utf8")).toBe(after);
});

test("lines of any length are found, a missing file is none", async () => {
  const path = join(folder, "file");
  const line = fc.integer({ min: 0, max: 200_000 }).map((length) => `{${"ü".repeat(length)}}`);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 3 }), fc.integer({ min: 0, max: 100_000 }), async (lines, torn) => {
      const whole = lines.map((each) => `${each}\n`).join("");
      await writeFile(path, whole + "x".repeat(torn));
      expect((await mendLineFile(path, isWhole))?.lastLine).toBe(lines.at(-1));
      expect(await readFile(path, "utf8")).toBe(whole);
    }),
    { numRuns: 20 },
  );
  expect(await mendLineFile(join(folder, "none"), isWhole)).toBeUndefined();
});
