import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shlex } from "./shlex.ts";

const python = `
import json, shlex, sys
def split(line):
    try:
        return {"words": shlex.split(line)}
    except ValueError as error:
        return {"problem": str(error)}
print(json.dumps([split(line) for line in json.load(sys.stdin)]))
`;

/** What Python says of many lines at once; undefined where there is none. */
function original(lines: readonly string[]): unknown {
  try {
    return JSON.parse(execFileSync("python3", ["-c", python], { input: JSON.stringify(lines), encoding: "utf8" }));
  } catch {
    return undefined;
  }
}

describe("a command line of a shell hook", () => {
  test.each([
    ["python3 ~/hook.py --mode x", ["python3", "~/hook.py", "--mode", "x"]],
    [`printf '{"context":"CTX"}'`, ["printf", '{"context":"CTX"}']],
    ["echo a | cat", ["echo", "a", "|", "cat"]],
    ['a "b \\" c" \\$d', ["a", 'b " c', "$d"]],
    ['"" x""', ["", "x"]],
    ["a #b", ["a", "#b"]],
    ["", []],
  ])("%s is %j", (line, words) => {
    expect(shlex(line)).toEqual({ words });
  });

  test.each([
    ["'open", "No closing quotation"],
    ['a "b', "No closing quotation"],
    ["a\\", "No escaped character"],
    ['"a\\', "No escaped character"],
  ])("%s has none: %s", (line, problem) => {
    expect(shlex(line)).toEqual({ problem });
  });

  test("is split as Python splits it", ({ skip }) => {
    const piece = fc.constantFrom(
      "a",
      "b",
      " ",
      "\t",
      "\n",
      "\r",
      "'",
      '"',
      "\\",
      "#",
      "$",
      "é",
      "😀",
      "|",
      "~",
      "\u00a0",
    );
    const lines = fc.sample(fc.array(piece, { maxLength: 14 }), 5000).map((pieces) => pieces.join(""));
    const expected = original(lines);
    if (expected === undefined) skip("no python3 here");
    expect(lines.map(shlex)).toEqual(expected);
  });
});
