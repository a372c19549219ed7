import { join } from "node:path";
import { fileFacts, findProgram, readStart, ticks } from "#host";

type Environment = Readonly<Record<string, string>>;

/** What a word may consist of: quotations of both kinds, a variable, characters that mean nothing to a shell. */
const part = /'([^']*)'|"([^"\\`]*)"|(\$\{?\w+\}?)|([\w./:@%+,=-]+)/y;
const plainValue = /^[\w./:@%+,=-]+$/;
const reference = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))?/g;
/** Variables that the shell itself does not change. */
const steady = /^(?:HOME$|CLAUDE_|TALARIA_|HERMES_)/;

const builtins = new Set(
  [
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable",
    "eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd",
    "read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias",
    "unset wait if then else elif fi case esac for select while until do done in function time coproc",
  ]
    .join(" ")
    .split(" "),
);

/** The text with its variables put in; undefined where one is not known, or a `$` is none. */
function filled(text: string, env: Environment): string | undefined {
  let isKnown = true;
  const result = text.replaceAll(reference, (_, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare ?? "";
    const value = steady.test(name) ? env[name] : undefined;
    if (value === undefined) isKnown = false;
    return value ?? "";
  });
  return isKnown ? result : undefined;
}

function partText(found: RegExpExecArray, env: Environment): string | undefined {
  const [, single, double, variable, plain] = found;
  if (double !== undefined) return filled(double, env);
  if (variable === undefined) return single ?? plain;
  // Without quotation marks its value would be split and its patterns looked up.
  const value = filled(variable, env);
  return value !== undefined && plainValue.test(value) ? value : undefined;
}

/** The word that begins at `start`; undefined where it holds anything that a shell would have to interpret. */
function wordAt(text: string, start: number, env: Environment): { word: string; end: number } | undefined {
  let word = "";
  part.lastIndex = start;
  let end = start;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    const piece = partText(found, env);
    if (piece === undefined) return undefined;
    word += piece;
    end = part.lastIndex;
  }
  return end === text.length || isBlank(text[end]) ? { word, end } : undefined;
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";

/**
 * The words of a command in which a shell would do nothing but remove quotation marks and put in variables; undefined for
 * every other.
 */
export function plainWords(command: string, env: Environment): readonly string[] | undefined {
  const text = command.trim();
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    const found = wordAt(text, at, env);
    if (found === undefined) return undefined;
    words.push(found.word);
    for (at = found.end; isBlank(text[at]); ) at += 1;
  }
  const [first = ""] = words;
  return first === "" || first.includes("=") || builtins.has(first) ? undefined : words;
}

/** How long a look at a program counts. */
const rememberedMs = 5_000;
const most = 200;
const looked = new Map<string, { readonly at: number; readonly runs: boolean }>();

/** Whether the system runs the file by itself: one without an interpreter's name would be run by the shell. */
async function runsByItself(path: string): Promise<boolean> {
  const known = looked.get(path);
  if (known !== undefined && ticks() - known.at < rememberedMs) return known.runs;
  const facts = await fileFacts(path).catch(() => undefined); // what cannot be looked at is left to the shell
  const start =
    facts !== undefined && (facts.mode & 0o111) > 0 ? await readStart(path, 4).catch(() => undefined) : undefined;
  const runs =
    start !== undefined && (start.toString("latin1", 0, 2) === "#!" || start.toString("latin1") === "\x7fELF");
  if (looked.size >= most) looked.clear();
  looked.set(path, { at: ticks(), runs });
  return runs;
}

const customs = ["BASH_ENV", "SHELLOPTS", "BASHOPTS"];

/**
 * The program that a shell would become for this command, with the variables that it would leave behind; undefined where
 * the shell does more than that. Starting it without the shell saves half the time of a small hook.
 */
export async function plainProgram(
  command: string,
  env: Environment,
  cwd: string,
): Promise<{ readonly file: string; readonly args: readonly string[]; readonly env: Environment } | undefined> {
  if (customs.some((name) => env[name] !== undefined)) return undefined;
  const words = plainWords(command, env);
  if (words === undefined) return undefined;
  const [first = "", ...args] = words;
  const file = first.includes("/") ? first : findProgram(first, env);
  if (file === undefined || !(await runsByItself(file.startsWith("/") ? file : join(cwd, file)))) return undefined;
  if (Object.keys(env).some((name) => name.startsWith("BASH_FUNC_"))) return undefined;
  return { file, args, env: { ...env, PWD: cwd, _: file } };
}
