/**
 * Characters that a reader does not see and a program does: marks that turn the direction of the text, characters without width,
 * and tags. A byte order mark at the very start, and joiners inside a word of an emoji, are how texts are written.
 */
const hidden = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** `line: U+202E` for each, at most ten. */
export function hiddenCharacters(text: string): readonly string[] {
  const found: string[] = [];
  for (const match of text.matchAll(hidden)) {
    if (match.index === 0 && match[0] === "\ufeff") continue;
    const line = text.slice(0, match.index).split("\n").length;
    const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    found.push(`${line}: hidden character U+${code}`);
    if (found.length === 10) break;
  }
  return found;
}
