import { resolvePath } from "#host";
import { type Desk, hookDesk, type Occasion } from "#runtime";
import type { CommandContext, CommandInput } from "../command.ts";
import { folderOption, switchOption, textOption } from "../options.ts";

type HookDesk = Awaited<ReturnType<typeof hookDesk>>;
type Fields = Readonly<Record<string, unknown>>;

/** Opens the hooks of the folder for one command, and closes them behind it. */
export async function withDesk<T>(
  input: CommandInput,
  context: CommandContext,
  work: (desk: Desk, room: HookDesk) => Promise<T>,
): Promise<T> {
  const room = await hookDesk();
  const desk = await room.openDesk({
    home: context.home,
    cwd: folderOption(input, context),
    cwdIsNamed: textOption(input, "cwd") !== undefined,
    acceptHooks: switchOption(input, "acceptHooks"),
    projectHooks: input.options["projectHooks"] !== false,
    settings: textOption(input, "settings"),
    only: onlyFile(textOption(input, "config"), context.cwd),
  });
  try {
    return await work(desk, room);
  } finally {
    await desk.close();
  }
}

const onlyFile = (file: string | undefined, cwd: string): string | undefined =>
  file === undefined ? undefined : resolvePath(file, cwd);

/** The event that a word names; a word that names none is told the nearest. */
export function occasionOf(room: HookDesk, word: string): Occasion {
  const found = room.occasion(word);
  if (found !== undefined) return found;
  const near = room.eventWords().toSorted((one, other) => distance(one, word) - distance(other, word))[0];
  throw new Error(`there is no event '${word}'; did you mean ${near}? 'talaria hooks list --events' shows all`);
}

/** How many letters have to change, case aside. */
function distance(one: string, other: string): number {
  const [left, right] = [one.toLowerCase().replaceAll("_", ""), other.toLowerCase().replaceAll("_", "")];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...left].entries()) {
    const next = [i + 1];
    for (const [j, against] of [...right].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === against ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** `--for-tool` and the JSON object of `--payload-file`. */
export async function wantedOf(
  input: CommandInput,
  { cwd }: CommandContext,
): Promise<{ readonly tool: string | undefined; readonly given: Fields | undefined }> {
  const tool = textOption(input, "forTool");
  const file = textOption(input, "payloadFile");
  if (file === undefined) return { tool, given: undefined };
  const { readText } = await import("#host");
  const path = resolvePath(file, cwd);
  const text = await readText(path).catch((error: unknown) => {
    throw new Error(`--payload-file: ${error instanceof Error ? error.message : String(error)}`);
  });
  let given: unknown;
  try {
    given = JSON.parse(text.text);
  } catch (error) {
    throw new Error(`--payload-file: ${path} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error(`--payload-file: ${path} must hold a JSON object`);
  return { tool, given: given as Fields };
}

export const printJson = ({ terminal }: CommandContext, value: unknown): void =>
  terminal.write(`${JSON.stringify(value, null, 2)}\n`);

/** One line of at most so many characters. */
export function line(text: string, most = 400): string {
  const first = text.trim().replaceAll("\n", "\\n");
  return first.length <= most ? first : `${first.slice(0, most - 1)}…`;
}
