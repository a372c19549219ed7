import type { ImportedSource } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { switchOption } from "../options.ts";
import { line, printJson, withDesk } from "./open-desk.ts";

/** `talaria hooks import [folder]`: what would be picked up from there. */
export function importable(input: CommandInput, context: CommandContext): Promise<number> {
  return withDesk(input, context, async (desk, room) => {
    const sources = await room.importable(desk, input.arguments[0]);
    if (switchOption(input, "json")) printJson(context, sources);
    else {
      const found = sources.length === 0 ? "nothing to pick up" : sources.map(shown).join("\n");
      context.terminal.write(`${found}\nSettings files and homes are read where they are: nothing has to be copied.\n`);
    }
    return exitStatus.success;
  });
}

function shown({ source, kind, rules, leftOut, problems }: ImportedSource): string {
  return [
    `${source} (${kind}): ${rules.length} hooks`,
    ...rules.map(({ event, matcher, deed }) => `  ✓ ${event}${matcher ? ` (${matcher})` : ""}: ${line(deed, 100)}`),
    ...leftOut.map(({ event, deed, reason }) => `  – ${event}: ${line(deed, 100)}: ${reason}`),
    ...problems.map(({ where, message }) => `  ! ${where}: ${message}`),
  ].join("\n");
}
