import { onUncaught, programArguments, setExitStatus, setVariable, terminal, workingFolder } from "#host";
import { type Command, exitStatus, UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { firstWord, parse, takeSafeMode } from "./parse.ts";
import type { PluginCommands } from "./plugin-commands.ts";
import { version } from "./version.ts";

const output = terminal();
onUncaught((error) =>
  output.writeError(`talaria: unexpected error: ${error instanceof Error ? error.stack : String(error)}\n`),
);
setExitStatus(await main());

/** Runs the command line; the status to exit with. */
async function main(): Promise<number> {
  const { words, isSafe } = takeSafeMode(programArguments());
  if (isSafe) setVariable("SAFE_MODE", "1");
  const plugged = await addedCommands(words);
  try {
    return await perform(words, [...commands, ...(plugged?.commands ?? [])]);
  } finally {
    await plugged?.close();
    await output.flush();
  }
}

/** Commands of plugins: looked at for the help, for completion, and for a word that is no command of the program. */
async function addedCommands(words: readonly string[]): Promise<PluginCommands | undefined> {
  const { word, home } = firstWord(words);
  if (word === undefined) return undefined;
  const taken = [...commands.map(({ name }) => name), "help"];
  const isKnown = taken.includes(word) || word.startsWith("-");
  if (isKnown && !["-h", "--help", "help", "completion"].includes(word)) return undefined;
  const { pluginCommands } = await import("./plugin-commands.ts");
  return pluginCommands({ home, cwd: workingFolder(), version, terminal: output }, taken);
}

async function perform(words: readonly string[], table: readonly Command[]): Promise<number> {
  const parsed = parse(words, table, { version, output });
  if ("status" in parsed) return parsed.status;
  const { command, input, home } = parsed;
  try {
    const run = await command.load?.();
    const context = { version, commands: table, terminal: output, cwd: workingFolder(), home };
    return (await run?.(input, context)) ?? exitStatus.success;
  } catch (error) {
    output.writeError(`talaria: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? exitStatus.usage : exitStatus.error;
  }
}
