import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { parseDotenv } from "./dotenv.ts";

const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["A=1", { A: "1" }],
  ["A = 1 ", { A: "1" }],
  ["export A=1\nexport B='2'", { A: "1", B: "2" }],
  ["# note\n\nA=1 # note\nB=1#2\nC='#3' # x", { A: "1", B: "1#2", C: "#3" }],
  ["A=\nB=''\nC", { A: "", B: "" }],
  ['A="a\\nb\\t\\"c\\" \\\\n \\q"', { A: 'a\nb\t"c" \\n \\q' }],
  ["A='a\\nb \\'c\\' \\\\'", { A: "a\\nb 'c' \\" }],
  ['A="two\nlines"\nB=3', { A: "two\nlines", B: "3" }],
  ["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
  ["A=a b  c\nB= x", { A: "a b  c", B: "x" }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax under test
  ["A=1\nB=${A}2\nC='${B}'\nD=${NONE:-d}\nE=${NONE}e", { A: "1", B: "12", C: "12", D: "d", E: "e" }],
  ["A=1\nthis is wrong\nB=2", { A: "1", B: "2" }],
  ["A='open\nB=2", { B: "2" }],
  ["A='x' y\nB=2", { B: "2" }],
  ["'A B'=1\nC.D=2\n=3\nE=4", { "A B": "1", "C.D": "2", E: "4" }],
  ["A=1\nA=2", { A: "2" }],
  ["Ä=ü", { Ä: "ü" }],
];

test.each(cases)("%j", (text, values) => {
  expect(parseDotenv(text).values).toEqual(values);
});

test("bad lines are counted by number", () => {
  expect(parseDotenv("A=1\nthis is wrong\nB=2\n\n=x\n").badLines).toEqual([2, 5]);
});

test("the given environment wins where names are replaced", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax under test
  expect(parseDotenv("A=1\nB=${A}", { A: "9" }).values).toEqual({ A: "1", B: "9" });
});

const oracle = `import sys, json, io, dotenv
print(json.dumps([{k: v for k, v in dotenv.dotenv_values(stream=io.StringIO(t)).items() if v is not None} for t in json.load(sys.stdin)]))`;
const answer = spawnSync("python3", ["-c", oracle], {
  input: JSON.stringify(cases.map(([text]) => text)),
  encoding: "utf8",
});

test.skipIf(answer.status !== 0)("python-dotenv agrees (skipped where it is not installed)", () => {
  expect(JSON.parse(answer.stdout)).toEqual(cases.map(([, values]) => values));
});
