import type { LineEnding } from "./line-endings.ts";
import { lineEndingOf } from "./line-endings.ts";
import { findLines, likenesses, similarity } from "./line-match.ts";
import type { Hunk } from "./patch-text.ts";

export type Patched = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

interface Line {
  readonly text: string;
  /** Empty on a last line without one. */
  readonly ending: "" | LineEnding;
}

/** Exactly, then ever more loosely; the loosest still asks for the same words. */
const looseness = [likenesses.exact, likenesses.trailingSpace, likenesses.indentation, likenesses.lookalikes];

/**
 * Applies the hunks in their order. Lines that stay keep their own bytes and endings, new ones get the file's usual
 * ending, and a file without a last newline stays without.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): Patched {
  const usual = lineEndingOf(text);
  const lines = splitLines(text);
  const closed = lines.length === 0 || lines.at(-1)?.ending !== "";
  let cursor = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = findHunk(lines, hunk, cursor);
    if (!place.ok) return { ok: false, error: `hunk ${index + 1} of ${hunks.length}: ${place.error}` };
    const fresh = merged(lines.slice(place.at, place.at + place.count), hunk, usual);
    lines.splice(place.at, place.count, ...fresh);
    cursor = place.at + fresh.length;
  }
  const result = lines.map(
    (line, index) => line.text + ending(line, { usual, last: index === lines.length - 1, closed }),
  );
  return { ok: true, text: result.join("") };
}

function ending(
  line: Line,
  file: { readonly usual: LineEnding; readonly last: boolean; readonly closed: boolean },
): string {
  if (file.last && !file.closed) return "";
  return line.ending === "" ? file.usual : line.ending;
}

function splitLines(text: string): Line[] {
  const lines = (text.match(/[^\n]*\n|[^\n]+$/g) ?? []) as string[];
  return lines.map((line) => {
    if (line.endsWith("\r\n")) return { text: line.slice(0, -2), ending: "\r\n" };
    return line.endsWith("\n") ? { text: line.slice(0, -1), ending: "\n" } : { text: line, ending: "" };
  });
}

type HunkPlace =
  | { readonly ok: true; readonly at: number; readonly count: number }
  | { readonly ok: false; readonly error: string };

function findHunk(lines: readonly Line[], hunk: Hunk, cursor: number): HunkPlace {
  const texts = lines.map((line) => line.text);
  const hinted = hunk.hint === "" ? undefined : findHint(texts, hunk.hint, cursor);
  const wanted = hunk.lines.filter((line) => line.kind !== "add").map((line) => line.text);
  if (wanted.length === 0) return insertionPlace(hunk, { hinted, count: lines.length });
  const from = hinted ?? cursor;
  for (const like of looseness) {
    const places = findLines(texts, wanted, like, from);
    if (places.length === 0) continue;
    if (hunk.atEnd) return { ok: true, at: places.at(-1) as number, count: wanted.length };
    if (places.length > 1 && hinted === undefined) return { ok: false, error: ambiguous(places) };
    return { ok: true, at: places[0] as number, count: wanted.length };
  }
  return { ok: false, error: missing(texts, wanted) };
}

/** The line of the hint itself: its own lines may begin with it. */
function findHint(texts: readonly string[], hint: string, cursor: number): number | undefined {
  const sought = likenesses.lookalikes(hint);
  const from = (start: number, match: (line: string) => boolean) => {
    const found = texts.findIndex((line, index) => index >= start && match(likenesses.lookalikes(line)));
    return found === -1 ? undefined : found;
  };
  return (
    from(cursor, (line) => line === sought) ??
    from(cursor, (line) => line.includes(sought)) ??
    (cursor > 0 ? undefined : from(0, (line) => line.includes(sought)))
  );
}

function insertionPlace(hunk: Hunk, file: { readonly hinted: number | undefined; readonly count: number }): HunkPlace {
  if (hunk.hint === "") return { ok: true, at: file.count, count: 0 };
  if (file.hinted === undefined)
    return { ok: false, error: `no line holds \`${hunk.hint}\`, after which its lines would be added.` };
  return { ok: true, at: file.hinted + 1, count: 0 };
}

/** The standing lines where the hunk says context, its own where it says add. */
function merged(standing: readonly Line[], hunk: Hunk, usual: LineEnding): Line[] {
  const result: Line[] = [];
  let at = 0;
  for (const line of hunk.lines) {
    if (line.kind === "add") result.push({ text: line.text, ending: usual });
    else {
      if (line.kind === "context") result.push(standing[at] as Line);
      at += 1;
    }
  }
  return result;
}

function ambiguous(places: readonly number[]): string {
  const numbers = places.slice(0, 10).map((place) => place + 1);
  return `its lines stand in ${places.length} places (lines ${numbers.join(", ")}). Add lines of context, or an \`@@ line above it\`.`;
}

function missing(texts: readonly string[], wanted: readonly string[]): string {
  const first = wanted.find((line) => line.trim().length > 3) ?? (wanted[0] as string);
  let best = 0.5;
  let at = -1;
  for (const [index, line] of texts.entries()) {
    const score = similarity(line.trim().slice(0, 400), first.trim().slice(0, 400));
    if (score > best) [best, at] = [score, index];
  }
  const nearest =
    at === -1 ? "" : ` Nearest to its first line is line ${at + 1}: \`${(texts[at] as string).trim().slice(0, 200)}\`.`;
  return `its ${wanted.length} lines were not found after the hunk before it.${nearest} Read the file again and copy the lines.`;
}
