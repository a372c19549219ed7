import { type PluginDesk, type PluginReport, pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";
import { table, tableWidth } from "../table.ts";
import { withPlugins } from "./open-plugins.ts";
import { registered, stateOf } from "./plugin-state.ts";

type Listed = PluginReport & { readonly state: string; readonly origin: string };

/** `talaria plugins list`. */
export async function list(input: CommandInput, context: CommandContext): Promise<number> {
  const { openPluginDesk, originOf } = await pluginDesk();
  const desk = await openPluginDesk(context);
  const reports = await withPlugins(context, async (plugins) => plugins.list());
  const listed = await Promise.all(reports.map((report) => described(report, desk, originOf)));
  const withoutBundled = switchOption(input, "user") || input.options["bundled"] === false;
  const shown = listed.filter(
    ({ source, state }) =>
      !(withoutBundled && source === "bundled") &&
      !(switchOption(input, "enabled") && state !== "enabled" && state !== "on demand"),
  );
  const { terminal } = context;
  if (switchOption(input, "json")) printJson(context, shown);
  else if (switchOption(input, "plain")) terminal.write(shown.map(plainRow).join(""));
  else {
    const lines = table(shown.map(row), tableWidth(terminal));
    terminal.write(shown.length === 0 ? noneText : `${lines}\n`);
    for (const problem of desk.problems) terminal.writeError(`${problem}\n`);
  }
  return exitStatus.success;
}

const noneText = "No plugins. 'talaria plugins install' gets one, 'talaria plugins create' begins one.\n";

async function described(
  report: PluginReport,
  desk: PluginDesk,
  originOf: Awaited<ReturnType<typeof pluginDesk>>["originOf"],
): Promise<Listed> {
  const candidate = desk.candidates.find(({ key }) => key === report.key);
  const origin = candidate === undefined ? undefined : await originOf(candidate, desk);
  const label = origin?.kind === "git" || origin?.kind === "npm" ? origin.kind : report.source;
  return { ...report, state: stateOf(report), origin: label };
}

const plainRow = ({ state, origin, version, key }: Listed): string =>
  `${state.padEnd(12)} ${origin.padEnd(8)} ${version.padEnd(8)} ${key}\n`;

function row(listed: Listed): readonly string[] {
  const { key, state, origin, version, error } = listed;
  const failure = state === "failed" ? (error ?? "") : undefined;
  return [key, state, origin, version, failure ?? (registered(listed) || listed.description)];
}
