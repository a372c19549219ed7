import fc from "fast-check";
import { expect, test } from "vitest";
import { parseArguments } from "./arguments.ts";

test.each([
  ["", { args: {} }],
  ["  ", { args: {} }],
  ["null", { args: {} }],
  ['{"a":1}', { args: { a: 1 } }],
  ['"{\\"a\\":1}"', { args: { a: 1 } }],
])("%j is read as %j", (text, expected) => {
  expect(parseArguments(text)).toEqual(expected);
});

test.each(['{"a": "half of a', '{"a": {"b": 1}', "[1]", "ls -la", "42", '{"a":1,}', "<tool>ls</tool>"])(
  "%j is kept as malformed",
  (text) => {
    expect(parseArguments(text)).toEqual({ args: {}, malformed: text });
  },
);

test("every object survives, and no beginning of one is taken for an object", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.double({ min: 0.05, max: 0.95, noNaN: true }),
      (value, share) => {
        const text = JSON.stringify(value);
        expect(parseArguments(text).args).toEqual(JSON.parse(text));
        const part = text.slice(0, Math.max(1, Math.floor(text.length * share)));
        expect(parseArguments(part).malformed).toBe(part);
      },
    ),
  );
});
