import type { SourceNode } from "./source-node.ts";

export interface JsonFlaw {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface DuplicateKey {
  readonly key: string;
  readonly line: number;
  readonly firstLine: number;
}

export type JsonDocument =
  | { readonly node: SourceNode; readonly duplicates: readonly DuplicateKey[] }
  | { readonly flaw: JsonFlaw };

/** Deeper files than this are no settings of anybody's. */
const deepest = 200;

const blank = /[ \t\n\r]*/y;
const textToken = /"[^"\\\n\r]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\n\r]*)*"/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /true|false|null/y;

class Flaw extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Finds the line and column, both from 1, of an offset. */
function placesIn(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0];
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) starts.push(index + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** What people write that is not JSON, by what is found where a value or a sign should stand. */
function complaint(text: string, at: number, wanted: string): string {
  const rest = text.slice(at, at + 20);
  if (rest === "") return `the file ends where ${wanted} should stand; a closing } or ] may be missing`;
  if (rest.startsWith("//") || rest.startsWith("/*") || rest.startsWith("#"))
    return "JSON has no comments; take it away";
  if (rest.startsWith("'")) return "texts stand in double quotes";
  if (/^[}\]]/.test(rest) && /,\s*$/.test(text.slice(Math.max(0, at - 200), at)))
    return `take away the comma before ${rest[0]}`;
  if (rest.startsWith('"'))
    return "a text begins here that does not end well: a quote, a line end or a \\ in it must be escaped";
  return `${wanted} should stand here, not ${JSON.stringify(rest.split(/\s/, 1)[0])}`;
}

/** Reads JSON with the lines of all its values. Never throws: the first thing that is wrong is in `flaw`. */
export function parseJson(text: string): JsonDocument {
  const placeOf = placesIn(text);
  const reader = jsonReader(text, (offset) => placeOf(offset).line);
  try {
    return { node: reader.whole(), duplicates: reader.duplicates };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return { flaw: { ...placeOf(error.at), message: error.message } };
  }
}

/** Takes signs and tokens from the front of what is left. */
function tokensOf(text: string) {
  let at = 0;
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  return {
    take,
    fail(wanted: string): never {
      throw new Flaw(at, complaint(text, at, wanted));
    },
    /** The offset after white space. */
    next(): number {
      take(blank);
      return at;
    },
    takes(sign: string): boolean {
      take(blank);
      if (text[at] !== sign) return false;
      at += 1;
      return true;
    },
    text(): string | undefined {
      const start = at;
      const token = take(textToken);
      try {
        return token === undefined ? undefined : JSON.parse(token);
      } catch (cause) {
        const message = "the text that begins here holds a control character; write it as \\t or \\u0000";
        throw Object.assign(new Flaw(start, message), { cause });
      }
    },
  };
}

function jsonReader(text: string, lineAt: (offset: number) => number) {
  const tokens = tokensOf(text);
  const duplicates: DuplicateKey[] = [];
  const leaf = (value: unknown, line: number): SourceNode => ({ value, line, members: undefined, items: undefined });

  function object(line: number, depth: number): SourceNode {
    const members = new Map<string, SourceNode>();
    if (!tokens.takes("}")) {
      do member(members, depth);
      while (tokens.takes(","));
      if (!tokens.takes("}")) tokens.fail("a comma or }");
    }
    const value = Object.fromEntries([...members].map(([key, node]) => [key, node.value]));
    return { value, line, members, items: undefined };
  }

  function member(members: Map<string, SourceNode>, depth: number): void {
    const line = lineAt(tokens.next());
    const key = tokens.text() ?? tokens.fail("a key in double quotes");
    if (!tokens.takes(":")) tokens.fail("a colon");
    const first = members.get(key);
    if (first !== undefined) duplicates.push({ key, line, firstLine: first.line ?? line });
    members.set(key, { ...value(depth + 1), line });
  }

  function list(line: number, depth: number): SourceNode {
    const items: SourceNode[] = [];
    if (!tokens.takes("]")) {
      do items.push(value(depth + 1));
      while (tokens.takes(","));
      if (!tokens.takes("]")) tokens.fail("a comma or ]");
    }
    return { value: items.map((item) => item.value), line, members: undefined, items };
  }

  function value(depth: number): SourceNode {
    const at = tokens.next();
    if (depth > deepest) throw new Flaw(at, `it is nested more than ${deepest} deep`);
    const line = lineAt(at);
    if (tokens.takes("{")) return object(line, depth);
    if (tokens.takes("[")) return list(line, depth);
    const written = tokens.text();
    if (written !== undefined) return leaf(written, line);
    return leaf(JSON.parse(tokens.take(numberToken) ?? tokens.take(wordToken) ?? tokens.fail("a value")), line);
  }

  return {
    duplicates,
    whole(): SourceNode {
      const node = value(0);
      if (tokens.next() < text.length) tokens.fail("the end of the file");
      return node;
    },
  };
}
