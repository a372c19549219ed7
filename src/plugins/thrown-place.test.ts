import { expect, test } from "vitest";
import { thrownPlace } from "./thrown-place.ts";

const stacked = (stack: string): Error => Object.assign(new Error("x"), { stack });

test.each([
  ["TypeError: x\n    at z (/p/one/lib/z.ts:4:5)\n    at _default (/p/one/index.ts:3:12)", "lib/z.ts:4:5"],
  ["Error: x\n    at file:///p/one/index.js?fresh=2:1:30\n    at async y (file:///q/z.js:1:1)", "index.js:1:30"],
  [
    'Traceback\n  File "/h/serve.py", line 9, in y\n  File "/p/one/__init__.py", line 2, in register\n    boom()',
    "__init__.py:2",
  ],
  [
    'Traceback\n  File "/p/one/__init__.py", line 2, in r\n  File "/p/one/a.py", line 7, in s\n  File "/lib/x.py", line 1',
    "a.py:7",
  ],
  ["Error: x\n    at z (/p/one-more/z.ts:4:5)", undefined],
  ["Error: see /p/one/readme", undefined],
])("of the stack %j the place is %s", (stack, place) => {
  expect(thrownPlace(stacked(stack), "/p/one")).toBe(place);
});

test("what is no error, or a plugin without a folder, has no place", () => {
  expect(thrownPlace("text", "/p/one")).toBeUndefined();
  expect(thrownPlace(stacked("Error\n    at /p/one/a.ts:1:1"), "")).toBeUndefined();
});
