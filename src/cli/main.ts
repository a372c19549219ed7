import { onUncaught, programArguments, setExitStatus, terminal, workingFolder } from "#host";
import { exitStatus, UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { parse } from "./parse.ts";
import { version } from "./version.ts";

const output = terminal();
onUncaught((error) =>
  output.writeError(`talaria: unexpected error: ${error instanceof Error ? error.stack : String(error)}\n`),
);
setExitStatus(await main());

/** Runs the command line; the status to exit with. */
async function main(): Promise<number> {
  const parsed = parse(programArguments(), commands, { version, output });
  if ("status" in parsed) return parsed.status;
  const { command, input, home } = parsed;
  try {
    const run = await command.load?.();
    return (
      (await run?.(input, { version, commands, terminal: output, cwd: workingFolder(), home })) ?? exitStatus.success
    );
  } catch (error) {
    output.writeError(`talaria: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? exitStatus.usage : exitStatus.error;
  } finally {
    await output.flush();
  }
}
