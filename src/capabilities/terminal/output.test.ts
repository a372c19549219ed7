import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { binaryNotice, displayText, limited, plainText } from "./output.ts";

const limits = { bytes: 1_000, lines: 20, lineCharacters: 100 };

describe("plain text", () => {
  test.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["a window title", "\u001b]0;title\u0007text", "text"],
    ["a link", "\u001b]8;;https://example.com\u001b\\name\u001b]8;;\u001b\\", "name"],
    ["cursor movement", "a\u001b[2K\u001b[1Gb", "ab"],
    ["a character set", "\u001b(Btext", "text"],
    ["NUL", "a\0b", "a␀b"],
    ["bells and other controls", "a\u0007\u0001\u007fb", "ab"],
    ["tabs and newlines stay", "a\tb\nc", "a\tb\nc"],
    ["Windows line ends", "a\r\nb\r\n", "a\nb\n"],
    ["a progress bar", "1%\r2%\r3%\r100%\ndone", "100%\ndone"],
    ["a lone carriage return", "a\rb", "a\nb"],
    ["an unfinished sequence", "text\u001b", "text"],
    ["text beyond ASCII", "naïve 漢字 🙂", "naïve 漢字 🙂"],
  ])("%s", (_what, given, plain) => {
    expect(plainText(given)).toBe(plain);
  });

  test("live output keeps carriage returns and loses escape sequences", () => {
    expect(displayText("\u001b[31m50%\r\u0007100%")).toBe("50%\r100%");
  });
});

describe("limits", () => {
  test("text within them is untouched", () => {
    expect(limited("a\nb", limits)).toEqual({ text: "a\nb", cut: false });
  });

  test("head and tail stay and what is missing is told", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const { text, cut } = limited(lines.join("\n"), limits);
    expect(cut).toBe(true);
    expect(text.startsWith("line 0\nline 1\n")).toBe(true);
    expect(text.endsWith("line 98\nline 99")).toBe(true);
    expect(text).toContain("… [80 lines, 640 bytes left out here] …");
  });

  test("bytes lost before count as left out", () => {
    const { text } = limited(Array.from({ length: 100 }, () => "line").join("\n"), limits, 5_000);
    expect(text).toContain(`… [${80 * 5 + 5_000} bytes left out here] …`);
  });

  test("a long line is cut and never inside a character", () => {
    const { text } = limited(`${"x".repeat(99)}🙂${"y".repeat(50)}`, limits);
    expect(text).toBe(`${"x".repeat(99)} … [51 more characters on this line]`);
  });

  test("no text comes out much longer than allowed", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300, unit: "grapheme" }), { maxLength: 200 }), (lines) => {
        const { text } = limited(lines.join("\n"), limits);
        expect(Buffer.byteLength(text)).toBeLessThan(limits.bytes + 100);
        expect(text.split("\n").length).toBeLessThanOrEqual(limits.lines + 1);
      }),
      { numRuns: 50 },
    );
  });
});

describe("binary output", () => {
  test("is described", () => {
    const bytes = Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7) % 256)).toString("utf8");
    expect(binaryNotice(bytes, 500)).toContain("500 bytes");
  });

  test.each([
    ["plain words of text, long enough"],
    ["漢字かな交じり文はテキストです。間違いなく"],
    ["\u001b[31mcolours are text\u001b[0m"],
    ["one\0two"],
  ])("%j is text", (text) => {
    expect(binaryNotice(text, 1)).toBeUndefined();
  });
});
