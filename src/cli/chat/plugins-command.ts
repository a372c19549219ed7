import { type PluginReport, pluginDesk, type Runtime } from "#runtime";
import { registered, stateOf } from "../plugins/plugin-state.ts";
import { table } from "../table.ts";

interface Place {
  readonly runtime: Runtime;
  readonly columns: number;
  say(text: string): void;
}

const usage = "/plugins, /plugins enable NAME, /plugins disable NAME, /plugins reload NAME";

/** `/plugins [enable|disable|reload NAME]`: acts in this chat at once, and by config.yaml in all later ones. */
export async function plugins({ runtime, columns, say }: Place, argument: string): Promise<void> {
  const [verb = "list", name = "", ...rest] = argument.split(/\s+/).filter((word) => word !== "");
  const room = await runtime.plugins();
  if (verb === "list" && name === "") {
    const rows = room.list().map(row);
    return say(rows.length === 0 ? "no plugins; 'talaria plugins install' gets one" : table(rows, columns));
  }
  if (!["enable", "disable", "reload"].includes(verb) || name === "" || rest.length > 0) return say(usage);
  if (verb === "reload") return say(outcome("loaded anew", await room.reload(name)));
  const { openPluginDesk, enablePlugin, disablePlugin } = await pluginDesk();
  const desk = await openPluginDesk({ home: runtime.home, cwd: runtime.cwd });
  const candidate = desk.find(name);
  if (verb === "disable") {
    await disablePlugin(desk, candidate);
    const { key } = await room.disable(candidate.key);
    return say(`${key} is disabled`);
  }
  const { remark } = await enablePlugin(desk, candidate);
  if (remark !== undefined) return say(`${candidate.key} is enabled in config.yaml (${remark})`);
  say(outcome("enabled", await room.enable(candidate.key)));
}

const row = (report: PluginReport): readonly string[] => [
  report.key,
  stateOf(report),
  report.version,
  stateOf(report) === "failed" ? (report.error ?? "") : registered(report) || report.description,
];

function outcome(deed: string, report: PluginReport): string {
  if (!report.loaded && report.error !== undefined) return `${report.key} could not be loaded: ${report.error}`;
  const what = registered(report);
  return `${report.key} is ${deed}${what === "" ? "" : `: ${what}`}`;
}
