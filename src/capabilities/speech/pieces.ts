/** Ends of sentences, then of lines and clauses, then of words: where a text may be cut, best first. */
const ends = [/[.!?…。！？]["'”’)]*\s/g, /[;:,，；：]\s|\n/g, /\s/g] as const;

/** A text in pieces of at most `longest` characters, cut where a speaker would pause. Nothing but space is lost. */
export function pieces(text: string, longest: number): readonly string[] {
  const found: string[] = [];
  let rest = text.trim();
  while (rest.length > longest) {
    const cut = cutOf(rest, longest);
    found.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  if (rest !== "") found.push(rest);
  return found.filter((piece) => piece !== "");
}

function cutOf(text: string, longest: number): number {
  const window = text.slice(0, longest + 1);
  for (const end of ends) {
    const last = [...window.matchAll(end)].at(-1);
    const cut = last === undefined ? 0 : last.index + last[0].length;
    if (cut > longest * 0.3) return Math.min(cut, longest);
  }
  const isHalfPair = /[\uD800-\uDBFF]$/.test(text.slice(0, longest));
  return isHalfPair && longest > 1 ? longest - 1 : longest;
}
