/** How a search text is looked up: in the word index, in the trigram index, and by comparison. */
export interface SearchPlan {
  /** Expression for the index of words; every part is quoted. */
  readonly words: string | undefined;
  /** Expression for the index of three-character pieces, for Chinese, Japanese and Korean. */
  readonly pieces: string | undefined;
  /** LIKE patterns, with `\` as their escape, that a hit must match too. */
  readonly patterns: readonly string[];
  /** What to show around: the searched texts as they were typed. */
  readonly terms: readonly string[];
}

const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;
const wordCharacter = /[\p{L}\p{N}]/u;
const onlyWord = /^[\p{L}\p{N}\p{M}]+$/u;

/**
 * Reads any text as words that must all occur; `"…"` makes a phrase. Nothing in it is an operator.
 * A bare word matches words that begin with it. Undefined for a text with nothing to look for.
 */
export function searchPlan(text: string): SearchPlan | undefined {
  const terms = split(text.replaceAll("\0", " "));
  if (terms.length === 0) return undefined;
  const looked = terms.map(lookUp);
  const joined = (key: "word" | "piece") => looked.flatMap((way) => way[key] ?? []).join(" AND ") || undefined;
  return {
    words: joined("word"),
    pieces: joined("piece"),
    patterns: looked.flatMap((way) => way.pattern ?? []),
    terms: terms.map(({ term }) => term),
  };
}

interface Term {
  readonly term: string;
  readonly phrase: boolean;
}

function lookUp({ term, phrase }: Term): {
  readonly word?: string;
  readonly piece?: string;
  readonly pattern?: string;
} {
  if (cjk.test(term)) return [...term].length >= 3 ? { piece: quoted(term) } : { pattern: likePattern(term) };
  if (!wordCharacter.test(term)) return { pattern: likePattern(term) };
  if (phrase) return { word: quoted(term) };
  const word = `${quoted(term)}*`;
  return onlyWord.test(term) ? { word } : { word, pattern: likePattern(term) };
}

/** More terms than these narrow nothing. */
const MOST_TERMS = 32;

function split(text: string): readonly Term[] {
  const found: Term[] = [];
  for (const match of text.slice(0, 4000).matchAll(/"([^"]*)"|[^\s"]+/gu)) {
    const phrase = match[1] !== undefined;
    const term = (match[1] ?? match[0]).trim();
    if (term !== "") found.push({ term, phrase: phrase && /\s/u.test(term) });
    if (found.length === MOST_TERMS) break;
  }
  return found;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

/** A pattern for LIKE with `\\` as its escape. */
export function likePattern(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** About `width` characters of the text around the first of the terms found, on one line. */
export function snippet(text: string, terms: readonly string[], width = 160): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((place) => place >= 0);
  const place = places.length === 0 ? 0 : Math.min(...places);
  const start = Math.max(0, place - Math.floor(width / 3));
  const end = Math.min(text.length, start + width);
  const body = text.slice(start, end).toWellFormed().replaceAll("\uFFFD", "").replaceAll(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${body}${end < text.length ? "…" : ""}`;
}
