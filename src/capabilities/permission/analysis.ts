import { type Command, commandsOf } from "./commands.ts";
import { canonical, outputOf, type Place, printed, type Scope, shortPath } from "./expand.ts";
import { removedByFind } from "./find.ts";
import { readShell } from "./lexer.ts";
import { normal } from "./normal.ts";
import { decoded } from "./output.ts";
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
import { fed, scriptsWritten } from "./written.ts";

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
  for (const source of scriptsWritten(commands)) visit(source, deeper(at), walk);
  let folder = walk.place.cwd;
  for (const [index, command] of commands.entries()) {
    const words = unwrapped(command.words);
    folder = moved(words, folder, walk.place);
    const inside = chosenFolder(command.words, folder, walk.place);
    if (programName(words[0] ?? "") === "rm") addResolved(words, inside, at, walk);
    const found = removedByFind(
      command.words.slice(
        Math.max(
          0,
          command.words.findIndex((word) => programName(word) === "find"),
        ),
      ),
    );
    if (found.length > 0) addResolved(["rm", "-r", ...found], inside, at, walk);

    for (const nested of nestedIn(command, words, pipedInto(commands, index))) {
      visit(nested.source, deeper(at, nested.elsewhere), walk);
    }
    addFed(command, commands[index - 1], at, walk);
  }
}

const deeper = (at: At, elsewhere = false): At => ({ depth: at.depth + 1, elsewhere: at.elsewhere || elsewhere });

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

/** `env -C / rm -rf .` */
function chosenFolder(words: readonly string[], folder: string, place: Place): string {
  for (const [index, word] of words.entries()) {
    const target =
      /^--chdir=(.*)$/.exec(word)?.[1] ?? (/^(?:-C|-D|--chdir)$/.test(word) ? words[index + 1] : undefined);
    if (target !== undefined && /^(?:env|sudo|git|make)$/.test(programName(words[0] ?? "")))
      return absolute(target, folder, place);
    if (programName(word) === "rm") break;
  }
  return folder;
}

interface Nested {
  readonly source: string;
  readonly elsewhere: boolean;
}

