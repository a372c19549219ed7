import { resolve } from "node:path";
import { type Environment, userHome } from "#host";
import type { CommandRule, WorkerRule } from "../rule.ts";
import { shlex } from "../shlex.ts";

export type ProgramRule = CommandRule | WorkerRule;

const scriptEnding = /\.(?:sh|bash|zsh|fish|py|pyw|rb|pl|lua|js|mjs|cjs|ts)$/i;

/** The word of a command line that names its script, as Hermes finds it: by ending, else by a slash or `~`, else the first. */
export function scriptWord(command: string): string {
  const split = shlex(command);
  if ("problem" in split) return command;
  const { words } = split;
  return (
    words.find((word) => scriptEnding.test(word)) ??
    words.find((word) => word.includes("/") || word.startsWith("~")) ??
    words[0] ??
    command
  );
}

export function withHome(path: string, environment: Environment): string {
  return path === "~" || path.startsWith("~/") ? `${userHome(environment)}${path.slice(1)}` : path;
}

/** Where a command's words are looked up. */
export interface ScriptPlace {
  readonly project: string;
  readonly environment: Environment;
}

const variable =
  /\$(?:\{(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|HOME)(?::-[^}]*)?\}|(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|HOME)\b)/g;

/** The words of a rule's command that may be files, absolute; the first is the program, as it is written. */
export function commandWords(
  rule: ProgramRule,
  place: ScriptPlace,
): { readonly program: string; readonly paths: readonly string[] } {
  const { source, command, args } = rule;
  const known: Readonly<Record<string, string | undefined>> = {
    CLAUDE_PROJECT_DIR: place.project,
    CLAUDE_PLUGIN_ROOT: source.root,
    CLAUDE_PLUGIN_DATA: source.dataFolder,
    HOME: userHome(place.environment),
  };
  const filled = (text: string): string =>
    text.replaceAll(variable, (whole, braced?: string, bare?: string) => known[braced ?? bare ?? ""] ?? whole);
  const written = args === undefined ? wordsOf(command) : [command, ...args];
  const words = written.map((word) => withHome(source.dialect === "claude" ? filled(word) : word, place.environment));
  return {
    program: words[0] ?? command,
    paths: words.filter((word) => mayBeFile(word)).map((word) => resolve(place.project, word)),
  };
}

const mayBeFile = (word: string): boolean =>
  word !== "" && !word.includes("\0") && word.length < 4096 && (word.includes("/") || scriptEnding.test(word));

/** Where a shell writes to: a sign with its file, or the sign alone before it. */
const writesTo = /^(?:\d*|&)>(?!\()(?:>|\||&)?(.*)$/s;

/** What a command writes is no part of what it runs: `check.sh >> log` names `check.sh`. */
function withoutOutput(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => {
    const before = words[index - 1];
    const isTarget = before !== undefined && writesTo.exec(before)?.[1] === "";
    return !isTarget && !writesTo.test(word);
  });
}

/** Signs of the shell part words, too: `cd x && ./y.sh;` names `./y.sh`. */
function wordsOf(command: string): readonly string[] {
  const split = shlex(command);
  const words = "problem" in split ? command.split(/\s+/) : split.words;
  return withoutOutput(words)
    .flatMap((word) => (/^[;&|()]+$/.test(word) ? [] : [word.replace(/^[(]+|[;&|)]+$/g, "")]))
    .filter((word) => word !== "");
}
