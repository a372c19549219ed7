import { eastAsianWidth } from "get-east-asian-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cells that a text takes in a terminal; wide characters and emoji take two. */
export function cells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += graphemeCells(segment);
  return sum;
}

function graphemeCells(segment: string): number {
  const first = segment.codePointAt(0) ?? 0;
  if (first < 0x20 || (first >= 0x7f && first < 0xa0) || /^\p{Mark}/u.test(segment)) return 0;
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(segment)) return 2;
  return eastAsianWidth(first, { ambiguousAsWide: false });
}

/** One line of at most `width` cells; what is cut shows as `…`. Control characters become spaces. */
export function clip(text: string, width: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach the terminal
  const line = text.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ").trim();
  if (width <= 0) return "";
  if (cells(line) <= width) return line;
  let used = 0;
  let kept = "";
  for (const { segment } of graphemes.segment(line)) {
    const next = graphemeCells(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

/** `850 ms`, `12.3 s`, `2 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}
