import {
  findLines,
  keyboardText,
  type Likeness,
  type LineIndex,
  likenesses,
  lineIndex,
  similarity,
} from "./line-match.ts";

/** A place in the text, half open, and what is written there. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type Replacement =
  | { readonly found: true; readonly text: string; readonly places: readonly Place[]; readonly strategy: string }
  | { readonly found: false; readonly error: string };

interface Wanted {
  readonly old: string;
  readonly replacement: string;
  readonly all: boolean;
}

type Strategy = (text: string, wanted: Wanted) => readonly Place[];

/** Strategies from the strictest to the loosest (docs/reference/tools.md); the first that finds anything decides. */
const ladder: readonly (readonly [string, Strategy])[] = [
  ["exact", (text, wanted) => occurrences(text, wanted.old, wanted.replacement)],
  ["trailing_whitespace", byLines(likenesses.trailingSpace)],
  ["indentation", byLines(likenesses.indentation)],
  ["typography", (text, { old, replacement }) => occurrences(keyboardText(text), keyboardText(old), replacement)],
  ["whitespace", byLines(likenesses.lookalikes)],
  ["escapes", escaped],
  ["anchors", byAnchors],
];

/**
 * Replaces `old` in a text whose lines end with `\n`. One match only unless `all`; nothing outside the matched places
 * changes. Where the indentation differs, the replacement is moved to that of the text.
 */
export function replaceText(text: string, old: string, replacement: string, all: boolean): Replacement {
  if (old === "")
    return {
      found: false,
      error: "old_string is empty. Give the text to be replaced; a new file is made with write_file.",
    };
  if (old === replacement)
    return { found: false, error: "old_string and new_string are the same: there is nothing to change." };
  for (const [strategy, find] of ladder) {
    const places = find(text, { old, replacement, all });
    if (places.length === 0) continue;
    if (places.length > 1 && !all) return { found: false, error: tooMany(text, places) };
    return { found: true, text: written(text, places), places, strategy };
  }
  return { found: false, error: nowhere(text, old) };
}

function written(text: string, places: readonly Place[]): string {
  let result = "";
  let at = 0;
  for (const place of places) {
    result += text.slice(at, place.start) + place.text;
    at = place.end;
  }
  return result + text.slice(at);
}

function occurrences(text: string, old: string, replacement: string): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) {
    places.push({ start: at, end: at + old.length, text: replacement });
  }
  return places;
}

/** The lines of a wanted text, and whether its last line's newline belongs to it. */
function wantedLines(old: string): { readonly lines: readonly string[]; readonly closed: boolean } {
  const closed = old.endsWith("\n");
  return { lines: (closed ? old.slice(0, -1) : old).split("\n"), closed };
}

function byLines(like: Likeness): Strategy {
  return (text, { old, replacement }) => {
    const index = lineIndex(text);
    const { lines, closed } = wantedLines(old);
    if (lines.every((line) => line.trim() === "")) return [];
    return findLines(index.lines, lines, like).map((first) => linePlace(index, first, { lines, closed, replacement }));
  };
}

function linePlace(
  index: LineIndex,
  first: number,
  wanted: { readonly lines: readonly string[]; readonly closed: boolean; readonly replacement: string },
): Place {
  const last = first + wanted.lines.length - 1;
  const lastEnd = (index.starts[last] as number) + (index.lines[last] as string).length;
  const more = last + 1 < index.lines.length;
  const end = wanted.closed && more ? lastEnd + 1 : lastEnd;
  const replacement =
    wanted.closed && !more && wanted.replacement.endsWith("\n") ? wanted.replacement.slice(0, -1) : wanted.replacement;
  const given = index.lines.slice(first, last + 1);
  return { start: index.starts[first] as number, end, text: reindented(replacement, wanted.lines, given) };
}

