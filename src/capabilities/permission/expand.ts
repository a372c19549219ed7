import { brace, type Part, readShell, type Token } from "./lexer.ts";
import { decodeEscapes } from "./normal.ts";
import { decoded } from "./output.ts";
import { operated } from "./parameter.ts";

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
  const { name, operation } = part;
  const found = variable(name, scope);
  const known = part.indirect && found !== undefined ? variable(found, scope) : found;
  const [, operator, operand = ""] = /^:?([-=+])(.*)$/s.exec(operation) ?? [];
  if (operator !== undefined && (operator === "+" || known === undefined)) return expandText(operand, scope);
  if (known === undefined) return `$${name}`;
  return grown(operator === undefined ? operated(known, operation) : known, scope);
}

function variable(name: string, scope: Scope): string | undefined {
  if (name === "IFS") return " ";
  return (
    scope.variables.get(name === "*" ? "@" : name) ?? (Object.hasOwn(wellKnown, name) ? wellKnown[name] : undefined)
  );
}

/** The value, counted as text that a variable has put in. */
export function grown(value: string, scope: Scope): string {
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
  const { program, output } = ran(part.source, scope);
  if (part.opener !== "<(" && output !== undefined) return output;
  const name = program.split("/").at(-1) ?? "";
  return part.opener === "`" ? `\`${name}\`` : `${part.opener}${name})`;
}

/** What a pipe of simple commands would print, where its text alone says it. */
export const outputOf = (source: string, scope: Scope): string | undefined => ran(source, scope).output;

interface Ran {
  readonly program: string;
  readonly output: string | undefined;
}

function ran(source: string, scope: Scope): Ran {
  const { tokens } = readShell(source);
  const stages: Token[][] = [[]];
  let bodies: readonly Token[] = [];
  let plainly = true;
  for (const [index, token] of tokens.entries()) {
    if (token.type === "word") stages.at(-1)?.push(token);
    else if (token.type === "operator" && token.text === "|") stages.push([]);
    else if (token.type === "redirect" && token.operator === "<<<") bodies = tokens.slice(index + 1, index + 2);
    else {
      plainly = false;
      break;
    }
  }
  const [first = [], ...filters] = stages.map((stage) => wordsOf(stage, scope));
  const [program = ""] = first;
  if (!plainly) return { program, output: undefined };
  const here = wordsOf(bodies, scope).join(" ");
  const start = here === "" ? answered(first) : decoded(here, first.slice(0, first.length - 1));
  const output = filters.reduce(
    (text: string | undefined, words) => (text === undefined ? text : decoded(text, words)),
    start,
  );
  return { program, output };
}

/** The output of programs whose arguments say it. */
function answered([program = "", ...rest]: readonly string[]): string | undefined {
  const last = rest.at(-1) ?? "";
  if (/^(?:echo|printf)$/.test(program)) return printed(rest);
  if (/^(?:which|realpath|readlink)$/.test(program) || (program === "command" && rest[0] === "-v")) return last;
  return program === "dirname" ? last.replace(/\/+[^/]*\/*$/, "") || "/" : undefined;
}

/** The output of `echo` or `printf` with these arguments, near enough. */
export function printed(words: readonly string[]): string {
  const text = words.filter((word, index) => index > 0 || !/^(-[neE]+|--)$/.test(word));
  const [format = "", ...values] = text;
  const places = format.match(/%[sqb]/g)?.length ?? 0;
  if (places === 0) return decodeEscapes(text.join(" ")).replace(/\n+$/, "");
  let written = "";
  for (let next = 0; next === 0 || next < values.length; ) {
    written += format.replace(/%[sqb]/g, () => values[next++] ?? "");
  }
  return decodeEscapes(written).replace(/\n+$/, "");
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
  const [root, rest] = rooted(path, place);
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

/** `~`, `~ada` and `~root` are folders of persons. */
function rooted(path: string, place: Place): readonly [root: string, rest: string] {
  if (!path.startsWith("~")) return ["", path];
  const owner = /^~([^/]*)/.exec(path)?.[1] ?? "";
  if (owner === "root") return ["", `/root${path.slice("~root".length)}`];
  return ["~", path.slice(owner === place.home.split("/").at(-1) ? owner.length + 1 : 1)];
}
