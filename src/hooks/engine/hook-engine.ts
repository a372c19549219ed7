import { environment, now } from "#host";
import type { Call, Entry, EventName, HookGroup } from "#kernel";
import type { Executors } from "../executor.ts";
import type { HookContext, HookPorts } from "../hook-context.ts";
import type { HookSource, Rule, RuleSet } from "../rule.ts";
import { type BreakerState, breakers } from "./breaker.ts";
import { type CompiledRule, type CompiledSource, compileSource } from "./compiled-rule.ts";
import { type Skipped, skipped } from "./consideration.ts";
import { type Running, runRule } from "./rule-run.ts";
import { sessionEndLimit } from "./session-end.ts";
import { wires } from "./wire.ts";

export interface EngineSettings {
  /** Milliseconds that hooks may take of one turn; 0: no limit. */
  readonly turnLimitMs: number;
  /** Failures in a row that open a rule's circuit breaker; 0: never. */
  readonly breakerFailures: number;
  /** Milliseconds for which an open breaker leaves its rule out. */
  readonly breakerOpenMs: number;
}

export interface EngineParts {
  readonly executors: Executors;
  readonly ports: HookPorts;
  /** Why a rule may not run: no consent, an untrusted folder, a changed script; undefined: it may. */
  readonly mayRun: (rule: Rule) => string | undefined;
  /** Asked just before a run: why what would run is not what was approved; undefined: it is, or was never pinned. */
  readonly verify?: (rule: Rule) => Promise<string | undefined>;
  readonly settings: EngineSettings;
  /** Told of each run, and awaited behind it: what a hook has changed is in force before the next event. */
  readonly runs?: Running["runs"];
  /** Told of each rule that a firing comes to, and why it is left out. */
  readonly considered?: (rule: Rule, skipped: Skipped | undefined) => void;
}

/** Turns rules into hook groups. One for a process: breakers and notes outlive a reload. */
export interface HookEngine {
  readonly running: Running;
  /** Compiles sources in group order. Sources that have not changed keep their groups. */
  compile(sets: readonly RuleSet[]): Promise<Compiled>;
  breakerOf(rule: Rule): BreakerState;
}

export interface Compiled {
  readonly sources: readonly CompiledSource[];
  /** By their source; empty ones have none. */
  readonly groups: readonly HookGroup<HookContext>[];
}

/** Where the group of a source stands among those of other kinds. Plugins in this process are between `managed` and `shell`. */
const kinds: readonly HookSource["kind"][] = [
  "managed",
  "shell",
  "claude-plugin",
  "user",
  "project",
  "local",
  "settings-option",
  "skill",
  "agent",
  "embedder",
];
/** Ranks of one kind of source; plugins have theirs in the gap behind `managed`. */
const ranksOfKind = 10_000;

const rankOf = ({ kind }: HookSource, place: number): number =>
  (kinds.indexOf(kind) + (kind === "managed" ? 0 : 1)) * ranksOfKind + place;

export function hookEngine({ executors, ports, mayRun, verify, settings, runs, considered }: EngineParts): HookEngine {
  let endRules: readonly CompiledRule[] = [];
  const circuit = breakers({ failures: settings.breakerFailures, openMs: settings.breakerOpenMs }, now);
  const running: Running = {
    executors,
    ports,
    mayRun,
    verify: verify ?? (async () => undefined),
    encode: wires(ports),
    breakers: circuit,
    turnLimitMs: settings.turnLimitMs > 0 ? settings.turnLimitMs : Number.POSITIVE_INFINITY,
    projectFolder: (context) => ports.projectFolder(context),
    ...(runs === undefined ? {} : { runs }),
    ...(considered === undefined ? {} : { considered }),
    sessionEndMs: () => sessionEndLimit(endRules, environment()),
  };
  return {
    running,
    breakerOf: (rule) => circuit.stateOf(rule.id),
    async compile(sets) {
      const sources = await Promise.all(sets.map(compileSource));
      endRules = sources.flatMap(({ rules }) => rules.filter(({ rule }) => rule.event === "session_end"));
      return { sources, groups: sources.flatMap((source, place) => groupsOf(source, place, running)) };
    },
  };
}

/** The groups of a source: one for all rules in sequence, one more for each stretch of parallel rules that others part. */
function groupsOf({ set, rules }: CompiledSource, place: number, running: Running): HookGroup<HookContext>[] {
  const { source } = set;
  const stretches = new Map<string, CompiledRule[]>();
  const parted = new Map<EventName, number>();
  for (const compiled of rules) {
    const { event, parallel } = compiled.rule;
    if (!parallel) parted.set(event, (parted.get(event) ?? 0) + 1);
    const key = parallel ? `parallel ${parted.get(event) ?? 0}` : "";
    stretches.set(key, [...(stretches.get(key) ?? []), compiled]);
  }
  return [...stretches].map(([key, members]) => ({
    slot: "hook",
    name: source.name,
    parallel: key !== "",
    entries: members.map((compiled) => entryOf(compiled, rankOf(source, place), running)),
  }));
}

/** One rule as the kernel fires it. */
function entryOf(compiled: CompiledRule, rank: number, running: Running): Entry<HookContext> {
  const { rule, view, closes, sequence } = compiled;
  const shadow = rule.mode === "shadow" || rule.source.mode === "shadow";
  const { considered } = running;
  const entry = {
    event: rule.event,
    owner: rule.id,
    rank: [rank, sequence],
    consider(payload: object, context: HookContext) {
      const left = skipped(compiled, payload, context, running);
      considered?.(rule, left);
      return left?.reason;
    },
    run: (payload: object, context: HookContext, call: Call) => runRule(compiled, payload, { context, call }, running),
    call: true,
    limitMs: rule.timeoutMs,
    // A time-out is told by the kernel alone; where the event says so, it denies.
    onFailure: closes || view.timeout === "verdict" ? "block" : "continue",
    mode: shadow ? "shadow" : "enforce",
    rejudge: rule.rejudge,
  };
  return entry as unknown as Entry<HookContext>;
}
