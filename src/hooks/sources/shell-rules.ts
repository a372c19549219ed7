import { rows } from "#kernel";
import type { DroppedRule, HookSource, Rule, RuleSet } from "../rule.ts";
import { eventNamed, type KnownEvent } from "./event-name.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import { type Report, reportOn } from "./problems.ts";
import { pythonPattern } from "./python-pattern.ts";
import { frameOf, type GroupSettings } from "./rule-frame.ts";
import { kindOf, type SourceNode } from "./source-node.ts";

const defaultSeconds = 60;
const mostSeconds = 300;
const switches = ["parallel", "strict", "mode"];

/**
 * The `hooks:` of a config.yaml. What is wrong costs only itself. Rules: docs/reference/hook-sources.md.
 * Anything but a mapping is no hooks, in silence: the configuration's own reader tells of it.
 */
export function shellRules(base: Omit<HookSource, "parallel" | "strict" | "mode">, hooks: SourceNode): RuleSet {
  const report = reportOn(base.name, base.file);
  const { members } = hooks;
  const settings = members === undefined ? undefined : fieldsOf({ ...hooks, members }, report);
  const source: HookSource = {
    ...base,
    parallel: settings?.flag("parallel") ?? false,
    strict: settings?.flag("strict") ?? false,
    mode: settings?.choice("mode", ["enforce", "shadow"]) ?? "enforce",
  };
  const rules: Rule[] = [];
  for (const [eventName, node] of members ?? []) {
    if (switches.includes(eventName)) continue;
    rules.push(...eventRules({ source, report, eventName, node }));
  }
  return { source, ...withoutCopies(rules), problems: report.problems };
}

interface EventSection {
  readonly source: HookSource;
  readonly report: Report;
  readonly eventName: string;
  readonly node: SourceNode;
}

function eventRules(section: EventSection): readonly Rule[] {
  const { report, eventName, node } = section;
  const known = eventNamed(eventName, "shell");
  if ("message" in known) {
    report[known.level === "note" ? "note" : "warn"](node.line, known.message);
    return [];
  }
  if (node.value === null || node.value === undefined) return [];
  if (node.items === undefined) {
    const found = kindOf(node.value);
    report.warn(node.line, `hooks.${eventName} must be a list of entries, but is ${found}; it is skipped`);
    return [];
  }
  return node.items.flatMap((item, index) => {
    const rule = entry({ ...section, node: item, known }, index);
    return rule === undefined ? [] : [rule];
  });
}

function entry(section: EventSection & { readonly known: KnownEvent }, index: number): Rule | undefined {
  const { source, report, eventName, node, known } = section;
  const { members } = node;
  const name = `hooks.${eventName}[${index}]`;
  if (members === undefined) {
    const advice = "it must be a mapping with a `command`";
    report.warn(node.line, `${name} is ${kindOf(node.value)} and is skipped; ${advice}`);
    return undefined;
  }
  const fields = fieldsOf({ ...node, members }, report);
  const command = fields.find("command")?.value;
  if (typeof command !== "string" || command.trim() === "") {
    const state = command === undefined ? "has no `command`" : `has a \`command\` that is ${stateOf(command)}`;
    report.warn(node.line, `${name} ${state} and is skipped; it must be a command line`);
    return undefined;
  }
  const matchOn = known.view.matchOn ?? rows[known.event].row.matchOn ?? "none";
  const group: GroupSettings = {
    matcher: matcherOf(fields, eventName, matchOn !== "none"),
    parallel: source.parallel,
    strict: false,
    mode: source.mode,
  };
  const path = `${eventName}/${index}`;
  const frame = frameOf(fields, { source, known, eventName, path, where: report.place(node.line), group });
  const timeoutMs = timeoutSeconds(fields) * 1000;
  const kind = fields.choice("type", ["command", "worker"]) ?? "command";
  if (kind === "worker") return { ...frame, timeoutMs, type: "worker", command: command.trim(), args: undefined };
  const idle = { shell: undefined, async: false, asyncRewake: false };
  return { ...frame, timeoutMs, type: "command", command: command.trim(), args: undefined, ...idle };
}

const stateOf = (value: unknown): string => (typeof value === "string" ? "blank" : kindOf(value));

function matcherOf(fields: Fields, eventName: string, honoured: boolean): string | undefined {
  const value = fields.find("matcher")?.value;
  if (value === undefined) return undefined;
  if (typeof value !== "string") {
    fields.warn(
      "matcher",
      `matcher must be a text, but is ${kindOf(value)}; it is left out, and the hook runs for all`,
    );
    return undefined;
  }
  const matcher = value.trim();
  if (matcher === "") return undefined;
  if (!honoured) {
    fields.warn("matcher", `${eventName} has nothing to match; the matcher is left out, and the hook runs every time`);
    return undefined;
  }
  if (pythonPattern(matcher) === undefined) {
    const what = `matcher ${JSON.stringify(matcher)} is no regular expression`;
    fields.warn("matcher", `${what}; it is compared letter by letter with the tool's name`);
  }
  return matcher;
}

/** As Python's `int()` reads it: texts of digits, fractions cut off, true is 1. Undefined where it would refuse. */
function pythonInteger(value: unknown): number | undefined {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : undefined;
  if (typeof value !== "string" || !/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(value)) return undefined;
  return Number(value.replaceAll("_", ""));
}

function timeoutSeconds(fields: Fields): number {
  const node = fields.find("timeout");
  if (node === undefined) return defaultSeconds;
  const seconds = pythonInteger(node.value);
  const shown =
    typeof node.value === "string"
      ? JSON.stringify(node.value)
      : typeof node.value === "object"
        ? kindOf(node.value)
        : String(node.value);
  if (seconds === undefined) {
    fields.warn("timeout", `timeout ${shown} is no number of seconds; ${defaultSeconds} is used`);
    return defaultSeconds;
  }
  if (seconds < 1) {
    fields.warn("timeout", `timeout ${shown} must be at least 1 second; ${defaultSeconds} is used`);
    return defaultSeconds;
  }
  if (seconds > mostSeconds)
    fields.warn("timeout", `timeout ${shown} is more than ${mostSeconds} seconds; it is cut to that`);
  return Math.min(seconds, mostSeconds);
}

/** What Hermes takes for one and the same hook. */
export const shellKey = (rule: Rule): string =>
  JSON.stringify([rule.eventName, rule.matcher ?? "", "command" in rule ? rule.command : ""]);

/** Drops what an earlier rule, here or in `before`, is already. */
export function withoutCopies(
  rules: readonly Rule[],
  before: ReadonlyMap<string, Rule> = new Map(),
): Pick<RuleSet, "rules" | "dropped"> {
  const seen = new Map(before);
  const kept: Rule[] = [];
  const dropped: DroppedRule[] = [];
  for (const rule of rules) {
    const first = seen.get(shellKey(rule));
    if (first === undefined) {
      seen.set(shellKey(rule), rule);
      kept.push(rule);
    } else dropped.push({ rule, reason: `the same hook stands in ${first.where} already` });
  }
  return { rules: kept, dropped };
}
