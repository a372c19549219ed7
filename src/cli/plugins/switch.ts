import { type PluginDesk, pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";

type Room = Awaited<ReturnType<typeof pluginDesk>>;
type Candidate = PluginDesk["candidates"][number];

/** `talaria plugins enable <plugin>`. */
export const enable = (input: CommandInput, context: CommandContext): Promise<number> =>
  onPlugin(input, context, async (room, desk, candidate) => {
    const { key, changed, remark } = await room.enablePlugin(desk, candidate);
    const note = remark === undefined ? "" : ` (${remark})`;
    return { told: { key, changed, enabled: true }, text: `${key} is ${changed ? "" : "already "}enabled${note}` };
  });

/** `talaria plugins disable <plugin>`. */
export const disable = (input: CommandInput, context: CommandContext): Promise<number> =>
  onPlugin(input, context, async (room, desk, candidate) => {
    const { key, changed } = await room.disablePlugin(desk, candidate);
    return { told: { key, changed, enabled: false }, text: `${key} is ${changed ? "" : "already "}disabled` };
  });

/** `talaria plugins reload <plugin>`: for chats that run. */
export const reload = (input: CommandInput, context: CommandContext): Promise<number> =>
  onPlugin(input, context, async (room, desk, candidate) => {
    await room.reloadElsewhere(desk, candidate);
    return { told: { key: candidate.key }, text: `running chats load ${candidate.key} anew at their next turn` };
  });

async function onPlugin(
  input: CommandInput,
  context: CommandContext,
  act: (
    room: Room,
    desk: PluginDesk,
    candidate: Candidate,
  ) => Promise<{ readonly told: object; readonly text: string }>,
): Promise<number> {
  const room = await pluginDesk();
  const desk = await room.openPluginDesk(context);
  const { told, text } = await act(room, desk, desk.find(input.arguments[0] ?? ""));
  if (switchOption(input, "json")) printJson(context, told);
  else context.terminal.write(`${text}\n`);
  return exitStatus.success;
}