/** Gives each line of the replacement the indentation that stands where the asked text had the same one. */
function reindented(replacement: string, asked: readonly string[], standing: readonly string[]): string {
  const known = new Map<string, string>();
  for (const [index, line] of asked.entries()) {
    const from = indentation(line);
    if (line.trim() !== "" && !known.has(from)) known.set(from, indentation(standing[index] ?? ""));
  }
  if ([...known].every(([from, to]) => from === to)) return replacement;
  return replacement
    .split("\n")
    .map((line) => (line.trim() === "" ? line : moved(line, known)))
    .join("\n");
}

function moved(line: string, known: ReadonlyMap<string, string>): string {
  const own = indentation(line);
  const from = [...known.keys()]
    .filter((candidate) => own.startsWith(candidate))
    .reduce<string | undefined>(
      (best, next) => (best === undefined || next.length > best.length ? next : best),
      undefined,
    );
  return from === undefined ? line : (known.get(from) ?? "") + line.slice(from.length);
}

function indentation(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Text that came with `\n`, `\t` and quotes written as escapes. */
function escaped(text: string, { old, replacement }: Wanted): Place[] {
  const meant = unescaped(old);
  return meant === old || meant === "" ? [] : occurrences(text, meant, unescaped(replacement));
}

function unescaped(text: string): string {
  const meanings: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "", '"': '"', "'": "'", "\\": "\\" };
  return text.replace(/\\([ntr"'\\])/g, (_whole, letter: string) => meanings[letter] ?? "");
}

/** A block of three lines or more whose first and last line stand in the text and whose middle is much the same. */
function byAnchors(text: string, { old, replacement, all }: Wanted): Place[] {
  const { lines, closed } = wantedLines(old);
  if (lines.length < 3 || all) return [];
  const index = lineIndex(text);
  const like = likenesses.lookalikes;
  const first = like(lines[0] as string);
  const last = like(lines.at(-1) as string);
  const middle = lines.slice(1, -1).map(like).join("\n");
  if (first === "" || last === "") return [];
  const places: Place[] = [];
  for (let start = 0; start + lines.length <= index.lines.length; start += 1) {
    if (like(index.lines[start] as string) !== first) continue;
    if (like(index.lines[start + lines.length - 1] as string) !== last) continue;
    const standing = index.lines.slice(start + 1, start + lines.length - 1);
    if (similarity(standing.map(like).join("\n"), middle) < 0.7) continue;
    places.push(linePlace(index, start, { lines, closed, replacement }));
  }
  return places;
}

function tooMany(text: string, places: readonly Place[]): string {
  const numbers = places.slice(0, 10).map((place) => text.slice(0, place.start).split("\n").length);
  const more = places.length > numbers.length ? ", …" : "";
  return `old_string matches ${places.length} places (lines ${numbers.join(", ")}${more}). Add lines around it until it is unique, or set replace_all.`;
}

function nowhere(text: string, old: string): string {
  const nearest = nearestLine(text, old);
  const where = nearest === undefined ? "" : ` Nearest is line ${nearest.number}:\n${nearest.excerpt}`;
  return `old_string was not found, not even without regard to whitespace and quotes. Read the file again and copy the text exactly.${where}`;
}

/** The place that looks most like the first telling line of the wanted text, with two lines around it. */
function nearestLine(text: string, old: string): { readonly number: number; readonly excerpt: string } | undefined {
  const sought = old
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line.length > 3);
  if (sought === undefined) return undefined;
  const lines = text.split("\n", 20_000);
  let best = 0.5;
  let at = -1;
  for (const [index, line] of lines.entries()) {
    const score = similarity(line.trim().slice(0, 400), sought.slice(0, 400));
    if (score > best) [best, at] = [score, index];
  }
  if (at === -1) return undefined;
  const from = Math.max(0, at - 2);
  const excerpt = lines.slice(from, at + 3).map((line, index) => `${from + index + 1}|${line.slice(0, 200)}`);
  return { number: at + 1, excerpt: excerpt.join("\n") };
}
