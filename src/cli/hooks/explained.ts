import type { Explanation } from "#runtime";
import { line } from "./open-desk.ts";

type ExplainedRule = Explanation["rules"][number];

export function shownExplanation({ event, rules, answer, payload }: Explanation, ran: boolean): string {
  const about = payload as { readonly toolName?: string; readonly args?: unknown };
  const subject = about.toolName === undefined ? "" : ` of ${about.toolName} ${line(JSON.stringify(about.args), 200)}`;
  if (rules.length === 0) return `${event}${subject}: no hook names this event`;
  const asked = rules.filter(({ runs }) => runs).length;
  const alone = asked > 1 ? ["  each as if those before it had no opinion; --run asks them in order"] : [];
  const sum = ran ? [`  together: ${answer === null ? "no opinion" : line(JSON.stringify(answer), 1000)}`] : alone;
  return [`${event}${subject}`, ...rules.map(shownRule), ...sum].join("\n");
}

function shownRule(rule: ExplainedRule): string {
  const why = rule.runs ? "is asked" : `is left out (${rule.stage}): ${rule.reason}`;
  const figures = rule.medianMs === null ? "" : `, median ${Math.round(rule.medianMs)} ms`;
  const said =
    rule.verdict === null
      ? ""
      : `\n      ${rule.verdict}${rule.effect === null ? "" : `: ${line(JSON.stringify(rule.effect), 300)}`}`;
  return `  ${rule.runs ? "→" : "–"} ${line(rule.deed, 120)}${filters(rule)}\n      ${why}${figures}  [${rule.where}]${said}`;
}

function filters({ matcher, condition, mode }: ExplainedRule): string {
  const parts = [
    ...(matcher === null ? [] : [`matcher='${matcher}'`]),
    ...(condition === null ? [] : [`if='${condition}'`]),
    ...(mode === "shadow" ? ["shadow"] : []),
  ];
  return parts.length === 0 ? "" : `  (${parts.join(" ")})`;
}
