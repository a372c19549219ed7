import { basename, dirname } from "node:path";
import { resolvePath } from "#host";
import { pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption, textOption } from "../options.ts";

/** `talaria plugins create <name>`: in the folder in which one is; a path says another. */
export async function create(input: CommandInput, context: CommandContext): Promise<number> {
  const { createPlugin } = await pluginDesk();
  const folder = resolvePath(input.arguments[0] ?? "", context.cwd);
  const language = textOption(input, "language") === "python" ? "python" : "typescript";
  const files = await createPlugin(folder, { name: basename(folder), language });
  if (switchOption(input, "json")) printJson(context, { folder, language, files });
  else {
    const shown = dirname(folder) === context.cwd ? `./${basename(folder)}` : folder;
    context.terminal.write(
      `${shown}: ${files.join(", ")}\n\n  talaria plugins test ${shown}\n  talaria plugins install ${shown} --enable\n`,
    );
  }
  return exitStatus.success;
}
