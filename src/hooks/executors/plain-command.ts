import { join } from "node:path";
import { fileFacts, findProgram, readStart, ticks } from "#host";

type Environment = Readonly<Record<string, string>>;

const plain = /[\w./:@%+,=-]/;
const plainValue = /^[\w./:@%+,=-]+$/;
const reference = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/;
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

/** A variable at the start of `text`: its value, which may be split nowhere where it stands without quotation marks. */
function referred(text: string, env: Environment, quoted: boolean): { value: string; length: number } | undefined {
  const found = reference.exec(text);
  const name = found?.[1] ?? found?.[2] ?? "";
  const value = env[name];
  if (found === null || value === undefined || !steady.test(name)) return undefined;
  return quoted || plainValue.test(value) ? { value, length: found[0].length } : undefined;
}

interface Scan {
  readonly word: string;
  readonly end: number;
}

/** The word that begins at `start`; undefined where it holds anything that a shell would have to interpret. */
function scannedWord(text: string, start: number, env: Environment): Scan | undefined {
  let word = "";
  let quoted = false;
  let at = start;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === "'" && !quoted) {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return undefined;
      word += text.slice(at + 1, end);
      at = end + 1;
    } else if (character === '"') {
      quoted = !quoted;
      at += 1;
    } else if (character === "$") {
      const found = referred(text.slice(at), env, quoted);
      if (found === undefined) return undefined;
      word += found.value;
      at += found.length;
    } else if (!quoted && (character === " " || character === "\t")) break;
    else if (quoted ? character === "\\" || character === "`" : !plain.test(character)) return undefined;
    else {
      word += character;
      at += 1;
    }
  }
  return quoted ? undefined : { word, end: at };
}

/**
 * The words of a command in which a shell would do nothing but remove quotation marks and put in variables; undefined for
 * every other.
 */
export function plainWords(command: string, env: Environment): readonly string[] | undefined {
  const text = command.trim();
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === " " || text[at] === "\t") {
      at += 1;
      continue;
    }
    const scan = scannedWord(text, at, env);
    if (scan === undefined) return undefined;
    words.push(scan.word);
    at = scan.end;
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
