import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyHunks } from "./hunk.ts";
import { type FilePatch, parsePatch } from "./patch-text.ts";

function hunksOf(body: string) {
  const parsed = parsePatch(`*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch`);
  if (!parsed.ok) throw new Error(parsed.error);
  return (parsed.files[0] as Extract<FilePatch, { kind: "update" }>).hunks;
}

const patched = (text: string, body: string) => applyHunks(text, hunksOf(body));

describe("hunks", () => {
  test.each([
    ["a changed line", "a\nb\nc\n", " a\n-b\n+B\n c", "a\nB\nc\n"],
    ["two places in order", "a\nb\nc\nb\nd\n", " a\n-b\n+1\n@@\n c\n-b\n+2", "a\n1\nc\n2\nd\n"],
    ["a place below a hint", "def f:\n  x\ndef g:\n  x\n", "@@ def g:\n-  x\n+  y", "def f:\n  x\ndef g:\n  y\n"],
    ["a hint that is a context line too", "def g:\n  x\n", "@@ def g:\n def g:\n-  x\n+  y", "def g:\n  y\n"],
    ["lines added below a hint", "a\nb\n", "@@ a\n+new", "a\nnew\nb\n"],
    ["lines added at the end", "a\n", "+new", "a\nnew\n"],
    ["a deleted line", "a\nb\nc\n", " a\n-b\n c", "a\nc\n"],
    ["the last of several places", "x\ny\nx\n", "-x\n+z\n*** End of File", "x\ny\nz\n"],
    ["a file without a last newline", "a\nb", "-b\n+c", "a\nc"],
    ["lines after a last line without newline", "a", " a\n+b", "a\nb"],
    ["Windows line ends", "a\r\nb\r\nc\r\n", " a\n-b\n+B\n+D\n c", "a\r\nB\r\nD\r\nc\r\n"],
    [
      "context with other spacing, which stays as it was",
      "\tif (a) {  \n\t\tb;\n",
      " if (a) {\n-b;\n+c;",
      "\tif (a) {  \nc;\n",
    ],
    ["an empty context line", "a\n\nb\n", " a\n\n-b\n+c", "a\n\nc\n"],
    ["an empty file", "", "+a\n+b", "a\nb\n"],
  ])("%s", (_what, text, body, expected) => {
    expect(patched(text, body)).toEqual({ ok: true, text: expected });
  });

  test.each([
    ["lines that are not there", "a\nb\n", " a\n-nothere\n+x", "hunk 1 of 1: its 2 lines were not found"],
    ["lines that stand twice", "x\ny\nx\ny\n", " x\n-y\n+z", "2 places (lines 1, 3)"],
    ["an order that is not the file's", "a\nb\nc\n", "-c\n+C\n@@\n-a\n+A", "hunk 2 of 2"],
    ["additions below a hint that is not there", "a\n", "@@ nowhere\n+x", "no line holds `nowhere`"],
  ])("refuse %s", (_what, text, body, error) => {
    expect(patched(text, body)).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  });
});

describe("a patch", () => {
  test("names files to add, change, move and delete", () => {
    const parsed = parsePatch(
      "*** Begin Patch\n*** Add File: new.txt\n+one\n+\n+two\n*** Update File: old.txt\n*** Move to: moved.txt\n@@ hint @@\n-a\n+b\n*** Delete File: gone.txt\n*** Move File: x -> y\n*** End Patch\ntrailing words",
    );
    expect(parsed).toEqual({
      ok: true,
      files: [
        { kind: "add", path: "new.txt", content: "one\n\ntwo\n" },
        {
          kind: "update",
          path: "old.txt",
          moveTo: "moved.txt",
          hunks: [
            {
              hint: "hint",
              atEnd: false,
              lines: [
                { kind: "remove", text: "a" },
                { kind: "add", text: "b" },
              ],
            },
          ],
        },
        { kind: "delete", path: "gone.txt" },
        { kind: "update", path: "x", moveTo: "y", hunks: [] },
      ],
    });
  });

  test("may lack its marks and stand in a code fence", () => {
    const bare = "*** Update File: f\n-a\n+b\n";
    for (const text of [bare, `\`\`\`\n${bare}\`\`\`\n`, bare.replaceAll("\n", "\r\n")]) {
      expect(parsePatch(text)).toMatchObject({
        ok: true,
        files: [{ hunks: [{ lines: [{ text: "a" }, { text: "b" }] }] }],
      });
    }
  });

  test.each([
    ["no file", "*** Begin Patch\n*** End Patch", "names no file"],
    ["words before the first file", "hello\n*** Update File: f\n-a", "line 1"],
    ["a line without its mark", "*** Update File: f\nplain", "line 2"],
    ["an added file with a bare line", "*** Add File: f\nplain", "begins with `+`"],
    ["an unknown mark", "*** Update File: f\n*** Rename to: g\n-a", "no known mark"],
    ["lines in a deleted file", "*** Delete File: f\n-a", "no lines"],
    ["a part that changes nothing", "*** Update File: f\n", "changes nothing"],
  ])("with %s is refused", (_what, patch, error) => {
    expect(parsePatch(patch)).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  });

  test("of any text never throws", () => {
    const pieces = fc.constantFrom(
      "*** Update File: f",
      "*** Add File: f",
      "*** Delete File: f",
      "*** Move to: g",
      "@@",
      "@@ x",
      "+a",
      "-a",
      " a",
      "",
      "```",
      "*** End of File",
      "word",
    );
    fc.assert(fc.property(fc.array(pieces), (lines) => void parsePatch(lines.join("\n"))));
  });
});

test("a patch made from two versions of a file turns the one into the other, line ends kept", () => {
  const lines = fc.uniqueArray(fc.string({ unit: fc.constantFrom(..."abcdef"), minLength: 3, maxLength: 6 }), {
    minLength: 3,
    maxLength: 12,
  });
  const drawn = fc.record({
    lines,
    changed: fc.nat(),
    removed: fc.integer({ min: 1, max: 2 }),
    fresh: lines,
    ending: fc.constantFrom("\n", "\r\n"),
    closed: fc.boolean(),
  });
  fc.assert(
    fc.property(drawn, ({ lines: old, changed, removed, fresh, ending, closed }) => {
      const at = changed % (old.length - removed);
      const body = [
        ...old.slice(0, at).map((text) => ` ${text}`),
        ...old.slice(at, at + removed).map((text) => `-${text}`),
        ...fresh.map((text) => `+${text}`),
        ...old.slice(at + removed).map((text) => ` ${text}`),
      ];
      const join = (texts: readonly string[]) => texts.join(ending) + (closed ? ending : "");
      const expected = join([...old.slice(0, at), ...fresh, ...old.slice(at + removed)]);
      expect(patched(join(old), body.join("\n"))).toEqual({ ok: true, text: expected });
    }),
  );
});
