import type { Exit } from "#host";
import type { Executed } from "../executor.ts";

/** Characters of what was printed that are kept for people who look for a fault. */
const shownCharacters = 10_000;

export const failed = (reason: string, remarks: readonly string[] = []): Executed => ({
  decoded: { kind: "failed", reason, remarks },
});

export const silent = (...remarks: readonly string[]): Executed => ({
  decoded: { kind: "answer", answer: {}, remarks },
});

/** The first characters of a text; a character is never split. */
export function headOf(text: string, characters: number = shownCharacters): string {
  if (text.length <= characters) return text;
  const cut = text.slice(0, characters);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** What a process printed and how it ended, beside what it said. */
export const withOutput = (exit: Exit, decoded: Executed["decoded"]): Executed => ({
  decoded,
  exitCode: exit.code,
  stdout: headOf(exit.stdout.text),
  stderr: headOf(exit.stderr.text),
});

/** The text of a thrown thing, for the reason of a failure. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
