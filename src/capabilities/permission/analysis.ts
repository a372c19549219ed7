import { type Command, commandsOf } from "./commands.ts";
import { canonical, type Place, printed, type Scope, shortPath } from "./expand.ts";
import { readShell } from "./lexer.ts";
import { normal } from "./normal.ts";
import {
  programName,
  type Reading,
  readingOf,
  readsCode,
  remotes,
  shellLiterals,
  shells,
  unwrapped,
} from "./program.ts";

/**
 * Text in the form that patterns are written for: one simple command per line, its words without quotes and with paths
 * in their shortest form, then its redirections, then the operator that ends it. See docs/reference/permission.md.
 */
export interface Script {
  readonly text: string;
  /** It would run on another machine, or perhaps not at all: what stops *this* machine does not count in it. */
  readonly elsewhere: boolean;
}

interface Walk {
  readonly place: Place;
  readonly scripts: Map<string, boolean>;
  readonly scope: Scope;
  budget: number;
}

export interface Analysis {
  readonly scripts: readonly Script[];
  /** It is longer or grows longer than can be looked through: nothing certain can be said about it. */
  readonly excessive: boolean;
}

const deepest = 8;
/** The longest argument that Linux passes to a program. */
const longestCommand = 131_072;

/** Everything that the command would run as far as its text shows, nested shells and substitutions included. */
export function analysis(command: string, place: Place): Analysis {
  if (command.length > longestCommand) return { scripts: [], excessive: true };
  const scope: Scope = { variables: new Map(), growth: 0, depth: 0, excessive: false };
  const walk: Walk = { place, scripts: new Map(), scope, budget: 400 };
  visit(normal(command), { depth: 0, elsewhere: false }, walk);
  const scripts = [...walk.scripts].map(([text, elsewhere]) => ({ text, elsewhere }));
  const length = scripts.reduce((sum, { text }) => sum + text.length, 0);
  return { scripts, excessive: scope.excessive || length > 16 * longestCommand };
}

interface At {
  readonly depth: number;
  readonly elsewhere: boolean;
}

function visit(source: string, at: At, walk: Walk): void {
  if (at.depth > deepest || walk.budget-- <= 0) {
    addRaw(source, at, walk);
    return;
  }
  const reading = readShell(source);
  if (!reading.sound) addRaw(source, at, walk);
  const commands = commandsOf(reading.tokens, walk.scope);
  add(commands.map((command) => line(command, command.words, walk.place)).join("\n"), at, walk);
  add(commands.map((command) => line(command, unwrapped(command.words), walk.place)).join("\n"), at, walk);
  let folder = walk.place.cwd;
  for (const [index, command] of commands.entries()) {
    const words = unwrapped(command.words);
    folder = moved(words, folder, walk.place);
    if (programName(words[0] ?? "") === "rm") addResolved(words, folder, at, walk);
    for (const nested of nestedIn(command, words, pipedInto(commands, index))) {
      visit(nested.source, { depth: at.depth + 1, elsewhere: at.elsewhere || nested.elsewhere }, walk);
    }
    addFed(words, commands[index - 1], at, walk);
  }
}

/** A text counts as elsewhere only while nothing says that it runs here. */
function add(text: string, at: At, walk: Walk): void {
  if (text.trim() !== "") walk.scripts.set(text, at.elsewhere && (walk.scripts.get(text) ?? true));
}

