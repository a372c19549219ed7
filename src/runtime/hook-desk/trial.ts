import { type CompiledRule, execute, type Outcome, skipped } from "#hooks";
import type { HandlerRecord } from "#kernel";
import { type Desk, runFigures } from "./desk.ts";
import type { Occasion, Wanted } from "./occasion.ts";
import { syntheticPayload } from "./occasion.ts";
import { deedOf } from "./rule-list.ts";

export interface Trial {
  readonly id: string;
  readonly deed: string;
  readonly where: string;
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What it read. */
  readonly input: unknown;
  /** In the fields of the event; null: no opinion. */
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly failure: string | null;
  readonly remarks: readonly string[];
}

/** Runs all rules of an event, whatever consent says; matchers and conditions count where a tool was asked for. */
export async function tryRules(desk: Desk, occasion: Occasion, wanted: Wanted): Promise<readonly Trial[]> {
  const context = desk.context();
  const payload = syntheticPayload(occasion, wanted, desk.cwd);
  const filtering = { ...desk.hooks.engine.running, mayRun: () => undefined };
  const trials: Trial[] = [];
  for (const compiled of rulesFor(desk, occasion)) {
    const reason = skipped(compiled, payload, context, filtering);
    if (reason !== undefined && (wanted.tool !== undefined || reason.stage === "event")) continue;
    const signal = AbortSignal.timeout(compiled.rule.timeoutMs);
    const outcome = await execute(compiled, payload, { context, signal }, desk.hooks.engine.running);
    trials.push(trialOf(compiled, outcome));
  }
  return trials;
}

const rulesFor = ({ sources }: Desk, { event, views }: Occasion): readonly CompiledRule[] =>
  sources.flatMap(({ rules }) => rules.filter(({ rule, view }) => rule.event === event && views.includes(view)));

function trialOf({ rule }: CompiledRule, outcome: Outcome): Trial {
  const { decoded } = outcome;
  const answered = decoded.kind === "answer" && Object.keys(decoded.answer).length > 0;
  return {
    id: rule.id,
    deed: deedOf(rule),
    where: rule.where,
    exitCode: outcome.exitCode ?? null,
    seconds: outcome.durationMs / 1000,
    stdout: outcome.stdout ?? "",
    stderr: outcome.stderr ?? "",
    input: outcome.json === "" ? null : JSON.parse(outcome.json),
    answer: answered ? decoded.answer : null,
    failure: decoded.kind === "failed" ? decoded.reason : null,
    remarks: decoded.remarks,
  };
}

export interface ExplainedRule {
  readonly id: string;
  readonly deed: string;
  readonly where: string;
  readonly matcher: string | null;
  readonly condition: string | null;
  readonly mode: string;
  readonly runs: boolean;
  /** Why it is left out, and at which step. */
  readonly stage: string | null;
  readonly reason: string | null;
  readonly medianMs: number | null;
  /** Only where the rules were run. */
  readonly verdict: string | null;
  readonly effect: unknown;
  readonly milliseconds: number | null;
}

export interface Explanation {
  readonly event: string;
  readonly payload: object;
  readonly rules: readonly ExplainedRule[];
  /** What all answers come to together; only where the rules were run. */
  readonly answer: unknown;
}

/** The whole decision about one event: for each rule whether it would run and why not; with `run`, what it says. */
export async function explain(
  desk: Desk,
  occasion: Occasion,
  { run, ...wanted }: Wanted & { readonly run: boolean },
): Promise<Explanation> {
  const { event } = occasion;
  const context = desk.context();
  const payload = syntheticPayload(occasion, wanted, desk.cwd);
  const figures = await runFigures(desk);
  const considered = desk.sources.flatMap(({ rules, omitted }) => [
    ...rules
      .filter(({ rule }) => rule.event === event)
      .map(({ rule }) => rule)
      .map((rule) => ({ rule, left: undefined as string | undefined })),
    ...omitted.filter(({ rule }) => rule.event === event).map(({ rule, reason }) => ({ rule, left: reason })),
  ]);
  const stages = new Map(
    desk.sources.flatMap(({ rules }) =>
      rules.map(
        (compiled) => [compiled.rule.id, skipped(compiled, payload, context, desk.hooks.engine.running)] as const,
      ),
    ),
  );
  for (const { rule } of desk.sources.flatMap(({ rules }) => rules)) {
    const held = stages.get(rule.id) === undefined ? await desk.trust.verify(rule) : undefined;
    if (held !== undefined) stages.set(rule.id, { stage: "trust", reason: held });
  }
  desk.taken();
  const fire = desk.layer.plan.on[event] as ((payload: object, context: object) => unknown) | undefined;
  const answer = run ? ((await fire?.(payload, context)) ?? null) : null;
  const records = new Map(desk.taken().map((record) => [record.owner, record]));
  return {
    event,
    payload,
    answer,
    rules: considered.map(({ rule, left }) => {
      const skip = left === undefined ? stages.get(rule.id) : { stage: "source", reason: left };
      const said = told(run && skip === undefined ? records.get(rule.id) : undefined);
      return {
        id: rule.id,
        deed: deedOf(rule),
        where: rule.where,
        matcher: rule.matcher ?? null,
        condition: rule.condition ?? null,
        mode: rule.mode === "shadow" || rule.source.mode === "shadow" ? "shadow" : "enforce",
        runs: skip === undefined,
        stage: skip?.stage ?? null,
        reason: skip?.reason ?? null,
        medianMs: figures.get(rule.id)?.medianMs ?? null,
        ...said,
      };
    }),
  };
}

function told(record: HandlerRecord | undefined): Pick<ExplainedRule, "verdict" | "effect" | "milliseconds"> {
  if (record === undefined) return { verdict: null, effect: null, milliseconds: null };
  const { answer, failure, started } = record;
  const fields = (answer ?? {}) as { readonly verdict?: { readonly decision?: string } };
  const milliseconds = started === undefined ? null : Math.round(performance.now() - started);
  if (failure !== undefined) return { verdict: "failed", effect: String(failure), milliseconds };
  return { verdict: fields.verdict?.decision ?? "no opinion", effect: answer ?? null, milliseconds };
}
