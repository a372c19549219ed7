import { resolve } from "node:path";

/** Where the patterns of a rule are at home. */
export interface PatternPlace {
  readonly cwd: string;
  readonly userHome: string;
  /** The folder of the file in which the rule stands: what `/path` is relative to. */
  readonly sourceFolder: string;
}

/**
 * A pattern for paths as in a .gitignore: `//from/the/root`, `~/from/home`, `/from/the/settings`, else from the working
 * folder. See docs/reference/hooks.md.
 */
export function pathMatches(pattern: string, path: string, place: PatternPlace): boolean {
  const { base, rest } = anchored(pattern, place);
  const absolute = resolve(place.cwd, path);
  const inside =
    base === "/" ? absolute.slice(1) : absolute.startsWith(`${base}/`) ? absolute.slice(base.length + 1) : undefined;
  if (inside === undefined || inside === "") return false;
  return globOf(rest).test(inside);
}

function anchored(
  pattern: string,
  { cwd, userHome, sourceFolder }: PatternPlace,
): { readonly base: string; readonly rest: string } {
  if (pattern.startsWith("//")) return { base: "/", rest: pattern.slice(1) };
  if (pattern === "~" || pattern.startsWith("~/")) return { base: trimmed(userHome), rest: pattern.slice(1) || "/**" };
  if (pattern.startsWith("/")) return { base: trimmed(sourceFolder), rest: pattern };
  return { base: trimmed(cwd), rest: pattern.replace(/^\.\//, "/") };
}

const trimmed = (folder: string): string => (folder === "/" ? "/" : folder.replace(/\/+$/, ""));

const globs = new Map<string, RegExp>();
const mostGlobs = 500;

/** A pattern with a slash at its head or inside is bound to its base, any other matches at any depth; either matches all below a folder. */
function globOf(pattern: string): RegExp {
  const known = globs.get(pattern);
  if (known !== undefined) return known;
  const bare = pattern.replace(/\/+$/, "");
  const bound = bare.includes("/");
  const body = bare.replace(/^\/+/, "");
  const made = new RegExp(`^${bound ? "" : "(?:.*/)?"}${translated(body)}(?:/.*)?$`, "s");
  if (globs.size >= mostGlobs) globs.clear();
  globs.set(pattern, made);
  return made;
}

const token = /\*\*\/|\/\*\*$|\*\*|\*|\?|\[!?[^\]]+\]|\\?[\s\S]/g;

function translated(glob: string): string {
  return [...glob.matchAll(token)]
    .map(([piece]) => {
      if (piece === "**/") return "(?:.*/)?";
      if (piece === "/**") return "/.+";
      if (piece === "**") return ".*";
      if (piece === "*") return "[^/]*";
      if (piece === "?") return "[^/]";
      if (piece.length > 2 && piece.startsWith("[")) return characters(piece);
      return piece.replace(/^\\/, "").replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    })
    .join("");
}

const characters = (piece: string): string => {
  const negated = piece[1] === "!" || piece[1] === "^";
  return `[${negated ? "^" : ""}${piece.slice(negated ? 2 : 1, -1).replace(/[\\\]]/g, "\\$&")}]`;
};