function nestedIn(command: Command, words: readonly string[], piping: readonly Command[]): readonly Nested[] {
  const remote = command.words.slice(0, 4).some((word) => remotes.test(programName(word))) && !isHere(command.words);
  const reading = readingOf(words);
  const away = remote || reading === "unknown" || reading === "queries";
  const sink = [command, ...piping].map((stage) => unwrapped(stage.words)).find(readsCode);
  const sinkAway = remote || (sink !== undefined && /^(?:ssh|mysql)$/.test(sink[0] ?? ""));
  const given =
    reading === "literals" ? command.bodies.flatMap(shellLiterals) : sink ? piped(command, words, piping) : [];
  return [
    ...command.sources.map((source) => ({ source, elsewhere: false })),
    ...settings(command.words).map((source) => ({ source, elsewhere: false })),
    ...outputs(command, words).map((source) => ({ source, elsewhere: false })),
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
  if (name === "ssh" && isHere(words))
    return [rest.slice(rest.findIndex((word) => localHost.test(word)) + 1).join(" ")];
  if (name === "alias") return rest.map((word) => word.slice(word.indexOf("=") + 1));
  const afterFlag = takesCommandFlag(name)
    ? rest.flatMap((word, index) =>
        /^-[a-z]*c$/i.test(rest[index - 1] ?? "") ? withArguments(word, rest.slice(index + 2)) : [],
      )
    : [];
  return /\s/.test(program) ? [program, ...afterFlag] : afterFlag;
}

/** `bash -c 'rm -rf "$1"' _ /`: what follows the name is what the text calls `$1`, `$2`, … */
const withArguments = (code: string, given: readonly string[]): readonly string[] =>
  given.length === 0 || !/\$[\d@*{]/.test(code)
    ? [code]
    : [code, `set -- ${given.map((word) => `'${word.replaceAll("'", "")}'`).join(" ")}\n${code}`];

const takesCommandFlag = (name: string): boolean =>
  shells.test(name) || /^(su|runuser|script|flock|npm|npx|pnpm|yarn)$/.test(name);

const localHost = /^(?:[\w.-]+@)?(?:localhost|127(?:\.\d+){3}|::1)$/;
const isHere = (words: readonly string[]): boolean =>
  words.some((word) => programName(word) === "ssh") && words.some((word) => localHost.test(word));

const runningVariable =
  /^(?:\w*(?:PAGER|EDITOR|COMMAND|BROWSER)|VISUAL|GIT_SSH|GIT_ASKPASS|SSH_ASKPASS|LESSOPEN|SHELL)=/;

/** Text that programs run because a variable or an option names it. */
function settings(words: readonly string[]): readonly string[] {
  const texts = words.filter(
    (word) => runningVariable.test(word) || /^(?:core|alias|sequence|diff|merge|filter)\.\S+=/.test(word),
  );
  const options = words.flatMap((word) => /^--[\w-]*(?:command|action)=(?:exec=)?(.+)$/s.exec(word)?.[1] ?? []);
  return [...texts.map((word) => word.slice(word.indexOf("=") + 1).replace(/^!/, "")), ...options];
}

/** The arguments that the program may run as text. */
function codeIn(outer: readonly string[], words: readonly string[], reading: Reading): readonly string[] {
  const [, ...inner] = words;
  if (reading === "data") return [];
  if (reading === "literals") return inner.flatMap(shellLiterals);
  const texts = new Set([...outer.slice(outer === words ? 1 : 0), ...inner]);
  return [...texts]
    .filter((word) => /[\s;|&$`(]|^alias\.\S+=!/.test(word))
    .map((text) => text.replace(/^(?:alias\.[\w-]+=|:)?!/, ""));
}

const mostStages = 16;

/** The commands that read, one from the other, what this one prints. */
function pipedInto(commands: readonly Command[], index: number): readonly Command[] {
  let end = index;
  while (end - index < mostStages && /^\|&?$/.test(commands[end]?.operator ?? "")) end++;
  return commands.slice(index + 1, end + 1);
}

/** What stages of a pipe that only write it in another form make of what the first one is given or prints. */
function piped(command: Command, words: readonly string[], stages: readonly Command[]): readonly string[] {
  const texts = fed(command, words);
  return texts.flatMap((text) => {
    const seen = [text];
    for (const stage of [words, ...stages.map((stage) => unwrapped(stage.words))]) {
      const next = decoded(seen.at(-1) ?? "", stage);
      if (next !== undefined) seen.push(next);
    }
    return [...new Set(seen)].map((text) =>
      isCrontab(stages) || isCrontab([command]) ? text.replace(crontabTime, "") : text,
    );
  });
}

const crontabTime = /^(?:@\w+|(?:[\d*,/-]+[ \t]+){4}[\d*,/\w-]+)[ \t]+/gm;
const isCrontab = (commands: readonly Command[]): boolean =>
  commands.some(({ words }) => unwrapped(words)[0] === "crontab");

/** What substitutions print where a shell reads it: `bash <(…)`, `eval "$(…)"`. */
function outputs(command: Command, words: readonly string[]): readonly string[] {
  if (!readsCode(words)) return [];
  const scope: Scope = { variables: new Map(), growth: 0, depth: 0, excessive: false };
  return command.sources.flatMap((source) => outputOf(source, scope) ?? []);
}

/** `echo / | xargs rm -rf`: what is printed becomes arguments. */
function addFed(command: Command, before: Command | undefined, at: At, walk: Walk): void {
  const words = unwrapped(command.words);
  if (programName(words[0] ?? "") !== "rm") return;
  const printing = before?.operator === "|" ? before : undefined;
  const shown = printing === undefined ? [] : unwrapped(printing.words);
  const found = removedByFind([...shown, "-delete"]);
  const texts = [
    ...command.bodies,
    ...(/^(echo|printf)$/.test(programName(shown[0] ?? "")) ? [printed(shown.slice(1))] : []),
  ];
  const targets = [...texts.join(" ").split(/[\s\0]+/), ...found].filter(Boolean);
  if (targets.length === 0) return;
  add(["rm", ...[...words.slice(1), ...targets].map((word) => canonical(word, walk.place))].join(" "), at, walk);
}
