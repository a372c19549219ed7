import { freeze } from "./data.ts";
import { type AnyFire, enter, type Line, leave } from "./engine.ts";
import type { Step } from "./part.ts";

/**
 * The fire of a row that nobody awaits: each handler has a queue of its own, which it shares among all
 * plans, and gets its events one after another. Firing returns at once; a slow handler holds up nobody else.
 */
export function queued(line: Line, fireFold: (line: Line) => AnyFire): AnyFire {
  const singles = line.steps.map((step) => {
    const single: Line = { ...line, steps: [step], parts: [step.part] };
    return { single, step, fire: fireFold(single) };
  });
  return (payload: object, context: unknown): undefined => {
    freeze(payload);
    for (const { single, step, fire } of singles) enqueue(single, step, () => fire(payload, context));
    return undefined;
  };
}

function enqueue(line: Line, step: Step, run: () => unknown): void {
  enter(line);
  const over = () => {
    leave(line);
    if (step.tail === tail) step.tail = undefined;
  };
  // What a handler failed with has been reported by its firing; nobody is left to be told.
  const tail: PromiseLike<void> = (step.tail ?? Promise.resolve()).then(run).then(over, over);
  step.tail = tail;
}
