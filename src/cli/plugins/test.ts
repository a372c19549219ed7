import { resolvePath } from "#host";
import { type PluginTrial, pluginDesk } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { line, printJson } from "../hooks/open-desk.ts";
import { switchOption } from "../options.ts";
import { registered } from "./plugin-state.ts";

/** `talaria plugins test [folder]`: status 1 where anything went wrong. */
export async function test(input: CommandInput, context: CommandContext): Promise<number> {
  const { tryPlugin } = await pluginDesk();
  const folder = resolvePath(input.arguments[0] ?? ".", context.cwd);
  const trial = await tryPlugin(folder, { cwd: context.cwd, all: switchOption(input, "all") });
  if (switchOption(input, "json")) printJson(context, trial);
  else context.terminal.write(shown(trial));
  return trial.ok ? exitStatus.success : exitStatus.error;
}

const mark = (ok: boolean): string => (ok ? "✓" : "✗");

function closing(ok: boolean, warnings: number): string {
  if (!ok) return "Something is wrong.";
  return warnings === 0 ? "All is well." : "It works, but look at what is marked with ⚠.";
}

function shown({ key, report, events, checks, calls, left, tests, ok }: PluginTrial): string {
  const { tools, hooks, middleware, commands, others, warnings = [] } = report;
  const names: readonly (readonly [string, readonly string[]])[] = [
    ["tools", tools],
    ["hooks", hooks],
    ["middleware", middleware],
    ["commands", commands],
    ["others", others],
  ];
  const loaded = report.loaded
    ? `${mark(true)} loads: ${registered(report) || "it registers nothing"}`
    : `${mark(false)} does not load: ${report.error}`;
  return [
    key,
    loaded,
    ...names.filter(([, own]) => own.length > 0).map(([name, own]) => `    ${name}: ${own.join(", ")}`),
    ...warnings.map((text) => `⚠ ${text}`),
    ...events.map(({ event, milliseconds, answer, error }) => {
      const said = error ?? (answer === null ? "no opinion" : line(JSON.stringify(answer), 200));
      return `${mark(error === undefined)} ${event}: ${said} (${Math.round(milliseconds)} ms)`;
    }),
    ...checks.map(
      ({ tool, available, error }) =>
        `${mark(error === undefined)} check of ${tool}: ${error ?? (available ? "available" : "not available here")}`,
    ),
    ...calls.map(
      ({ call, milliseconds, answer, error }) =>
        `${mark(error === undefined)} ${line(call, 120)}: ${line(error ?? answer, 200)} (${Math.round(milliseconds)} ms)`,
    ),
    ...(report.loaded
      ? [
          left.length === 0
            ? `${mark(true)} unloads without a rest`
            : `${mark(false)} leaves behind: ${left.join(", ")}`,
        ]
      : []),
    ...(tests?.runs ?? []).map(
      ({ file, ok: passed, output }) => `${mark(passed)} ${file}${passed ? "" : `\n${output.replace(/^/gm, "    ")}`}`,
    ),
    closing(ok, warnings.length),
    "",
  ].join("\n");
}
