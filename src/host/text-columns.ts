import { eastAsianWidth } from "get-east-asian-width";

/** Made when a text first needs it: the language data behind it costs ten milliseconds, which a start does not have. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Columns that a text takes in a terminal; wide characters and emoji take two. */
export function textColumns(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes(text)) sum += graphemeColumns(segment);
  return sum;
}

/** The text in at most `width` columns, on one line; what is cut shows as `…`. Control characters become spaces. */
export function clipped(text: string, width: number): string {
  if (width <= 0) return "";
  const line = text.replaceAll(/\p{Cc}+/gu, " ");
  if (textColumns(line) <= width) return line;
  let used = 0;
  let kept = "";
  for (const { segment } of graphemes(line)) {
    const next = graphemeColumns(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

/** The same, filled with spaces to exactly `width` columns. */
export function fitted(text: string, width: number): string {
  const line = clipped(text, width);
  return line + " ".repeat(Math.max(0, width - textColumns(line)));
}

function graphemeColumns(segment: string): number {
  if (/^[\p{Mark}\p{Cc}\p{Cf}]/u.test(segment)) return 0;
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(segment)) return 2;
  return eastAsianWidth(segment.codePointAt(0) ?? 0, { ambiguousAsWide: false });
}