/** Text that cannot be read as shell, or not any more: its plain lines, each piece between separators one line. */
function addRaw(source: string, at: At, walk: Walk): void {
  const lines = source.slice(0, 100_000).split(/\n|;|&&|\|\||[()`"']/);
  add(
    lines
      .map((text) => text.trim().replace(/[ \t]+/g, " "))
      .filter(Boolean)
      .join("\n"),
    at,
    walk,
  );
}

function line(command: Command, words: readonly string[], place: Place): string {
  const [program, ...rest] = words;
  const shown =
    program === undefined
      ? []
      : [programName(program).replace(/\s/g, "␠"), ...rest.map((word) => canonical(word, place))];
  const redirects = command.redirects.map((text) =>
    text.replace(/ (.*)$/s, (_, target: string) => ` ${canonical(target, place)}`),
  );
  return [...shown, ...redirects, command.operator].filter((text) => text !== "").join(" ");
}

/** Follows `cd`, so that `cd / && rm -rf *` is what it is. */
function moved(words: readonly string[], folder: string, place: Place): string {
  if (words[0] !== "cd" && words[0] !== "pushd") return folder;
  const target = words.find((word, index) => index > 0 && (word === "-" || !word.startsWith("-"))) ?? "~";
  return absolute(target, folder, place);
}

const absolute = (path: string, folder: string, place: Place): string =>
  shortPath(path.startsWith("/") || path.startsWith("~") ? path : `${folder}/${path}`, place);

function addResolved(words: readonly string[], folder: string, at: At, walk: Walk): void {
  if (!words.some((word) => /^-[a-zA-Z]*[rR]|^--r/.test(word))) return;
  const targets = words.slice(1).map((word) => (word.startsWith("-") ? word : absolute(word, folder, walk.place)));
  add(`rm-resolved ${targets.map((word) => word.replace(/\s/g, "␠")).join(" ")}`, at, walk);
}

interface Nested {
  readonly source: string;
  readonly elsewhere: boolean;
}

function nestedIn(command: Command, words: readonly string[], piped: readonly Command[]): readonly Nested[] {
  const remote = command.words.slice(0, 4).some((word) => remotes.test(programName(word)));
  const reading = readingOf(words);
  const away = remote || reading === "unknown" || reading === "queries";
  const sink = [command, ...piped].map((stage) => unwrapped(stage.words)).find(readsCode);
  const sinkAway = remote || (sink !== undefined && /^(?:ssh|mysql)$/.test(sink[0] ?? ""));
  const given = reading === "literals" ? command.bodies.flatMap(shellLiterals) : sink ? fed(command, words) : [];
  return [
    ...command.sources.map((source) => ({ source, elsewhere: false })),
    ...named(words).map((source) => ({ source, elsewhere: remote })),
    ...codeIn(command.words, words, reading).map((source) => ({ source, elsewhere: away })),
    ...given.map((source) => ({
      source,
      elsewhere: sinkAway || (sink !== undefined && readingOf(sink) === "queries"),
    })),
  ];
}

/** `watch 'rm x'`, `eval rm x`, `bash -c rm`: text that runs although nothing in it says so. */
function named(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  const name = programName(program);
  if (name === "eval") return [rest.join(" ")];
  if (name === "alias") return rest.map((word) => word.slice(word.indexOf("=") + 1));
  const afterFlag = takesCommandFlag(name) ? rest.filter((_, index) => /^-[a-z]*c$/i.test(rest[index - 1] ?? "")) : [];
  return /\s/.test(program) ? [program, ...afterFlag] : afterFlag;
}

const takesCommandFlag = (name: string): boolean => shells.test(name) || /^(su|runuser|script|flock)$/.test(name);

/** The arguments that the program may run as text. */
function codeIn(outer: readonly string[], words: readonly string[], reading: Reading): readonly string[] {
  const [, ...inner] = words;
  if (reading === "data") return [];
  if (reading === "literals") return inner.flatMap(shellLiterals);
  const texts = new Set([...outer.slice(outer === words ? 1 : 0), ...inner]);
  return [...texts].filter((word) => /[\s;|&$`(]/.test(word)).map((text) => text.replace(/^(?:alias\.[\w-]+=)?!/, ""));
}

const mostStages = 16;

/** The commands that read, one from the other, what this one prints. */
function pipedInto(commands: readonly Command[], index: number): readonly Command[] {
  let end = index;
  while (end - index < mostStages && /^\|&?$/.test(commands[end]?.operator ?? "")) end++;
  return commands.slice(index + 1, end + 1);
}

const fed = (command: Command, words: readonly string[]): readonly string[] =>
  /^(echo|printf)$/.test(programName(words[0] ?? "")) ? [printed(words.slice(1)), ...command.bodies] : command.bodies;

/** `echo / | xargs rm -rf`: what is printed becomes arguments. */
function addFed(words: readonly string[], before: Command | undefined, at: At, walk: Walk): void {
  if (before?.operator !== "|" || programName(words[0] ?? "") !== "rm") return;
  const printing = unwrapped(before.words);
  if (!/^(echo|printf)$/.test(programName(printing[0] ?? ""))) return;
  const targets = printed(printing.slice(1)).split(/\s+/);
  add(["rm", ...[...words.slice(1), ...targets].map((word) => canonical(word, walk.place))].join(" "), at, walk);
}
