import { eastAsianWidth } from "get-east-asian-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text takes in a terminal. */
export function textColumns(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += graphemeColumns(segment);
  return sum;
}

/** The text in exactly `width` columns: cut with `…`, or filled with spaces. Control characters become spaces. */
export function fitted(text: string, width: number): string {
  const line = text.replaceAll(/\p{Cc}+/gu, " ");
  const taken = textColumns(line);
  if (taken <= width) return line + " ".repeat(width - taken);
  let used = 0;
  let kept = "";
  for (const { segment } of graphemes.segment(line)) {
    const next = graphemeColumns(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…${" ".repeat(Math.max(0, width - used - 1))}`;
}

function graphemeColumns(segment: string): number {
  if (/^[\p{Mark}\p{Cc}\p{Cf}]/u.test(segment)) return 0;
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(segment)) return 2;
  return eastAsianWidth(segment.codePointAt(0) ?? 0, { ambiguousAsWide: false });
}
