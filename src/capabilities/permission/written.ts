import type { Command } from "./commands.ts";
import { printed } from "./expand.ts";
import { programName, readingOf, readsCode, shellLiterals, unwrapped } from "./program.ts";

/** What a command prints or is given, where its text says it. */
export const fed = (command: Command, words: readonly string[]): readonly string[] =>
  /^(echo|printf)$/.test(programName(words[0] ?? "")) ? [printed(words.slice(1)), ...command.bodies] : command.bodies;

interface Written {
  readonly targets: readonly string[];
  readonly texts: readonly string[];
}

/** Each is compared with all that follows. */
const mostFiles = 40;

/** The text of scripts that one command writes and a later one runs. */
export function scriptsWritten(commands: readonly Command[]): readonly string[] {
  const files: Written[] = [];
  const sources: string[] = [];
  for (const [index, command] of commands.entries()) {
    const words = unwrapped(command.words);
    for (const file of files) sources.push(...runBy(words, command, file));
    const file = files.length < mostFiles ? written(command, words, commands[index - 1]) : undefined;
    if (file !== undefined) files.push(file);
  }
  return sources;
}

function written(command: Command, words: readonly string[], before: Command | undefined): Written | undefined {
  const tees = words[0] === "tee" ? words.slice(1).filter((word) => !word.startsWith("-")) : [];
  const redirected = command.redirects.flatMap((text) => /^&?>[>|&]? (.+)$/s.exec(text)?.[1] ?? []);
  const targets = [...tees, ...redirected].map(shortName).filter((target) => !target.startsWith("/dev/"));
  if (targets.length === 0) return undefined;
  const piped = tees.length > 0 && before?.operator === "|" ? fed(before, unwrapped(before.words)) : [];
  const texts = [...fed(command, words), ...piped].filter((text) => text !== "");
  return texts.length === 0 ? undefined : { targets, texts };
}

function runBy([program = "", ...rest]: readonly string[], { redirects }: Command, file: Written): readonly string[] {
  if (file.targets.includes(shortName(program))) return file.texts;
  const read = redirects.flatMap((text) => /^< (.+)$/s.exec(text)?.[1] ?? []);
  if (![...rest, ...read].some((word) => file.targets.includes(shortName(word)))) return [];
  if (readingOf([program]) === "literals") return file.texts.flatMap(shellLiterals);
  return readsCode([program]) ? file.texts : [];
}

const shortName = (path: string): string => path.replace(/^(?:\.\/)+/, "");
