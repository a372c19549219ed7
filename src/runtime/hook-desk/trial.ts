import { type CompiledRule, execute, type Outcome, skipped } from "#hooks";
import type { Desk } from "./desk.ts";
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
