import { describe, expect, test } from "vitest";
import { asLine, asText, pastedText } from "./pasted-text.ts";

async function typed(...chunks: readonly (string | Buffer)[]): Promise<string> {
  const filter = pastedText();
  for (const chunk of chunks) filter.write(chunk);
  filter.end();
  return (await filter.toArray()).map(String).join("");
}

describe("keys of a terminal", () => {
  test.each([
    ["go through as they are", ["ab\r", "\x1b[A", "\x1b", "\x03"], "ab\r\x1b[A\x1b\x03"],
    ["that were pasted enter nothing", ["\x1b[200~one\r\n\ttwo\rthree\n\x1b[201~\r"], "one␤␉two␤three\r"],
    ["that were pasted hold no other control characters", ["\x1b[200~a\x03b\x1b[31mc\x1b[201~"], "ab[31mc"],
    ["are split anywhere, in a mark too", ["x\x1b[2", "00~a\r", "b\x1b[20", "1~y"], "xa␤by"],
    ["come in several pastes", ["\x1b[200~a\n\x1b[201~\r\x1b[200~b\x1b[201~"], "a\rb"],
  ])("%s", async (_, chunks, expected) => expect(await typed(...chunks)).toBe(expected));

  test("may be split in mid-character", async () => {
    const bytes = Buffer.from("\x1b[200~日\n本\x1b[201~");
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    // The first byte of a mark alone is the escape key and goes through at once.
    expect(await typed(bytes.subarray(0, 2), ...pieces.slice(2))).toBe("日␤本");
  });
});

test("a line stands for the text that was pasted", () => {
  expect(asText(asLine("a\n\tb\r\nc"))).toBe("a\n\tb\nc");
});
