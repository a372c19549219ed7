import { localTime } from "#host";
import type { ListedEvent, ListedRule } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "../command.ts";
import { switchOption } from "../options.ts";
import { type Paint, paint } from "../view/paint.ts";
import { line, printJson, withDesk } from "./open-desk.ts";

/** `talaria hooks list`. */
export function list(input: CommandInput, context: CommandContext): Promise<number> {
  return withDesk(input, context, async (desk, room) => {
    const json = switchOption(input, "json");
    if (switchOption(input, "events")) {
      const events = room.listEvents();
      if (json) printJson(context, events);
      else context.terminal.write(`${events.map(shownEvent).join("\n")}\n`);
      return exitStatus.success;
    }
    const rules = await room.listRules(desk);
    if (json) printJson(context, rules);
    else context.terminal.write(`${shownRules(rules, desk.house.home.path, paint(context.terminal.colour))}\n`);
    return exitStatus.success;
  });
}

function shownEvent({ event, claude, shell, about, notApplicable, fires }: ListedEvent): string {
  const names = [...new Set([event, ...claude, ...shell])].join(" = ");
  const only = fires === null ? "" : `\n    fires here: ${fires}`;
  return `${names}\n    ${about}${only}${notApplicable === null ? "" : `\n    does not fire here: ${notApplicable}`}`;
}

function shownRules(rules: readonly ListedRule[], home: string, style: Paint): string {
  if (rules.length === 0)
    return `No hooks are configured: neither in ${home}/config.yaml nor in settings files.\nHow to bring or write some: docs/guide/bring-your-hooks.md, examples/hooks.`;
  const sources = [...Map.groupBy(rules, ({ source, kind }) => `${source} (${kind})`)];
  const running = rules.filter(({ leftOut }) => leftOut === null).length;
  const parts = sources.map(([source, own]) =>
    [style("bold", source), ...own.map((rule) => shownRule(rule, style))].join("\n"),
  );
  return [`Configured hooks (${running} total):`, ...parts].join("\n\n");
}

function shownRule(rule: ListedRule, style: Paint): string {
  const names = [...new Set([rule.eventName, rule.event])].join(" = ");
  const filters = [
    ...(rule.matcher === null ? [] : [`matcher='${rule.matcher}'`]),
    ...(rule.condition === null ? [] : [`if='${rule.condition}'`]),
  ];
  const head = `  ${[`[${names}]`, ...filters, `${rule.type}:`, line(rule.deed, 120)].join(" ")}`;
  if (rule.leftOut !== null) return `${head}\n      ${style("dim", `never runs: ${rule.leftOut}`)}`;
  const consent = rule.held === null ? "✓ may run" : `✗ ${rule.held}`;
  const facts = [
    `limit ${rule.limitSeconds} s`,
    rule.onFailure === "block" ? "blocks on failure" : "goes on on failure",
    ...(rule.mode === "shadow" ? ["shadow"] : []),
    ...(rule.once ? ["once"] : []),
    ...(rule.parallel ? ["parallel"] : []),
    ...(rule.pinned ? ["pinned"] : []),
    consent,
    ...(rule.approvedAt === null ? [] : [`allowed ${rule.approvedAt}`]),
  ];
  return `${head}\n      ${facts.join(" · ")}\n      ${style("dim", `${rule.where} · ${shownRuns(rule)}`)}`;
}

function shownRuns({ runs, mode }: ListedRule): string {
  if (runs === null) return "has not run yet";
  const { count, lastRun, medianMs, p95Ms, blocked, failed } = runs;
  const shadow = mode === "shadow" ? `, would have refused ${runs.shadowDenied} of ${runs.shadowRuns}` : "";
  return `ran ${count} times, last ${localTime(lastRun)}, median ${Math.round(medianMs)} ms, p95 ${Math.round(p95Ms)} ms, refused ${blocked}, failed ${failed}${shadow}`;
}
