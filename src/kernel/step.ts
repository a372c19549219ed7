import type { OnBehalf } from "./chain.ts";
import type { Line } from "./engine.ts";
import type { Step } from "./part.ts";

/** Why a step does not run now. The one function that firings and `explain` share. */
export function skipReason(step: Step, payload: object, context: unknown): string | undefined {
  if (step.entry === undefined) return step.consider?.(payload, context);
  if (step.active || actsFor(context, step.entry)) return reentered;
  return step.consider?.(payload, context);
}

export const reentered = "re-entered: the event is fired on its own behalf";

function actsFor(context: unknown, entry: object): boolean {
  if (typeof context !== "object" || context === null) return false;
  for (let call = (context as OnBehalf).onBehalf; call !== undefined; call = call.parent) {
    if (call.entry === entry) return true;
  }
  return false;
}

/** Asks a step that is `plain`, by a context that acts on nobody's behalf. */
export function askPlain(line: Line, step: Step, payload: object, context: unknown): unknown {
  const { consider, run } = step;
  if (step.active) {
    line.engine.report("re-entered", step.owner, line.row.event, undefined);
    return undefined;
  }
  if (consider !== undefined && consider(payload, context) !== undefined) return undefined;
  step.active = step.entry !== undefined;
  const value = run(payload, context);
  step.active = false;
  return value;
}

export function actsForSomebody(context: unknown): boolean {
  return typeof context === "object" && context !== null && (context as { onBehalf?: unknown }).onBehalf !== undefined;
}
