import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { replaceText } from "./replacement.ts";

describe("the ladder of matching", () => {
  test.each([
    ["exact", "a\nb\nc\n", "b", "B", "a\nB\nc\n"],
    ["exact", "f(x) + f(y)", "f(y)", "$&", "f(x) + $&"],
    ["exact", "a\nb\n", "a\n", "", "b\n"],
    ["trailing_whitespace", "if x:  \n  y\t\nz\n", "if x:\n  y\n", "if z:\n  y\n", "if z:\n  y\nz\n"],
    ["trailing_whitespace", "a\nb\n", "a  \nb", "c", "c\n"],
    [
      "indentation",
      "class A:\n    def f():\n        return 1\n",
      "def f():\n    return 1",
      "def f():\n    return 2",
      "class A:\n    def f():\n        return 2\n",
    ],
    [
      "indentation",
      "\tone\n\ttwo\n",
      "    one\n    two",
      "    one\n        deep\n\n    two",
      "\tone\n\t    deep\n\n\ttwo\n",
    ],
    ["typography", "say “hello” — it’s me", 'say "hello" - it\'s', "shout", "shout me"],
    ["typography", "a\u00a0b c", "a b", "x", "x c"],
    ["whitespace", "x  =   1;\ny = 2\n", "x = 1;", "x = 3;", "x = 3;\ny = 2\n"],
    [
      "escapes",
      'print("a")\nprint("b")\n',
      'print(\\"a\\")\\nprint(\\"b\\")',
      'log(\\"a\\")\\nlog(\\"b\\")',
      'log("a")\nlog("b")\n',
    ],
    [
      "anchors",
      "start {\n  const total = sum(items);\n  return total;\n}\n",
      "start {\n  const total = sum(item);\n  return total\n}",
      "gone",
      "gone\n",
    ],
  ])("%s: %j with %j", (strategy, ...words) => {
    const [text = "", old = "", replacement = "", expected = ""] = words;
    expect(replaceText(text, old, replacement, false)).toMatchObject({ found: true, text: expected, strategy });
  });

  test.each([
    ["nothing alike", "a\nb\n", "zzz"],
    ["other words between the anchors", "start\n one\n two\nend\n", "start\n seven eight nine\n ten eleven\nend"],
    ["an anchored block of two lines", "start\nend here\n", "start\nend there"],
    ["only white space", "a\n\n\nb\n", "  \n  \n  \n \n"],
  ])("%s matches nowhere", (_what, text, old) => {
    expect(replaceText(text, old, "x", false)).toMatchObject({
      found: false,
      error: expect.stringContaining("not found"),
    });
  });
});

describe("several matches", () => {
  test("are refused with their number and lines", () => {
    expect(replaceText("x\ny\nx\nx\n", "x", "z", false)).toEqual({
      found: false,
      error: "old_string matches 3 places (lines 1, 3, 4). Add lines around it until it is unique, or set replace_all.",
    });
  });

  test("are all replaced where that was asked for, each with its own indentation", () => {
    expect(replaceText("  if a:\n    go()\nif a:\n  go()\n", "if a:\n go()", "if b:\n go()", true)).toMatchObject({
      text: "  if b:\n    go()\nif b:\n  go()\n",
    });
  });

  test("of a looser kind are as ambiguous", () => {
    expect(replaceText(" a\n\ta\n", "  a", "b", false)).toMatchObject({ error: expect.stringContaining("2 places") });
  });
});

test.each([
  ["an empty text", "", "x", "empty"],
  ["no change", "a", "a", "the same"],
])("%s is refused", (_what, old, replacement, words) => {
  expect(replaceText("a", old, replacement, false)).toMatchObject({
    found: false,
    error: expect.stringContaining(words),
  });
});

test("what is not found gets the nearest line", () => {
  const result = replaceText(
    "alpha\nconst value = compute(one);\nomega\n",
    "const value = compute(two, three);",
    "x",
    false,
  );
  expect(result).toMatchObject({
    error: expect.stringContaining("Nearest is line 2:\n1|alpha\n2|const value = compute(one);\n3|omega"),
  });
});

const line = fc.string({ unit: fc.constantFrom(..."ab ($&)\t{}'\"\\“漢"), maxLength: 8 });
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));

describe("laws", () => {
  test("a unique exact text is replaced there and nothing else changes", () => {
    fc.assert(
      fc.property(text, text, text, text, (before, old, after, replacement) => {
        const whole = before + old + after;
        fc.pre(old !== "" && old !== replacement && whole.indexOf(old) === whole.lastIndexOf(old));
        const at = whole.indexOf(old);
        const expected = whole.slice(0, at) + replacement + whole.slice(at + old.length);
        expect(replaceText(whole, old, replacement, false)).toMatchObject({ found: true, text: expected });
      }),
    );
  });

  test("replace_all does what joining the pieces does", () => {
    fc.assert(
      fc.property(text, line, text, (whole, old, replacement) => {
        fc.pre(old !== "" && old !== replacement && whole.includes(old));
        expect(replaceText(whole, old, replacement, true)).toMatchObject({ text: whole.split(old).join(replacement) });
      }),
    );
  });

  test("whatever matched, all outside the places stays", () => {
    fc.assert(
      fc.property(text, text, (whole, old) => {
        const result = replaceText(whole, old, "\u0001", true);
        if (!result.found) return;
        let at = 0;
        let rest = "";
        for (const place of result.places) {
          expect(place.start).toBeGreaterThanOrEqual(at);
          rest += whole.slice(at, place.start) + place.text;
          at = place.end;
        }
        expect(result.text).toBe(rest + whole.slice(at));
      }),
    );
  });
});

test.each([
  {
    text: "\tfoo\n\t\tbar\n",
    change: ["    foo\n        bar", "    foo\n        baz\n        qux"],
    result: "\tfoo\n\t\tbaz\n\t\tqux\n",
  },
  {
    text: "def a():\n    return 1\n",
    change: ["def a():\n  return 1", "def a():\n  x = 1\n  return x"],
    result: "def a():\n    x = 1\n    return x\n",
  },
  {
    text: "  if x:\n    y()\n",
    change: ["if x:\n  y()", "if x:\n  z()"],
    result: "  if x:\n    z()\n",
  },
])("every line of a replacement gets the indentation of the file: $result", ({ text, change, result }) => {
  const [old = "", replacement = ""] = change;
  expect(replaceText(text, old, replacement, false)).toMatchObject({ found: true, text: result });
});
