import { expect, test } from "vitest";
import { exampleOf } from "./example-arguments.ts";

test.each([
  [{ type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] }, { a: "example" }],
  [{ type: "object" }, {}],
  [{ type: "object", properties: { n: { type: "integer", minimum: 3 } }, required: ["n"] }, { n: 3 }],
  [{ enum: ["red", "blue"] }, "red"],
  [{ anyOf: [{ type: "boolean" }, { type: "string" }] }, false],
  [{ type: ["array", "null"], items: { type: "string" }, minItems: 1 }, ["example"]],
  [undefined, "example"],
])("of %j the example is %j", (schema, expected) => {
  expect(exampleOf(schema)).toEqual(expected);
});
