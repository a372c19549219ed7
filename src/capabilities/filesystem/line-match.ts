/** Lines of a text with where each begins and ends; the ending newline is no part of the line. */
export interface LineIndex {
  readonly lines: readonly string[];
  readonly starts: readonly number[];
}

export function lineIndex(text: string): LineIndex {
  const lines = text.split("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  return { lines, starts };
}

/** How two lines are made alike before they are compared. */
export type Likeness = (line: string) => string;

const lookalikes: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "‚": "'",
  "‛": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "‟": '"',
  "‐": "-",
  "‑": "-",
  "‒": "-",
  "–": "-",
  "—": "-",
  "―": "-",
  "−": "-",
};

/** Typographic quotes, dashes and spaces as a keyboard has them; every character stays one character. */
export function keyboardText(text: string): string {
  return text
    .replace(/[‘’‚‛“”„‟‐-―−]/g, (character) => lookalikes[character] ?? character)
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
}

export const likenesses = {
  exact: (line: string) => line,
  trailingSpace: (line: string) => line.trimEnd(),
  indentation: (line: string) => line.trim(),
  spacing: (line: string) => line.trim().replace(/\s+/g, " "),
  lookalikes: (line: string) => keyboardText(line).trim().replace(/\s+/g, " "),
} as const satisfies Record<string, Likeness>;

/** First lines of all places, from line `from` on, where the wanted lines stand one after another. Places do not overlap. */
export function findLines(lines: readonly string[], wanted: readonly string[], like: Likeness, from = 0): number[] {
  const sought = wanted.map(like);
  const given = lines.map(like);
  const found: number[] = [];
  for (let start = from; start + sought.length <= given.length; start += 1) {
    if (!sought.every((line, index) => given[start + index] === line)) continue;
    found.push(start);
    start += sought.length - 1;
  }
  return found;
}

/** 1 for equal texts, 0 for texts that share no pair of neighbouring characters. */
export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  if (left.length < 2 || right.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let index = 0; index < left.length - 1; index += 1) {
    const pair = left.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let shared = 0;
  for (let index = 0; index < right.length - 1; index += 1) {
    const pair = right.slice(index, index + 2);
    const left = pairs.get(pair) ?? 0;
    if (left === 0) continue;
    pairs.set(pair, left - 1);
    shared += 1;
  }
  return (2 * shared) / (left.length + right.length - 2);
}
