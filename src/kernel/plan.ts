import type { AnyFire, Engine } from "./engine.ts";
import { type FiringLine, firingLine } from "./line.ts";
import { byRank, type Part, type Step } from "./part.ts";
import { skipReason } from "./step.ts";

interface Explained {
  readonly owner: string;
  readonly skipped?: string;
}

/** A compiled chain. Immutable; shared by all layers that add nothing to it. */
export interface CompiledPlan {
  readonly on: Readonly<Record<string, AnyFire | undefined>>;
  readonly chain: readonly object[];
  readonly explain: (event: string, payload: object, context: unknown) => readonly Explained[];
  /** In blueprint order. */
  readonly parts: readonly Part[];
  readonly lines: ReadonlyMap<string, FiringLine>;
}

/** Plans of which lines may be taken over: `base` for rows that nothing touched, `former` where the steps are the same. */
interface Known {
  readonly base: CompiledPlan | undefined;
  readonly former: CompiledPlan | undefined;
  readonly touched: ReadonlySet<string>;
}

export function compilePlan(engine: Engine, unordered: readonly Part[], known: Known): CompiledPlan {
  const parts = [...unordered].sort((one, other) => one.place - other.place || byRank(one.rank, other.rank));
  const lines = new Map<string, FiringLine>(known.base?.lines);
  const on: Record<string, AnyFire | undefined> = {};
  for (const event of known.touched) {
    const line = compileLine(engine, event, parts, known.former?.lines.get(event));
    if (line === undefined) lines.delete(event);
    else lines.set(event, line);
  }
  // All plans have all keys in one order, and `{...on}` of them has fast properties where `on` has not.
  for (const event of engine.rows.keys()) on[event] = lines.get(event)?.fire;
  const explain = (event: string, payload: object, context: unknown) =>
    (lines.get(event)?.steps ?? [])
      .flatMap((step) => step.members ?? step)
      .map((step) => explained(step, payload, context));
  const chain = Object.freeze(parts.map(({ source }) => source));
  return Object.freeze({ on: Object.freeze({ ...on }), chain, explain, parts, lines });
}

function compileLine(
  engine: Engine,
  event: string,
  parts: readonly Part[],
  former: FiringLine | undefined,
): FiringLine | undefined {
  const row = engine.rows.get(event);
  const steps = parts.flatMap((part) => part.steps.get(event) ?? []);
  if (row === undefined || steps.length === 0) return undefined;
  const ordered = steps.sort((one, other) => one.part.place - other.part.place || byRank(one.rank, other.rank));
  const unchanged = former?.steps.length === ordered.length && former.steps.every((step, at) => step === ordered[at]);
  return unchanged ? former : firingLine(engine, row, ordered);
}

function explained(step: Step, payload: object, context: unknown): Explained {
  const { owner } = step;
  try {
    const skipped = skipReason(step, payload, context);
    return skipped === undefined ? { owner } : { owner, skipped };
  } catch (error) {
    return { owner, skipped: `its condition failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
