import { pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { askPerson } from "../hooks/ask-person.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";

/** `talaria plugins remove <plugin>`. Asked at a terminal; elsewhere the command itself is the consent. */
export async function remove(input: CommandInput, context: CommandContext): Promise<number> {
  const room = await pluginDesk();
  const desk = await room.openPluginDesk(context);
  const candidate = desk.find(input.arguments[0] ?? "");
  const ask = switchOption(input, "yes") ? undefined : askPerson(context.terminal);
  const folder = "folder" in candidate.code ? candidate.code.folder : candidate.key;
  if (ask !== undefined) {
    const answer = await ask(`Delete ${folder}?`, ["y", "N"]);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      context.terminal.write("nothing is deleted\n");
      return exitStatus.refused;
    }
  }
  const removed = await room.removePlugin(desk, candidate);
  if (switchOption(input, "json")) printJson(context, { key: candidate.key, removed });
  else context.terminal.write(`${candidate.key} is removed (${removed})\n`);
  return exitStatus.success;
}
