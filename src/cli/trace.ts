import { openSessions } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus, UsageError } from "./command.ts";
import { switchOption } from "./options.ts";

/** `talaria trace [session]`: the last turn as a timeline. */
export async function trace(input: CommandInput, { terminal, home, cwd }: CommandContext): Promise<number> {
  const library = await openSessions({ home, cwd, readOnly: true });
  try {
    const reference = input.arguments[0] ?? "last";
    const record = await library.store.resolve(reference);
    if (!record) throw new UsageError(`no session is called '${reference}': 'talaria sessions list' shows them`);
    if (switchOption(input, "json")) terminal.write(`${JSON.stringify(await library.spans(record.id), null, 2)}\n`);
    else terminal.write(`${(await library.drawTrace(record.id, terminal)).join("\n")}\n`);
    return exitStatus.success;
  } finally {
    await library.close();
  }
}
