import { now } from "#host";
import type { Call } from "#kernel";
import type { Executed, Executor, Executors } from "../executor.ts";
import type { HookContext, HookPorts } from "../hook-context.ts";
import type { Rule } from "../rule.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import { type Considering, questionOf, type Skipped } from "./consideration.ts";
import { shortened } from "./delivery.ts";
import { sessionEndSignal } from "./session-end.ts";
import { once, turnTime } from "./session-notes.ts";
import type { wires } from "./wire.ts";

/** A hook that failed: the kernel logs and traces it, and closes where the rule says so. */
class HookFailure extends Error {
  override readonly name = "HookFailure";
}

export interface Running extends Considering {
  readonly executors: Executors;
  readonly ports: HookPorts;
  readonly encode: ReturnType<typeof wires>;
  /** Why what would run is not what was approved. */
  readonly verify: (rule: Rule) => Promise<string | undefined>;
  /** Milliseconds for all rules of a session's end. */
  readonly sessionEndMs: () => number;
  /** Told of each rule that a firing comes to. */
  readonly considered?: (rule: Rule, skipped: Skipped | undefined) => void;
  readonly runs?: {
    begun(): void;
    /** Never rejects. */
    ended(): Promise<void>;
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** What one run of a rule came to, for the firing as well as for `hooks test`. */
export interface Outcome extends Executed {
  readonly durationMs: number;
  /** What the rule read. */
  readonly json: string;
}

/** Encodes, executes and decodes, within the signal. Never rejects; keeps no books. */
export async function execute(
  compiled: CompiledRule,
  payload: object,
  { context, signal }: { readonly context: HookContext; readonly signal: AbortSignal },
  { executors, encode, verify }: Pick<Running, "executors" | "encode" | "verify">,
): Promise<Outcome> {
  const { rule } = compiled;
  const question = questionOf(compiled, payload, context);
  const started = now();
  let json = "";
  try {
    const held = await verify(rule);
    if (held !== undefined) return { decoded: { kind: "failed", reason: held, remarks: [] }, json, durationMs: 0 };
    const encoded = await encode(question, context, rule.payload);
    json = encoded.json;
    const executor = executors[rule.type] as Executor<Rule>;
    const executed = await executor({ rule, question, wire: encoded.wire, json, context, signal });
    return { ...executed, json, durationMs: now() - started };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { decoded: { kind: "failed", reason, remarks: [] }, json, durationMs: now() - started };
  }
}

/** One firing of one rule: its answer in the fields of the row, or a throw that is its failure. */
export async function runRule(
  compiled: CompiledRule,
  payload: object,
  { context, call }: { readonly context: HookContext; readonly call: Call },
  running: Running,
): Promise<Fields | undefined> {
  const { rule } = compiled;
  if (rule.once && !once.reserve(context, rule.id)) return undefined;
  running.breakers.started(rule.id);
  running.runs?.begun();
  if (rule.statusMessage !== undefined && shown(rule))
    context.surface.emit({ type: "notice", level: "info", text: rule.statusMessage });
  const limit = rule.event === "session_end" ? sessionEndSignal(context, running.sessionEndMs(), now) : undefined;
  const signals = [call.signal, context.signal, ...(limit === undefined ? [] : [limit.signal])];
  try {
    const outcome = await execute(compiled, payload, { context, signal: AbortSignal.any(signals) }, running);
    return await concluded(compiled, outcome, { payload, context, call }, running);
  } finally {
    limit?.release();
    await running.runs?.ended();
  }
}

const shown = (rule: Rule): boolean => rule.mode !== "shadow" && rule.source.mode !== "shadow";

async function concluded(
  compiled: CompiledRule,
  outcome: Outcome,
  { payload, context, call }: { readonly payload: object; readonly context: HookContext; readonly call: Call },
  running: Running,
): Promise<Fields | undefined> {
  const { rule, view, closes } = compiled;
  const { decoded } = outcome;
  for (const remark of decoded.remarks) running.ports.log("info", `${rule.id}: ${remark}`);
  if (rule.once) once.settle(context, rule.id, decoded.kind === "answer");
  book(rule, outcome, context, running);
  if (decoded.kind === "failed") {
    const text = `${view.name} hook failed: ${decoded.reason} (${rule.where})`;
    if (shown(rule) && !context.signal.aborted) context.surface.emit({ type: "notice", level: "warning", text });
    // Where a time-out alone denies, any other failure has to leave the kernel's answer for failures out.
    if (view.timeout === "verdict" && !closes && !call.signal.aborted) {
      running.ports.log("warning", `${rule.id}: failed: ${decoded.reason}`);
      return undefined;
    }
    throw new HookFailure(`${decoded.reason} (${rule.where})`);
  }
  if (Object.keys(decoded.answer).length === 0) return undefined;
  if (shown(rule)) passOn(payload, decoded.answer, context, running);
  return shortened(decoded.answer, { context, ports: running.ports, name: rule.id });
}

/** What does not go to the one who fired the event. */
function passOn(payload: object, answer: Fields, context: HookContext, { ports }: Running): void {
  const paths = answer["watchPaths"] as readonly string[] | undefined;
  if (paths !== undefined) ports.watch?.(context, payload, paths);
  for (const sequence of (answer["terminal"] ?? []) as readonly string[])
    context.surface.emit({ type: "terminal", sequence });
}

/** Counts a run for the breaker of its rule and for the time of the turn. */
function book(rule: Rule, outcome: Outcome, context: HookContext, running: Running): void {
  const { breakers, turnLimitMs, ports } = running;
  const change = breakers.ended(rule.id, outcome.decoded.kind === "failed" && neverRan(outcome, context));
  if (change !== undefined) {
    ports.log("warning", `the circuit breaker of ${rule.id} is ${change}`);
    note(context, "hook breaker", { handler: rule.id, state: change });
  }
  if (!turnTime.add(context, outcome.durationMs, turnLimitMs)) return;
  const text = `Hooks have used ${Math.round(turnLimitMs)} ms of this turn; until it ends, those that cannot refuse on failure are left out.`;
  context.surface.emit({ type: "notice", level: "warning", text });
  ports.log("warning", `${context.turnId}: ${text}`);
  note(context, "hook budget", { handler: rule.id, limitMs: turnLimitMs });
}

const notStarted = new Set([126, 127]);

/** A program that ended by itself has done its work, whatever its exit code; what was cut off by the person did not fail. */
function neverRan({ exitCode }: Outcome, context: HookContext): boolean {
  if (context.signal.aborted) return false;
  return exitCode === undefined || exitCode === null || notStarted.has(exitCode);
}

function note(context: HookContext, name: string, attributes: Readonly<Record<string, string | number>>): void {
  const at = now();
  context.trace?.record("event", name, { startedAt: at, endedAt: at, attributes });
}
