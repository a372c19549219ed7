import { decodeEscapes } from "./normal.ts";

/** A piece of a shell word, before expansion. */
export type Part =
  | { readonly type: "text"; readonly text: string; readonly quoted: boolean; readonly inside?: string }
  | {
      readonly type: "variable";
      readonly name: string;
      /** `${!name}`: the variable that this one names. */
      readonly indirect: boolean;
      /** What follows the name in `${name…}`. */
      readonly operation: string;
      readonly quoted: boolean;
    }
  | {
      readonly type: "substitution";
      readonly opener: "$(" | "`" | "<(";
      readonly source: string;
      readonly quoted: boolean;
    };

export type Token =
  | { readonly type: "word"; readonly parts: readonly Part[] }
  | { readonly type: "operator"; readonly text: string }
  /** The word after it is its target, except where it has a body. */
  | { readonly type: "redirect"; readonly operator: string; body?: string; expands?: boolean };

/** `sound` is false where the text ends inside a quote or a bracket: then nothing about it is certain. */
export interface Reading {
  readonly tokens: readonly Token[];
  readonly sound: boolean;
}

/** Marks of unquoted braces and commas inside text parts, which brace expansion needs. */
export const brace = { open: "\uE001", comma: "\uE002", close: "\uE003" } as const;

interface Cursor {
  readonly text: string;
  at: number;
  sound: boolean;
}
interface Pending {
  readonly token: Extract<Token, { type: "redirect" }>;
  readonly delimiter: string;
  readonly stripTabs: boolean;
}

/** The expansions in text between double quotes, as in operands of `${…}` and in here-documents. */
export function expansionsIn(text: string): readonly Part[] {
  const cursor: Cursor = { text, at: 0, sound: true };
  const parts: Part[] = [];
  while (cursor.at < text.length) readPiece(cursor, parts, true);
  return parts;
}

const operators = /;;&|;;|;&|&&|\|\||\|&|[;&|()\n]/y;
const redirects = /(?:\d+|\{\w+\})?(?:&>>?|<<<|<<-?|>>|>\||>&|<&|<>|[<>])/y;

/** Splits shell text into words, operators and redirections (POSIX and the usual Bash forms). Never throws. */
export function readShell(text: string): Reading {
  const cursor: Cursor = { text, at: 0, sound: true };
  const tokens: Token[] = [];
  const pending: Pending[] = [];
  while (skipBlanks(cursor)) {
    if (cursor.text.startsWith("((", cursor.at)) {
      tokens.push({ type: "word", parts: readArithmetic(cursor) });
      continue;
    }
    if (!isProcessSubstitution(cursor) && readRedirect(cursor, pending, tokens)) continue;
    const text = take(cursor, operators);
    if (text === undefined) {
      tokens.push({ type: "word", parts: readWord(cursor) });
      continue;
    }
    tokens.push({ type: "operator", text });
    if (text === "\n") readBodies(cursor, pending);
  }
  if (pending.length > 0) readBodies(cursor, pending);
  return { tokens, sound: cursor.sound };
}

/** Moves to the next token; false at the end. */
function skipBlanks(cursor: Cursor): boolean {
  const { text } = cursor;
  for (; cursor.at < text.length; cursor.at++) {
    const character = text[cursor.at];
    if (character === "\\" && text[cursor.at + 1] === "\n") cursor.at++;
    else if (character === "#") cursor.at = lineEnd(text, cursor.at) - 1;
    else if (character !== " " && character !== "\t" && character !== "\r") return true;
  }
  return false;
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
};

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

const isProcessSubstitution = ({ text, at }: Cursor): boolean =>
  text[at + 1] === "(" && (text[at] === "<" || text[at] === ">");

function readRedirect(cursor: Cursor, pending: Pending[], tokens: Token[]): boolean {
  const operator = take(cursor, redirects);
  if (operator === undefined) return false;
  const token: Extract<Token, { type: "redirect" }> = { type: "redirect", operator };
  tokens.push(token);
  if (/(?:^|[^<])<<-?$/.test(operator) && skipBlanks(cursor)) {
    const word = readWord(cursor);
    const delimiter = word.map((part) => (part.type === "text" ? part.text : ""));
    token.body = "";
    token.expands = !word.some(({ quoted }) => quoted);
    pending.push({ token, delimiter: delimiter.join(""), stripTabs: operator.endsWith("-") });
  }
  return true;
}

function readBodies(cursor: Cursor, pending: Pending[]): void {
  for (const { token, delimiter, stripTabs } of pending.splice(0)) {
    const lines: string[] = [];
    let closed = false;
    while (!closed && cursor.at < cursor.text.length) {
      const end = lineEnd(cursor.text, cursor.at);
      const line = cursor.text.slice(cursor.at, end);
      cursor.at = end + 1;
      closed = (stripTabs ? line.replace(/^\t+/, "") : line) === delimiter;
      if (!closed) lines.push(line);
    }
    if (!closed) cursor.sound = false;
    token.body = lines.join("\n");
  }
}

/** `((…))` is arithmetic, in which `<<` opens no here-document, or two subshells: its inside is looked at by itself. */
function readArithmetic(cursor: Cursor): Part[] {
  cursor.at++;
  return [{ type: "substitution", opener: "$(", source: readBalanced(cursor, ")"), quoted: true }];
}

const endsWord = /[\s;&|()<>]/;

