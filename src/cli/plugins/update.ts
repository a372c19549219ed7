import { type PluginDesk, pluginDesk, type Update } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";

type Row =
  | (Omit<Update, "review"> & { readonly warnings: readonly string[] })
  | { readonly key: string; readonly state: "failed"; readonly error: string };

/** `talaria plugins update [plugin]`: without a name all that were installed from git, npm, an archive or a folder. */
export async function update(input: CommandInput, context: CommandContext): Promise<number> {
  const room = await pluginDesk();
  const desk = await room.openPluginDesk(context);
  const [name] = input.arguments;
  const isJson = switchOption(input, "json");
  const wanted = name === undefined ? desk.candidates : [desk.find(name)];
  const rows: Row[] = [];
  for (const candidate of wanted) {
    const origin = await room.originOf(candidate, desk);
    if (name !== undefined || "from" in origin || "package" in origin) rows.push(await updated(candidate, room, desk));
  }
  context.terminal.writeError(rows.flatMap(warningsOf).join(""));
  if (isJson) printJson(context, name === undefined ? rows : rows[0]);
  else
    context.terminal.write(rows.length === 0 ? "No plugin was installed from somewhere.\n" : rows.map(shown).join(""));
  return rows.some(({ state }) => state === "failed") ? exitStatus.error : exitStatus.success;
}

const warningsOf = (row: Row): readonly string[] =>
  row.state === "failed" ? [] : row.warnings.map((warning) => `! ${row.key}: ${warning}\n`);

async function updated(
  candidate: PluginDesk["candidates"][number],
  room: Awaited<ReturnType<typeof pluginDesk>>,
  desk: PluginDesk,
): Promise<Row> {
  try {
    const { review, ...row } = await room.updatePlugin(desk, candidate);
    return { ...row, warnings: review.warnings };
  } catch (error) {
    return { key: candidate.key, state: "failed", error: error instanceof Error ? error.message : String(error) };
  }
}

function shown(row: Row): string {
  if (row.state === "failed") return `✗ ${row.key}: ${row.error}\n`;
  if (row.state === "same") return `${row.key} is up to date${row.to === "" ? "" : ` (${row.to})`}\n`;
  const versions = row.from === row.to ? row.to : `${row.from || "?"} → ${row.to || "?"}`;
  const kept = row.carried.map((path) => `  kept ${path}\n`).join("");
  return `${row.key} is updated${versions === "" ? "" : ` (${versions})`}\n${kept}`;
}
