import { programName } from "./program.ts";

const findTests =
  /^-(?:i?name|i?path|i?wholename|i?regex|size|[amc]time|[amc]min|newer\w*|empty|user|uid|group|perm|inum|links|samefile|lname|nouser)$/;

/** The folders that `find` empties as a whole: it deletes, and nothing chooses among what it finds. */
export function removedByFind(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  if (programName(program) !== "find" || rest.some((word) => findTests.test(word))) return [];
  const deletes =
    rest.includes("-delete") ||
    rest.some((word, index) => programName(word) === "rm" && /^-(?:exec|ok)/.test(rest[index - 1] ?? ""));
  const end = rest.findIndex((word) => /^-[a-z]|^[(!]/.test(word) && !/^-[HLP]$/.test(word));
  return deletes ? rest.slice(0, end).filter((word) => !word.startsWith("-")) : [];
}
