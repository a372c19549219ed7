import { type Offer, type Origin, type PluginDesk, type PluginReport, pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";
import { withPlugins } from "./open-plugins.ts";
import { stateOf } from "./plugin-state.ts";

/** `talaria plugins info <plugin>`: status 1 where it should run and could not be loaded. */
export async function info(input: CommandInput, context: CommandContext): Promise<number> {
  const { openPluginDesk, originOf, reviewOf } = await pluginDesk();
  const desk = await openPluginDesk(context);
  const candidate = desk.find(input.arguments[0] ?? "");
  const origin = await originOf(candidate, desk);
  const review = await reviewOf(candidate);
  const report = await withPlugins(context, async (plugins) => plugins.find(candidate.key));
  if (report === undefined)
    throw new Error(`plugins are not loaded now (safe mode), so ${candidate.key} cannot be examined`);
  const state = stateOf(report);
  const missing = candidate.manifest.requiresEnv.filter(({ name }) => (desk.house.environment[name] ?? "") === "");
  if (switchOption(input, "json"))
    printJson(context, {
      ...report,
      state,
      origin,
      author: candidate.manifest.author,
      needs: review?.needs ?? null,
      missing,
      warnings: [...(review?.warnings ?? []), ...(report.warnings ?? [])],
    });
  else context.terminal.write(shown({ candidate, report, origin, review, missing: missing.map(withAddress) }));
  return state === "failed" ? exitStatus.error : exitStatus.success;
}

const withAddress = ({ name, url }: { readonly name: string; readonly url?: string }): string =>
  url === undefined ? name : `${name} (${url})`;

interface Facts {
  readonly candidate: PluginDesk["candidates"][number];
  readonly report: PluginReport;
  readonly origin: Origin;
  readonly review: Offer["review"] | undefined;
  readonly missing: readonly string[];
}

function shown({ candidate, report, origin, review, missing }: Facts): string {
  const { manifest, key } = candidate;
  const needs = review?.needs;
  const rows: readonly (readonly [string, string])[] = [
    ["state", shownState(report)],
    ["version", manifest.version],
    ["author", manifest.author],
    ["kind", `${manifest.kind}, in ${report.language}`],
    ["from", shownOrigin(origin)],
    ["folder", report.folder],
    ["tools", report.tools.join(", ")],
    ["hooks", report.hooks.join(", ")],
    ["middleware", report.middleware.join(", ")],
    ["commands", report.commands.map((name) => `/${name}`).join(", ")],
    ["others", report.others.join(", ")],
    [
      "needs",
      [manifest.requiresEnv.map(({ name }) => name), needs?.npm, needs?.pip, needs?.external]
        .flatMap((one) => one ?? [])
        .join(", "),
    ],
    ["not set", missing.join(", ")],
    ["careful", [...(review?.warnings ?? []), ...(report.warnings ?? [])].join("; ")],
  ];
  const lines = rows.filter(([, text]) => text !== "").map(([name, text]) => `  ${name.padEnd(11)}${text}\n`);
  return `${key}${manifest.description === "" ? "" : `: ${manifest.description}`}\n${lines.join("")}`;
}

function shownState(report: PluginReport): string {
  const state = stateOf(report);
  if (state === "failed") return `failed: ${report.error}`;
  return report.error === undefined || state === "enabled" ? state : `${state} (${report.error})`;
}

function shownOrigin(origin: Origin): string {
  if ("from" in origin) return `${origin.kind} ${origin.from}`;
  return "package" in origin ? `npm ${origin.package}` : origin.kind;
}
