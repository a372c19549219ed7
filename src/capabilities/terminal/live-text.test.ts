import fc from "fast-check";
import { expect, test } from "vitest";
import { liveText } from "./live-text.ts";

function shown(chunks: readonly string[], redact = (text: string) => text): string[] {
  const texts: string[] = [];
  const live = liveText(redact, (text) => texts.push(text));
  for (const chunk of chunks) live.push(chunk);
  live.end();
  return texts;
}

test("a secret that comes in two chunks is not shown", () => {
  const texts = shown(["token=s3c", "ret done\n"], (text) => text.replaceAll("s3cret", "***"));
  expect(texts.join("")).toBe("token=*** done\n");
});

test("whole words are shown at once", () => {
  const texts: string[] = [];
  const live = liveText(
    (text) => text,
    (text) => texts.push(text),
  );
  live.push("Password: ");
  expect(texts).toEqual(["Password: "]);
});

test("whatever the chunks, all of it is shown in its order", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", " ", "\n", "漢") })), (chunks) => {
      expect(shown(chunks).join("")).toBe(chunks.join(""));
    }),
  );
});

test("endless output ends after a note", () => {
  const texts = shown(Array.from({ length: 100 }, () => "x".repeat(10_000)));
  expect(texts.join("").length).toBeLessThan(220_000);
  expect(texts.at(-1)).toContain("no longer shown");
});
