import { pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";
import { paint } from "../view/paint.ts";
import { withPlugins } from "./open-plugins.ts";
import { stateOf } from "./plugin-state.ts";

interface Finding {
  readonly state: "problem" | "note";
  readonly about: string;
  readonly detail: string;
}

/** `talaria plugins doctor`: status 1 where something is wrong. */
export async function doctor(input: CommandInput, context: CommandContext): Promise<number> {
  const { openPluginDesk, examinePlugins } = await pluginDesk();
  const desk = await openPluginDesk(context);
  const findings: Finding[] = [...(await examinePlugins(desk))];
  for (const report of await withPlugins(context, async (plugins) => plugins.list())) {
    for (const detail of report.warnings ?? []) findings.push({ state: "note", about: report.key, detail });
    if (stateOf(report) === "failed")
      findings.push({ state: "problem", about: report.key, detail: report.error ?? "" });
  }
  const wrong = findings.filter(({ state }) => state === "problem").length;
  if (switchOption(input, "json")) printJson(context, findings);
  else {
    const style = paint(context.terminal.colour);
    const lines = findings.map(({ state, about, detail }) => {
      const mark = state === "problem" ? style("red", "✗") : style("yellow", "⚠");
      return `${mark} ${about}: ${detail}\n`;
    });
    context.terminal.write(
      `${lines.join("")}${wrong === 0 ? "All plugins look healthy." : `${wrong} problem(s) found.`}\n`,
    );
  }
  return wrong === 0 ? exitStatus.success : exitStatus.error;
}
