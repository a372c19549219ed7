import type { Rule } from "#hooks";
import { type EventName, eventNames, namesOf, rows, viewsOf } from "#kernel";
import { limits, notApplicable, ofGateway } from "./applicability.ts";
import { type Desk, type RunFigures, runFigures } from "./desk.ts";

/** One rule as `talaria hooks list` shows it. */
export interface ListedRule {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly where: string;
  readonly event: string;
  /** The event's names in settings files and in `config.yaml`. */
  readonly names: { readonly claude: readonly string[]; readonly shell: readonly string[] };
  /** As the file names it. */
  readonly eventName: string;
  readonly matcher: string | null;
  readonly condition: string | null;
  readonly type: Rule["type"];
  readonly deed: string;
  readonly limitSeconds: number;
  readonly onFailure: "continue" | "block";
  readonly mode: "enforce" | "shadow";
  readonly once: boolean;
  readonly parallel: boolean;
  /** Null: it may run. */
  readonly held: string | null;
  readonly consent: "not needed" | "allowed" | "missing";
  readonly approvedAt: string | null;
  readonly pinned: boolean;
  /** Set where it never runs. */
  readonly leftOut: string | null;
  readonly runs: RunFigures | null;
}

/** What a rule does, in one line. */
export function deedOf(rule: Rule): string {
  switch (rule.type) {
    case "command":
    case "worker":
      return [rule.command, ...(rule.args ?? [])].join(" ");
    case "http":
      return rule.url;
    case "prompt":
    case "agent":
      return rule.prompt;
    case "mcp_tool":
      return `${rule.server}/${rule.tool}`;
  }
}

export async function listRules(desk: Desk): Promise<readonly ListedRule[]> {
  const figures = await runFigures(desk);
  return desk.sources.flatMap(({ rules, omitted }) => [
    ...rules.map(({ rule, closes }) =>
      listed(desk, rule, { closes, leftOut: null, runs: figures.get(rule.id) ?? null }),
    ),
    ...omitted.map(({ rule, reason }) => listed(desk, rule, { closes: false, leftOut: reason, runs: null })),
  ]);
}

function listed(
  { trust }: Desk,
  rule: Rule,
  {
    closes,
    leftOut,
    runs,
  }: { readonly closes: boolean; readonly leftOut: string | null; readonly runs: RunFigures | null },
): ListedRule {
  const held = trust.mayRun(rule) ?? null;
  const shadow = rule.mode === "shadow" || rule.source.mode === "shadow";
  return {
    id: rule.id,
    source: rule.source.name,
    kind: rule.source.kind,
    where: rule.where,
    event: rule.event,
    names: {
      claude: viewsOf(rule.event, "claude").map(({ name }) => name),
      shell: viewsOf(rule.event, "shell").map(({ name }) => name),
    },
    eventName: rule.eventName,
    matcher: rule.matcher ?? null,
    condition: rule.condition ?? null,
    type: rule.type,
    deed: deedOf(rule),
    limitSeconds: rule.timeoutMs / 1000,
    onFailure: closes ? "block" : "continue",
    mode: shadow ? "shadow" : "enforce",
    once: rule.once,
    parallel: rule.parallel,
    held,
    consent: rule.source.trust === "none" ? "not needed" : held === null ? "allowed" : "missing",
    approvedAt: trust.approvalOf(rule)?.approvedAt ?? null,
    pinned: trust.isPinned(rule),
    leftOut,
    runs,
  };
}

/** One event as `talaria hooks list --events` shows it. */
export interface ListedEvent {
  readonly event: EventName;
  readonly claude: readonly string[];
  readonly shell: readonly string[];
  readonly about: string;
  /** Null: it fires in this program. */
  readonly notApplicable: string | null;
  /** Null: it fires for all that it may be about. */
  readonly fires: string | null;
}

/** All events that rules may name. */
export function listEvents(): readonly ListedEvent[] {
  return eventNames
    .filter((event) => rows[event].row.views.some(({ dialect }) => dialect === "claude" || dialect === "shell"))
    .map((event) => ({
      event,
      claude: viewsOf(event, "claude").map(({ name }) => name),
      shell: viewsOf(event, "shell").map(({ name }) => name),
      about: rows[event].row.about,
      fires: limits[event] ?? null,
      notApplicable: notApplicable[event] ?? (rows[event].row.surface === "gateway" ? ofGateway : null),
    }));
}

/** All names by which an event can be asked for. */
export const eventWords = (): readonly string[] => [
  ...new Set([...eventNames, ...namesOf("claude"), ...namesOf("shell")]),
];