function readWord(cursor: Cursor): Part[] {
  const parts: Part[] = [];
  const start = cursor.at;
  while (cursor.at < cursor.text.length) {
    if (isProcessSubstitution(cursor)) {
      cursor.at += 2;
      parts.push({ type: "substitution", opener: "<(", source: readBalanced(cursor, ")"), quoted: false });
    } else if (cursor.text[cursor.at] === "(" && isArray(parts)) {
      cursor.at++;
      const text = readBalanced(cursor, ")");
      parts.push({ type: "text", text, quoted: true, inside: text });
    } else if (endsWord.test(cursor.text[cursor.at] ?? "")) break;
    else readPiece(cursor, parts, false);
  }
  // A lone character that no rule takes must not hold up the reading.
  if (cursor.at === start) cursor.at++;
  return parts;
}

function isArray(parts: readonly Part[]): boolean {
  const [first] = parts;
  return parts.length === 1 && first?.type === "text" && /^\w+\+?=$/.test(first.text);
}

const plainRun = /[^\s;&|()<>\\$`'"{},]+/y;
const plainInQuotes = /[^"\\$`]+/y;

/** One run of characters, escape, quote or expansion, in or outside of double quotes. */
function readPiece(cursor: Cursor, parts: Part[], quoted: boolean): void {
  const run = take(cursor, quoted ? plainInQuotes : plainRun);
  if (run !== undefined) {
    addText(parts, run, quoted);
    return;
  }
  const character = cursor.text[cursor.at] as string;
  cursor.at++;
  if (character === "\\") readEscape(cursor, parts, quoted);
  else if (character === "$") readDollar(cursor, parts, quoted);
  else if (character === "`") {
    const source = readUntil(cursor, "`").replace(/\\([`\\$])/g, "$1");
    parts.push({ type: "substitution", opener: "`", source, quoted });
  } else if (quoted) addText(parts, character, true);
  else if (character === "'") addText(parts, readPlainQuote(cursor), true);
  else if (character === '"') readDoubleQuote(cursor, parts);
  else addText(parts, braceMark(character), false);
}

const braceMark = (character: string): string =>
  character === "{" ? brace.open : character === "}" ? brace.close : character === "," ? brace.comma : character;

function addText(parts: Part[], text: string, quoted: boolean): void {
  const last = parts.at(-1);
  if (last?.type === "text" && last.quoted === quoted) parts[parts.length - 1] = { ...last, text: last.text + text };
  else parts.push({ type: "text", text, quoted });
}

function readEscape(cursor: Cursor, parts: Part[], quoted: boolean): void {
  const escaped = cursor.text[cursor.at];
  if (escaped === undefined) return;
  cursor.at++;
  if (escaped === "\n") return;
  addText(parts, quoted && !'"\\$`'.includes(escaped) ? `\\${escaped}` : escaped, true);
}

function readPlainQuote(cursor: Cursor): string {
  const end = cursor.text.indexOf("'", cursor.at);
  const text = cursor.text.slice(cursor.at, end < 0 ? undefined : end);
  if (end < 0) cursor.sound = false;
  cursor.at = end < 0 ? cursor.text.length : end + 1;
  return text;
}

function readDoubleQuote(cursor: Cursor, parts: Part[]): void {
  addText(parts, "", true);
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== '"') readPiece(cursor, parts, true);
  if (cursor.at >= cursor.text.length) cursor.sound = false;
  cursor.at++;
}

/** Text up to an unescaped `close`, which is passed over. */
function readUntil(cursor: Cursor, close: string): string {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== close)
    cursor.at += cursor.text[cursor.at] === "\\" ? 2 : 1;
  if (cursor.at >= cursor.text.length) cursor.sound = false;
  const text = cursor.text.slice(start, cursor.at);
  cursor.at++;
  return text;
}

/** Text up to the bracket that closes the one just passed; brackets inside quotes do not count. */
function readBalanced(cursor: Cursor, close: ")" | "}"): string {
  const open = close === ")" ? "(" : "{";
  const start = cursor.at;
  const ignored: Part[] = [];
  for (let depth = 1; cursor.at < cursor.text.length; ) {
    const character = cursor.text[cursor.at];
    if (character === open) depth++;
    if (character === close && --depth === 0) {
      cursor.at++;
      return cursor.text.slice(start, cursor.at - 1);
    }
    if (character === "\\" || character === "'" || character === '"' || character === "`")
      readPiece(cursor, ignored, false);
    else cursor.at++;
  }
  cursor.sound = false;
  return cursor.text.slice(start);
}

function readDollar(cursor: Cursor, parts: Part[], quoted: boolean): void {
  const next = cursor.text[cursor.at];
  if (next === "(") {
    cursor.at++;
    parts.push({ type: "substitution", opener: "$(", source: readBalanced(cursor, ")"), quoted });
  } else if (next === "{") {
    cursor.at++;
    parts.push(parameter(readBalanced(cursor, "}"), quoted));
  } else if (next === "'" && !quoted) {
    cursor.at++;
    addText(parts, decodeEscapes(readUntil(cursor, "'")), true);
  } else if (next === '"' && !quoted) {
    cursor.at++;
    readDoubleQuote(cursor, parts);
  } else {
    const name = take(cursor, /[A-Za-z_]\w*|\d|[@*#?$!-]/y);
    if (name === undefined) addText(parts, "$", quoted);
    else parts.push({ type: "variable", name, indirect: false, operation: "", quoted });
  }
}

const alwaysAbsolute = new Set(["HOME", "PATH", "PWD", "SHELL", "OLDPWD"]);

function parameter(content: string, quoted: boolean): Part {
  const [, mark = "", name = "", operation = ""] = /^([!#]?)(\w+|[@*#?$!-])(?:\[[^\]]*\])?(.*)$/s.exec(content) ?? [];
  // The first character of a path variable is a way to write "/" without writing it.
  if (operation === ":0:1" && alwaysAbsolute.has(name)) return { type: "text", text: "/", quoted };
  return { type: "variable", name, indirect: mark === "!", operation, quoted };
}
