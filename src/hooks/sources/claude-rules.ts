import { rows } from "#kernel";
import type { DroppedRule, HookSource, Rule, RuleSet } from "../rule.ts";
import { bodyOf, typeOf } from "./claude-handler.ts";
import { eventNamed, type KnownEvent } from "./event-name.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import { type Report, reportOn } from "./problems.ts";
import { frameOf, type GroupSettings } from "./rule-frame.ts";
import { timeLimitMs } from "./rule-limits.ts";
import { kindOf, nodeOf, type SourceNode } from "./source-node.ts";

type Base = Omit<HookSource, "parallel" | "strict" | "mode">;
const switches = new Set(["parallel", "strict", "mode", "sequential", "description"]);

interface Reading {
  readonly source: HookSource;
  readonly report: Report;
  readonly rules: Rule[];
  readonly dropped: DroppedRule[];
}

/** Where the hooks of a file stand. */
export interface HooksSection {
  /** The map of events, or whatever stands in its place. */
  readonly hooks: SourceNode | undefined;
  /** The object that holds it, whose `parallel`, `strict` and `mode` hold for all. */
  readonly around?: SourceNode;
}

/**
 * The rules of one file or plugin in Claude's form, Peri's spellings included. What is wrong costs only itself.
 * Rules: docs/reference/hook-sources.md.
 */
export function claudeRules(
  base: Base,
  section: HooksSection,
  report: Report = reportOn(base.name, base.file),
): RuleSet {
  const { hooks, around } = section;
  const source = withSwitches(base, [around, hooks], report);
  const reading: Reading = { source, report, rules: [], dropped: [] };
  if (hooks !== undefined && hooks.value !== null && hooks.members === undefined) {
    report.warn(
      hooks.line,
      `hooks must be an object of events, but is ${kindOf(hooks.value)}; there are no hooks in it`,
    );
  }
  for (const [eventName, node] of hooks?.members ?? []) {
    if (!switches.has(eventName)) readEvent(reading, ownName(eventName, source), node);
  }
  return { source, rules: reading.rules, dropped: reading.dropped, problems: report.problems };
}

/** What an agent's own front matter calls its end is the end of a sub-agent. */
const ownName = (eventName: string, { kind }: HookSource): string =>
  kind === "agent" && eventName === "Stop" ? "SubagentStop" : eventName;

/** The rules of an object that no file stands behind: front matter of a skill or an agent, an embedding program. */
export const rulesOfObject = (base: Base, hooks: unknown): RuleSet => claudeRules(base, { hooks: nodeOf(hooks) });

function withSwitches(base: Base, nodes: readonly (SourceNode | undefined)[], report: Report): HookSource {
  const fields = nodes.flatMap((node) =>
    node?.members === undefined ? [] : [fieldsOf({ ...node, members: node.members }, report)],
  );
  const first = <T>(read: (fields: Fields) => T | undefined): T | undefined =>
    fields.map(read).find((value) => value !== undefined);
  return {
    ...base,
    parallel: first((one) => one.flag("parallel")) ?? false,
    strict: first((one) => one.flag("strict")) ?? false,
    mode: first((one) => one.choice("mode", ["enforce", "shadow"])) ?? "enforce",
  };
}

function readEvent(reading: Reading, eventName: string, node: SourceNode): void {
  const { report } = reading;
  const known = eventNamed(eventName, "claude");
  if ("message" in known) {
    report[known.level === "note" ? "note" : "warn"](node.line, known.message);
    return;
  }
  if (node.items === undefined) {
    if (node.value === null) return;
    const advice = 'it must be a list of groups like {"matcher": "…", "hooks": […]}';
    report.warn(node.line, `hooks.${eventName} is ${kindOf(node.value)} and is skipped; ${advice}`);
    return;
  }
  for (const [index, group] of node.items.entries()) readGroup(reading, { known, eventName, group, index });
}

interface GroupPlace {
  readonly known: KnownEvent;
  readonly eventName: string;
  readonly group: SourceNode;
  readonly index: number;
}

function readGroup(reading: Reading, place: GroupPlace): void {
  const { report, source } = reading;
  const flaw = groupFlaw(place.group);
  if (flaw !== undefined) {
    report.warn(flaw.line, `hooks.${place.eventName}[${place.index}] ${flaw.state} and is skipped; ${flaw.advice}`);
    return;
  }
  const { members = new Map<string, SourceNode>() } = place.group;
  const fields = fieldsOf({ ...place.group, members }, report);
  const settings: GroupSettings = {
    matcher: fields.text("matcher"),
    parallel: fields.flag("parallel") ?? source.parallel,
    strict: fields.flag("strict") ?? false,
    mode: fields.choice("mode", ["enforce", "shadow"]) ?? source.mode,
  };
  for (const [index, node] of (members.get("hooks")?.items ?? []).entries())
    readHandler(reading, { ...place, settings, node, handler: index });
}

