import fc from "fast-check";
import { expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";

test.each([
  ["", { args: {} }],
  ["  ", { args: {} }],
  ["null", { args: {} }],
  ['{"a":1}', { args: { a: 1 } }],
  ['"{\\"a\\":1}"', { args: { a: 1 } }],
  ['```json\n{"a":1}\n```', { args: { a: 1 }, repaired: true }],
  ['{"a":1,}', { args: { a: 1 }, repaired: true }],
  ["{a: 'b'}", { args: { a: "b" }, repaired: true }],
  ['{"a": True}', { args: { a: true }, repaired: true }],
  ['{"a": "one\ntwo"}', { args: { a: "one\ntwo" }, repaired: true }],
])("%j is read as %j", async (text, expected) => {
  expect(await parseArguments(text)).toEqual(expected);
});

test.each([
  '{"a": "half of a',
  '{"a": {"b": 1}',
  '{"a": [1, 2}',
  "[1]",
  "ls -la",
  "42",
  '{"path": "a.txt", "content": "x"',
  "<tool>ls</tool>",
])("%j is kept as malformed and never completed", async (text) => {
  expect(await parseArguments(text)).toEqual({ args: {}, malformed: text });
});

test("every object survives, and no beginning of one is taken for an object", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      async (value, share) => {
        const text = JSON.stringify(value);
        expect((await parseArguments(text)).args).toEqual(JSON.parse(text));
        const part = text.slice(0, Math.max(1, Math.floor(text.length * share)));
        expect((await parseArguments(part)).malformed).toBe(part);
      },
    ),
  );
});
