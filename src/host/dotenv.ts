import type { Environment } from "./environment.ts";
import { readTextIfExists } from "./files.ts";

export interface DotenvFile {
  readonly values: Readonly<Record<string, string>>;
  /** Lines, from 1, that are no assignment; they are left out and cost nothing else. */
  readonly badLines: readonly number[];
}

interface Binding {
  readonly name: string;
  readonly value: string;
}

/** Reads with anchored patterns from a moving place. */
interface Reader {
  take(pattern: RegExp): RegExpExecArray | undefined;
  peek(): string;
  place: number;
}

function reader(text: string): Reader {
  return {
    place: 0,
    take(pattern) {
      pattern.lastIndex = this.place;
      const match = pattern.exec(text);
      if (match === null) return undefined;
      this.place = pattern.lastIndex;
      return match;
    },
    peek() {
      return text[this.place] ?? "";
    },
  };
}

const escapes: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

function takeValue(from: Reader): string | undefined {
  switch (from.peek()) {
    case "'":
      return from.take(/'((?:\\'|[^'])*)'/y)?.[1]?.replaceAll(/\\([\\'])/g, "$1");
    case '"':
      return from
        .take(/"((?:\\"|[^"])*)"/y)?.[1]
        ?.replaceAll(/\\([\\'"abfnrtv])/g, (_, letter: string) => escapes[letter] ?? letter);
    case "":
    case "\n":
    case "\r":
      return "";
    default:
      return from
        .take(/[^\r\n]*/y)?.[0]
        .replace(/\s+#.*/, "")
        .trimEnd();
  }
}

/** One line (or more, in quotes): an assignment, nothing (a comment, a name alone), or "bad". */
function takeBinding(from: Reader): Binding | undefined | "bad" {
  from.take(/(?:export[^\S\r\n]+)?/y);
  let name: string | undefined;
  if (from.peek() !== "#") {
    name = from.peek() === "'" ? from.take(/'([^']+)'/y)?.[1] : from.take(/[^=#\s]+/y)?.[0];
    if (name === undefined) return "bad";
  }
  from.take(/[^\S\r\n]*/y);
  let value: string | undefined;
  if (from.take(/=[^\S\r\n]*/y) !== undefined) {
    value = takeValue(from);
    if (value === undefined) return "bad";
  }
  from.take(/(?:[^\S\r\n]*#[^\r\n]*)?/y);
  if (from.take(/[^\S\r\n]*(?:\r\n|\n|\r|$)/y) === undefined) return "bad";
  return name === undefined || value === undefined ? undefined : { name, value };
}

/** Replaces `${NAME}` and `${NAME:-default}`. The given environment wins over earlier lines of the file. */
function interpolate(value: string, earlier: Environment, environment: Environment): string {
  return value.replaceAll(/\$\{([^}:]*)(?::-([^}]*))?\}/g, (_, name: string, fallback: string | undefined) => {
    return environment[name] ?? earlier[name] ?? fallback ?? "";
  });
}

/** Reads `.env` text as python-dotenv does: `export`, quotes, escapes, comments, values over several lines, `${NAME:-default}`. */
export function parseDotenv(text: string, environment: Environment = {}): DotenvFile {
  const from = reader(text);
  const values: Record<string, string> = {};
  const badLines: number[] = [];
  for (;;) {
    from.take(/\s*/y);
    if (from.place >= text.length) return { values, badLines };
    const start = from.place;
    const binding = takeBinding(from);
    if (binding === "bad") {
      badLines.push(text.slice(0, start).split("\n").length);
      from.take(/[^\r\n]*(?:\r\n|\r|\n)?/y);
    } else if (binding !== undefined) {
      values[binding.name] = interpolate(binding.value, values, environment);
    }
  }
}

/** A `.env` file; empty where there is none. */
export async function readDotenv(path: string, environment: Environment = {}): Promise<DotenvFile> {
  const file = await readTextIfExists(path, { maxBytes: 1 << 20 });
  return file === undefined ? { values: {}, badLines: [] } : parseDotenv(file.text, environment);
}
