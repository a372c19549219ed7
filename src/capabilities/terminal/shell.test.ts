import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellState } from "./shell.ts";

const frame = (text: string) => `noise\u001etalaria-state\0/folder\0${text}\u001etalaria-end\n`;

const characters = fc.oneof(fc.constantFrom(..."'\"\\$`\n\t !*~#=\u0007\u001b漢🙂"), fc.constantFrom(..."abc"));

test.each(["bash", "sh"])("what export -p prints in %s is read back, whatever the values", (shell) => {
  const values = fc.array(fc.string({ maxLength: 40, unit: characters }), { minLength: 30, maxLength: 60 });
  fc.assert(
    fc.property(values, (texts) => {
      const words = Object.fromEntries(texts.map((text, index) => [`WORD_${index}`, text]));
      const env = { ...words, PATH: "/usr/bin:/bin", SHLVL: "1" };
      const printed = execFileSync(shell, ["-c", "export -p"], { env, encoding: "utf8" });
      expect(Object.fromEntries(shellState(frame(printed))?.exported ?? [])).toMatchObject(words);
    }),
    { numRuns: 10 },
  );
});

test.each([["nothing"], ["\u001etalaria-state\0/folder"], [""]])(
  "without a whole report there is no state: %j",
  (text) => {
    expect(shellState(text)).toBeUndefined();
  },
);

test("variables without a value and other declarations are passed over", () => {
  const state = shellState(frame("declare -x EMPTY\ndeclare -xr FIXED=\"1\"\nodd line\nexport B='2'\n"));
  expect(state?.cwd).toBe("/folder");
  expect([...(state?.exported ?? [])]).toEqual([
    ["FIXED", "1"],
    ["B", "2"],
  ]);
});
