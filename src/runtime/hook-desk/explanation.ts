import { type CompiledRule, type Rule, type Skipped, skipped } from "#hooks";
import type { EventName, HandlerRecord } from "#kernel";
import { type Desk, runFigures } from "./desk.ts";
import { type Occasion, syntheticPayload, type Wanted } from "./occasion.ts";
import { deedOf } from "./rule-list.ts";

export interface ExplainedRule {
  readonly id: string;
  readonly deed: string;
  readonly where: string;
  readonly matcher: string | null;
  readonly condition: string | null;
  readonly mode: string;
  readonly runs: boolean;
  /** Why it is left out, and at which step; `order`: the event was over before it. */
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
  /** In the order in which they are asked. */
  readonly rules: readonly ExplainedRule[];
  /** What all answers come to together; only where the rules were run. */
  readonly answer: unknown;
}

interface Left {
  readonly stage: Skipped["stage"] | "source" | "order";
  readonly reason: string;
}

type Told = Pick<ExplainedRule, "verdict" | "effect" | "milliseconds">;

/** What is known of the rules of one event, by their ids. */
interface Known {
  readonly left: (rule: Rule) => Left | undefined;
  readonly told: (rule: Rule) => Told;
  readonly answer: unknown;
}

const silent: Told = { verdict: null, effect: null, milliseconds: null };

/**
 * The whole decision about one event: for each rule whether it would run and why not. Without `run` each rule is looked at as
 * if those before it had no opinion; with it the event is fired, and what is told is what happened.
 */
export async function explain(
  desk: Desk,
  occasion: Occasion,
  { run, ...wanted }: Wanted & { readonly run: boolean },
): Promise<Explanation> {
  const { event } = occasion;
  const context = desk.context();
  const payload = syntheticPayload(occasion, wanted, desk.cwd);
  const figures = await runFigures(desk);
  const rules = inOrder(desk, event, payload, context);
  const known = run ? await fired(desk, event, payload, context) : await expected(desk, rules, payload, context);
  const omitted = desk.omitted
    .filter(({ rule }) => rule.event === event)
    .map(({ rule, reason }) => shown(rule, { stage: "source", reason }, silent));
  return {
    event,
    payload,
    answer: known.answer,
    rules: [...rules.map(({ rule }) => shown(rule, known.left(rule), known.told(rule))), ...omitted].map((rule) => ({
      ...rule,
      medianMs: figures.get(rule.id)?.medianMs ?? null,
    })),
  };
}

type Context = ReturnType<Desk["context"]>;

function inOrder(desk: Desk, event: EventName, payload: object, context: Context): readonly CompiledRule[] {
  const all = new Map(
    desk.sources
      .flatMap(({ rules }) => rules)
      .filter(({ rule }) => rule.event === event)
      .map((one) => [one.rule.id, one]),
  );
  const order = desk.layer.plan.explain(event, payload as never, context).map(({ owner }) => owner);
  desk.considered(); // looking is no firing
  return [...new Set(order)].flatMap((id) => all.get(id) ?? []);
}

/** What is said by the conditions alone. */
async function expected(desk: Desk, rules: readonly CompiledRule[], payload: object, context: Context): Promise<Known> {
  const left = new Map<string, Left>();
  for (const compiled of rules) {
    const { rule } = compiled;
    const skip = skipped(compiled, payload, context, desk.hooks.engine.running);
    const held = skip === undefined ? await desk.trust.verify(rule) : undefined;
    const unlike = held === undefined ? undefined : `${held}: it fails${compiled.closes ? ", and that refuses" : ""}`;
    const reason: Left | undefined = unlike === undefined ? skip : { stage: "trust", reason: unlike };
    if (reason !== undefined) left.set(rule.id, reason);
  }
  return { left: ({ id }) => left.get(id), told: () => silent, answer: null };
}

/** What happened when the event was fired. */
async function fired(desk: Desk, event: EventName, payload: object, context: Context): Promise<Known> {
  desk.taken();
  const fire = desk.layer.plan.on[event] as ((payload: object, context: object) => unknown) | undefined;
  const answer = (await fire?.(payload, context)) ?? null;
  const records = new Map(desk.taken().map((record) => [record.owner, record]));
  const came = Map.groupBy(desk.considered(), ({ rule }) => rule.id);
  const last = [...came.values()].findLast((own) => own.some(({ skipped }) => skipped === undefined))?.[0]?.rule;
  return {
    answer,
    left({ id }) {
      const own = came.get(id);
      if (own === undefined) return { stage: "order", reason: `the event was over after ${last ? deedOf(last) : "?"}` };
      return own.some(({ skipped }) => skipped === undefined) ? undefined : own[0]?.skipped;
    },
    told({ id }) {
      const ran = came.get(id)?.some(({ skipped }) => skipped === undefined) === true;
      return ran ? told(records.get(id)) : silent;
    },
  };
}

function told(record: HandlerRecord | undefined): Told {
  // Rules that run together leave no record where they have no opinion.
  if (record === undefined) return { ...silent, verdict: "no opinion" };
  const { answer, failure, started } = record;
  const fields = (answer ?? {}) as { readonly verdict?: { readonly decision?: string } };
  const milliseconds = started === undefined ? null : Math.round(performance.now() - started);
  if (failure !== undefined) return { verdict: "failed", effect: String(failure), milliseconds };
  return { verdict: fields.verdict?.decision ?? "no opinion", effect: answer ?? null, milliseconds };
}

const shown = (rule: Rule, left: Left | undefined, said: Told): Omit<ExplainedRule, "medianMs"> => ({
  id: rule.id,
  deed: deedOf(rule),
  where: rule.where,
  matcher: rule.matcher ?? null,
  condition: rule.condition ?? null,
  mode: rule.mode === "shadow" || rule.source.mode === "shadow" ? "shadow" : "enforce",
  runs: left === undefined,
  stage: left?.stage ?? null,
  reason: left?.reason ?? null,
  ...said,
});
