import { brace, type Part, readShell, type Token } from "./lexer.ts";
import { decodeEscapes } from "./normal.ts";

/** Where a command would run, as far as its text does not say it itself. Absolute paths. */
export interface Place {
  readonly home: string;
  /** Talaria's own directory; written as `~/.talaria` in what patterns see. */
  readonly agentHome: string;
  readonly cwd: string;
}

/** What is known while one command is read. */
export interface Scope {
  /** What the text itself has assigned so far. */
  readonly variables: Map<string, string>;
  /** Characters that variables have put in. */
  growth: number;
  /** Expansions inside expansions. */
  depth: number;
  /** The text grows beyond measure when expanded: nothing certain can be said about it. */
  excessive: boolean;
}

const mostGrowth = 1_000_000;
const deepestExpansion = 12;
const mostBraces = 12;

/**
 * The words that a shell would make of one word: quotes gone, variables that the same text assigns put in,
 * braces expanded. What only the running shell can know stays as it is written.
 */
export function expand(parts: readonly Part[], scope: Scope): readonly string[] {
  const words: string[] = [];
  let open = false;
  for (const [index, part] of parts.entries()) {
    const value = index === 0 ? atStart(part, scope) : textOf(part, scope);
    const [head = "", ...others] = splits(part) ? value.split(/[ \t\n]+/) : [value];
    if (head !== "" || !splits(part)) {
      words.push((open ? words.pop() : "") + head);
      open = true;
    }
    words.push(...others.filter((piece) => piece !== ""));
    if (others.length > 0) open = others.at(-1) !== "";
  }
  return words.flatMap((word) => expandBraces(word, scope));
}

const splits = (part: Part): boolean => part.type !== "text" && (!part.quoted || isAll(part));

const isAll = (part: Part): boolean => part.type === "variable" && part.name === "@";

/** A quoted tilde is a file of that name and no home. */
function atStart(part: Part, scope: Scope): string {
  const value = textOf(part, scope);
  return part.type === "text" && part.quoted && value.startsWith("~") ? `./${value}` : value;
}

function textOf(part: Part, scope: Scope): string {
  if (part.type === "text") return part.text;
  if (part.type === "substitution") return substituted(part, scope);
  const { name, instead } = part;
  const known = name === "IFS" ? " " : (scope.variables.get(name) ?? wellKnown[name]);
  if (known !== undefined) return grown(known, scope);
  return instead === undefined ? `$${name}` : expandText(instead, scope);
}

function grown(value: string, scope: Scope): string {
  scope.growth += value.length;
  if (scope.growth > mostGrowth) scope.excessive = true;
  return scope.excessive ? "" : value;
}

const wellKnown: Readonly<Record<string, string>> = {
  HOME: "~",
  PWD: ".",
  HERMES_HOME: "~/.hermes",
  TALARIA_HOME: "~/.talaria",
};

const expandText = (text: string, scope: Scope): string => wordsOf(readShell(text).tokens, scope).join(" ");

function wordsOf(tokens: readonly Token[], scope: Scope): readonly string[] {
  if (scope.depth >= deepestExpansion) scope.excessive = true;
  if (scope.depth >= deepestExpansion) return [];
  scope.depth++;
  const words = tokens.flatMap((token) => (token.type === "word" ? expand(token.parts, scope) : []));
  scope.depth--;
  return words;
}

/** What `$(echo …)` would print; of other programs only the name is known. */
function substituted(part: Extract<Part, { type: "substitution" }>, scope: Scope): string {
  const { tokens } = readShell(part.source);
  const words = wordsOf(tokens, scope);
  const [program = "", ...rest] = words;
  if (part.opener !== "<(" && tokens.every((token) => token.type === "word") && /^(echo|printf)$/.test(program))
    return printed(rest);
  const name = program.split("/").at(-1) ?? "";
  return part.opener === "`" ? `\`${name}\`` : `${part.opener}${name})`;
}

/** The output of `echo` or `printf` with these arguments, near enough. */
export function printed(words: readonly string[]): string {
  const text = words.filter((word, index) => index > 0 || !/^(-[neE]+|--)$/.test(word));
  const format = text[0] ?? "";
  if (!/%[sqb]/.test(format)) return decodeEscapes(text.join(" ")).replace(/\n+$/, "");
  let next = 1;
  return decodeEscapes(format.replace(/%[sqb]/g, () => text[next++] ?? "")).replace(/\n+$/, "");
}

const innermost = new RegExp(`^(.*?)${brace.open}([^${brace.open}${brace.close}]*)${brace.close}(.*)$`, "s");

function expandBraces(word: string, scope: Scope): readonly string[] {
  if (!word.includes(brace.open)) return [plain(word)];
  if (word.split(brace.open).length > mostBraces) {
    scope.excessive = true;
    return [plain(word)];
  }
  const words: string[] = [];
  const open = [word];
  while (open.length > 0 && words.length < 200) {
    const next = open.shift() as string;
    const [, before = "", inside = "", after = ""] = innermost.exec(next) ?? [];
    const choices = inside.split(brace.comma);
    if (choices.length > 1 && open.length < 200) open.unshift(...choices.map((choice) => before + choice + after));
    else if (before + after !== "" || inside !== "") open.unshift(`${before}{${plain(inside)}}${after}`);
    else words.push(plain(next));
  }
  return words;
}

const plain = (word: string): string =>
  word.replaceAll(brace.open, "{").replaceAll(brace.comma, ",").replaceAll(brace.close, "}");

/** The word as patterns see it: paths without detours, homes by their short names, no blanks inside. */
export function canonical(word: string, place: Place): string {
  const text = word
    .replace(
      /(^|[=:])(\/[^\s:]*|~(?:\/[^\s:]*)?)/g,
      (_, before: string, path: string) => before + shortPath(path, place),
    )
    .replace(/\s/g, "␠");
  return /^(?:\d*[<>&|;(){}!]+)$/.test(text) ? `·${text}` : text;
}

export function shortPath(path: string, place: Place): string {
  const [root, rest] = path.startsWith("~") ? ["~", path.slice(1)] : ["", path];
  const kept: string[] = [];
  let above = false;
  for (const step of rest.split("/")) {
    if (step === "..") above = kept.pop() === undefined || above;
    else if (step !== "" && step !== ".") kept.push(step);
  }
  if (root === "~" && above) return shortPath(`${place.home}/../${kept.join("/")}`, place);
  const whole = kept.length === 0 ? root || "/" : `${root}/${kept.join("/")}`;
  return fold(fold(whole, place.agentHome, "~/.talaria"), place.home, "~");
}

function fold(path: string, from: string, to: string): string {
  const folder = from.replace(/\/+$/, "");
  if (folder === "") return path;
  return path === folder || path.startsWith(`${folder}/`) ? to + path.slice(folder.length) : path;
}
