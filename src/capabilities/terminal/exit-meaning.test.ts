import { expect, test } from "vitest";
import { exitCodeOf, exitMeaning } from "./exit-meaning.ts";

test.each([
  ["grep x file", 1, "no line matched"],
  ["cat a | rg x", 1, "no line matched"],
  ["LANG=C /usr/bin/grep x f", 1, "no line matched"],
  ["diff a b", 1, "differ"],
  ["[ -f x ]", 1, "false"],
  ["nosuch", 127, "not found"],
  ["./script", 126, "not executable"],
  ["sleep 9", 137, "SIGKILL"],
  ["curl http://x", 7, "refused"],
])("%s with %i: %s", (command, code, words) => {
  expect(exitMeaning(command, code)).toContain(words);
});

test.each([
  ["grep x file", 0],
  ["grep x file", 2],
  ["grep x file; false", 1],
  ["make", 1],
  ["echo 'a | grep b' && make", 1],
])("%s with %i says no more than that", (command, code) => {
  expect(exitMeaning(command, code)).toBeUndefined();
});

test("a signal counts as 128 and its number", () => {
  expect(exitCodeOf({ code: null, signal: "SIGTERM" })).toBe(143);
  expect(exitCodeOf({ code: 3, signal: null })).toBe(3);
});
