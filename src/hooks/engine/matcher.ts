import type { AnyView, Target } from "#kernel";
import { pythonPattern } from "../sources/python-pattern.ts";

/** A rule's matcher, compiled once. */
export interface Matcher {
  readonly matches: (target: Target | undefined) => boolean;
  /** What is wrong with it, for `doctor`. */
  readonly problem?: string;
}

const list = /^[\w\-\s,|]+$/;
const narrowList = /^\w+(?:\|\w+)*$/;

/**
 * Settings files: missing, empty and `*` match all; letters, digits, `_`, `-`, blanks, `,` and `|` make a list of exact
 * names; anything else is a regular expression, looked for anywhere in the name. See docs/reference/hooks.md.
 */
export async function claudeMatcher(
  source: string | undefined,
  view: Pick<AnyView, "matchList">,
): Promise<Matcher | undefined> {
  const text = source?.trim() ?? "";
  if (text === "" || text === "*") return undefined;
  const narrow = view.matchList === "narrow";
  if (narrow ? narrowList.test(text) : list.test(text)) return listed(text.split(narrow ? "|" : /[|,]/));
  try {
    return searching(text, await careful(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { matches: () => false, problem: `the matcher ${JSON.stringify(text)} is no regular expression: ${why}` };
  }
}

/** Shell hooks: a pattern of Python, against the whole name of the tool; one that is none is the name itself. */
export function shellMatcher(source: string | undefined): Matcher | undefined {
  const text = source?.trim() ?? "";
  if (text === "") return undefined;
  const pattern = pythonPattern(text);
  return pattern === undefined
    ? {
        matches: (target) => target?.name === text,
        problem: `the matcher ${JSON.stringify(text)} is no pattern; it is compared as it stands`,
      }
    : { matches: (target) => target !== undefined && pattern.test(target.name) };
}

function listed(written: readonly string[]): Matcher {
  const names = new Set(written.map((name) => name.trim()).filter((name) => name !== ""));
  return {
    matches: (target) =>
      target !== undefined && (names.has(target.name) || target.aliases.some((alias) => names.has(alias))),
  };
}

/** What a pattern says a name must not be would hold for one of its other names: then only the first is looked at. */
const excluding = /\(\?<?!|\[\^/;

function searching(source: string, test: (text: string) => boolean): Matcher {
  const others = !excluding.test(source);
  return {
    matches: (target) => target !== undefined && (test(target.name) || (others && target.aliases.some(test))),
  };
}

/** Repeats of groups that repeat or choose: the patterns that can take for ever. */
const risky = /[*+}][^()]*\)[*+{]|\|[^()]*\)[*+{]|\)[*+}]\)*[*+{]/;

/** Risky patterns run in an engine of linear time, unless they need what it lacks. Throws where the pattern is none. */
async function careful(source: string): Promise<(text: string) => boolean> {
  const pattern = new RegExp(source);
  if (!risky.test(source)) return (text) => pattern.test(text);
  const { RE2JS } = await import("re2js");
  try {
    const linear = RE2JS.compile(source);
    return (text) => linear.matcher(text).find();
  } catch {
    // Looking around and back references are beyond it; names are short, so the pattern gets only the head of a long one.
    return (text) => pattern.test(text.slice(0, longestRisky));
  }
}

const longestRisky = 64;