interface GroupFlaw {
  readonly line: number | undefined;
  readonly state: string;
  readonly advice: string;
}

/** Why a group cannot be read at all. */
function groupFlaw({ value, line, members }: SourceNode): GroupFlaw | undefined {
  if (members === undefined) {
    return { line, state: `is ${kindOf(value)}`, advice: "it must be an object with a list `hooks`" };
  }
  const handlers = members.get("hooks");
  if (handlers === undefined && (members.has("type") || members.has("command"))) {
    return { line, state: "is a handler where a group should stand", advice: 'write {"hooks": [ … ]} around it' };
  }
  if (handlers?.items === undefined) {
    const state = handlers === undefined ? "has no `hooks`" : `has \`hooks\` that is ${kindOf(handlers.value)}`;
    return { line: handlers?.line ?? line, state, advice: "it must be a list of handlers" };
  }
  const matcher = members.get("matcher");
  if (matcher === undefined || matcher.value === null || typeof matcher.value === "string") return undefined;
  const advice = "it must be a text; a wrong one would let the rule run for all";
  return { line: matcher.line, state: `has a matcher that is ${kindOf(matcher.value)}`, advice };
}

interface HandlerPlace extends GroupPlace {
  readonly settings: GroupSettings;
  readonly node: SourceNode;
  readonly handler: number;
}

function readHandler(reading: Reading, place: HandlerPlace): void {
  const { report, source, rules, dropped } = reading;
  const { node, known, eventName, settings } = place;
  if (node.members === undefined) {
    const name = `hooks.${eventName}[${place.index}].hooks[${place.handler}]`;
    report.warn(node.line, `${name} is ${kindOf(node.value)} and is skipped; it must be an object with a type`);
    return;
  }
  const fields = fieldsOf({ ...node, members: node.members }, report);
  const type = typeOf(fields);
  const body = type === undefined ? undefined : bodyOf(fields, type);
  const condition = fields.find("if");
  const own = fields.find("matcher");
  for (const [key, found] of [
    ["if", condition],
    ["matcher", own],
  ] as const) {
    if (found === undefined || typeof found.value === "string") continue;
    fields.warn(key, `the handler is left out: its ${key} is ${kindOf(found.value)}, and it must be a text`);
    return;
  }
  if (type === undefined || body === undefined) return;
  const matcher = settings.matcher ?? fields.text("matcher");
  reportMatcher(report, matcher, { known, line: fields.find("matcher")?.line ?? node.line });
  const frame = frameOf(fields, {
    source,
    known,
    eventName,
    path: `${eventName}/${place.index}/${place.handler}`,
    where: report.place(node.line),
    group: { ...settings, matcher },
  });
  const rule: Rule = {
    ...frame,
    ...body,
    condition: fields.text("if"),
    timeoutMs: timeLimitMs(fields, type, known.view),
  };
  const reason = neverRuns(rule, known);
  if (reason === undefined) {
    rules.push(rule);
    return;
  }
  report.warn(node.line, `this handler never runs: ${reason}`);
  dropped.push({ rule, reason });
}

/** Why a rule of this kind cannot run for this event. */
function neverRuns(rule: Rule, { view }: KnownEvent): string | undefined {
  if (view.executors !== undefined && !view.executors.includes(rule.type))
    return `${rule.eventName} runs handlers of the types ${view.executors.join(", ")} only`;
  if (rule.condition !== undefined && view.condition !== true)
    return `\`if\` counts for calls of tools only, not for ${rule.eventName}; take it away`;
  return undefined;
}

function reportMatcher(
  report: Report,
  matcher: string | undefined,
  { known, line }: { readonly known: KnownEvent; readonly line: number | undefined },
): void {
  if (matcher === undefined || matcher === "" || matcher === "*") return;
  const matchOn = known.view.matchOn ?? rows[known.event].row.matchOn ?? "none";
  if (matchOn === "none") {
    report.note(line, `${known.view.name} has nothing to match; the matcher counts for nothing`);
    return;
  }
  const list = known.view.matchList === "narrow" ? /^[\w|]*$/ : /^[\w\-\s,|]*$/;
  if (list.test(matcher)) return;
  try {
    new RegExp(matcher);
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, "") : String(error);
    report.warn(line, `the matcher ${JSON.stringify(matcher)} is no regular expression and never matches: ${why}`);
  }
}
