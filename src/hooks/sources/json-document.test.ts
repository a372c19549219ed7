import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./json-document.ts";
import type { SourceNode } from "./source-node.ts";

const readOf = (text: string): unknown => {
  const parsed = parseJson(text);
  return "node" in parsed ? parsed.node.value : parsed.flaw;
};

test("whatever JSON.stringify writes is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(readOf(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("what JSON.parse refuses is refused, and what it takes is taken", () => {
  const piece = fc.constantFrom(
    '"a"',
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "1",
    "-",
    "01",
    "1.5e3",
    "true",
    "nul",
    " ",
    "\n",
    '"\\u12"',
    '"\\n"',
    "'",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      let expected: unknown = "refused";
      try {
        expected = JSON.parse(text);
      } catch {
        // stays refused
      }
      const parsed = parseJson(text);
      expect("node" in parsed ? parsed.node.value : "refused").toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test("nodes know their lines: of keys, and of items where they begin", () => {
  const parsed = parseJson('{\n  "a": [\n    1,\n    {\n "b":\n 2}]\n}');
  const at = (node: SourceNode | undefined): number | undefined => node?.line;
  const a = "node" in parsed ? parsed.node.members?.get("a") : undefined;
  expect([at(a), at(a?.items?.[0]), at(a?.items?.[1]), at(a?.items?.[1]?.members?.get("b"))]).toEqual([2, 3, 4, 5]);
});

test("a key that stands twice is told with both lines", () => {
  const parsed = parseJson('{"x": {"Stop": [1],\n"Stop": [2]}}');
  expect(parsed).toMatchObject({
    node: { value: { x: { Stop: [2] } } },
    duplicates: [{ key: "Stop", line: 2, firstLine: 1 }],
  });
});

test("a key named __proto__ is a key", () => {
  expect(Object.keys(readOf('{"__proto__": {"polluted": 1}}') as object)).toEqual(["__proto__"]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ['{\n"a": 1,\n}', { line: 3, column: 1, message: "take away the comma before }" }],
  ["[1, 2, ]", { line: 1, column: 8, message: "take away the comma before ]" }],
  ['{"a" 1}', { message: 'a colon should stand here, not "1}"' }],
  ["{} x", { message: 'the end of the file should stand here, not "x"' }],
  ['{"a": "b', { message: expect.stringContaining("a text begins here that does not end well") }],
  ['{"a": undefined}', { message: 'a value should stand here, not "undefined}"' }],
  ["", { line: 1, column: 1, message: expect.stringContaining("the file ends") }],
])("%j says where and what", (text, flaw) => {
  expect(readOf(text)).toMatchObject(flaw);
});
