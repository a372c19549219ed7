/** Pieces of a Python pattern, one after another. */
const piece =
  /\\(?:Z|A|z|g<[^>]*>|[\s\S])|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\(\?#[^)]*\)|\(\?P<(\w+)>|\(\?P=(\w+)\)|\(\?\(|\(\?>|\{,(\d+)\}|[*+?}]\+|\[|[\s\S]/g;
const leadingFlags = /^\(\?([aiLmsux]+)\)/;

/**
 * A pattern of Python's `re` as it is matched against a whole name; undefined where it is wrong, or says what
 * JavaScript cannot (conditions, atomic groups, possessive counts, verbose patterns). Rules: docs/reference/hook-sources.md.
 */
export function pythonPattern(source: string): RegExp | undefined {
  const leading = leadingFlags.exec(source);
  const letters = leading?.[1] ?? "";
  if (/[xL]/.test(letters)) return undefined;
  const flags = [...new Set(letters)].filter((letter) => "ims".includes(letter)).join("");
  let translated = "";
  for (const [whole, name, back, most] of source.slice(leading?.[0].length ?? 0).matchAll(piece)) {
    const next = translate({ whole, name, back, most });
    if (next === undefined) return undefined;
    translated += next;
  }
  try {
    new RegExp(translated); // a stray ) would otherwise close our own group
    return new RegExp(`^(?:${translated})$(?![\\s\\S])`, flags);
  } catch {
    return undefined; // wrong in Python, too: the caller compares the text itself
  }
}

interface Piece {
  readonly whole: string;
  readonly name: string | undefined;
  readonly back: string | undefined;
  readonly most: string | undefined;
}

function translate({ whole, name, back, most }: Piece): string | undefined {
  if (name !== undefined) return `(?<${name}>`;
  if (back !== undefined) return `\\k<${back}>`;
  if (most !== undefined) return `{0,${most}}`;
  if (whole === "(?(" || whole === "(?>" || whole === "[" || /^[*+?}]\+$/.test(whole)) return undefined;
  if (whole.startsWith("(?#")) return "";
  if (whole === "\\Z" || whole === "\\z") return "$(?![\\s\\S])";
  if (whole === "\\A") return "(?<![\\s\\S])^";
  if (/^\\[a-zA-Z]$/.test(whole) && !/^\\[abBdDfnrsStvwWxuUN]$/.test(whole)) return undefined;
  return whole.startsWith("[") ? characterClass(whole) : whole;
}

/** Python takes a `]` at the head as a character, and `[` anywhere in it. */
const characterClass = (whole: string): string => whole.replace(/^(\[\^?)\]/, "$1\\]");
