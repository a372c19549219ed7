import { launchCommand, resolvePath } from "#host";
import type { Runtime, RuntimeOptions } from "#runtime";
import { slashCommands } from "./chat/slash.ts";
import { type CommandContext, type CommandInput, UsageError } from "./command.ts";
import { askPerson } from "./hooks/ask-person.ts";

/** The text of an option; undefined where it was not given. */
export function textOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === "string" ? value : undefined;
}

export function switchOption(input: CommandInput, name: string): boolean {
  return input.options[name] === true;
}

/** A whole number of at least `least`; anything else is the person's mistake. */
export function numberOption(input: CommandInput, name: string, least = 1): number | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new UsageError(
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} takes a whole number of at least ${least}, not '${text}'`,
  );
}

/** Words between commas; an option that names nothing is the person's mistake. */
function listOption(input: CommandInput, name: string): readonly string[] | undefined {
  const text = textOption(input, name);
  const words = text
    ?.split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  if (words?.length === 0) throw new UsageError(`--${name} takes names between commas, not '${text}'`);
  return words;
}

/** What every command tells the runtime. */
export function runtimeOptions(input: CommandInput, context: CommandContext): RuntimeOptions {
  const { home, version, terminal } = context;
  const hooks = {
    acceptHooks: switchOption(input, "acceptHooks"),
    projectHooks: input.options["projectHooks"] !== false,
    settings: textOption(input, "settings"),
    askPerson: askPerson(terminal),
  };
  const cwd = folderOption(input, context);
  const cwdIsNamed = textOption(input, "cwd") !== undefined;
  const yolo = switchOption(input, "yolo");
  const toolsets = listOption(input, "toolsets");
  const given = { home, version, cwd, cwdIsNamed, yolo, toolsets, hooks };
  return { ...given, program: launchCommand(), slashCommands };
}

/** A turn is stored step by step, or not begun. */
export function needWritableHome({ home, isWritable }: Runtime): void {
  if (isWritable) return;
  throw new Error(
    `the home ${home} cannot be written, so no turn could be stored; set TALARIA_HOME to a folder of your own`,
  );
}

/** `--cwd`, else the folder that the program was started in. */
export function folderOption(input: CommandInput, context: CommandContext): string {
  const folder = textOption(input, "cwd");
  return folder === undefined ? context.cwd : resolvePath(folder, context.cwd);
}
