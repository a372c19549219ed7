import { freeze, isOpen } from "./data.ts";
import type { AnyFire, Engine, Line } from "./engine.ts";
import { Firing, noAnswer } from "./firing.ts";
import { type Changed, type Core, Onion } from "./onion.ts";
import type { Part, Step } from "./part.ts";
import { probed } from "./probe.ts";
import { queued } from "./queue.ts";
import type { EngineRow } from "./row.ts";
import { actsForSomebody, askPlain } from "./step.ts";

/** A row's array with the function that fires it. */
export interface FiringLine extends Line {
  readonly fire: AnyFire;
}

export function firingLine(engine: Engine, row: EngineRow, steps: readonly Step[]): FiringLine {
  const parts: readonly Part[] = [...new Set(steps.map(({ part }) => part))];
  const line: Line = { engine, row, steps, parts };
  const fire = row.strategy === "wrap" ? fireWrap(line) : row.queued ? queued(line, fireFold) : fireFold(line);
  return { ...line, fire: engine.probe === undefined ? fire : probed(fire, line, engine.probe) };
}

function fireWrap(line: Line): AnyFire {
  return (payload: object, core: Core, context: unknown, changed: Changed) =>
    new Onion(line, core, context, changed).fire(freeze(payload));
}

/** Tell and ask. */
function fireFold(line: Line): AnyFire {
  const { steps, row } = line;
  const plain = row.drafts === undefined && steps.every((step) => step.plain);
  if (plain) return firePlain(line);
  return (payload: object, context: unknown) => Firing.of(line, freeze(payload), context).begin(0);
}

/** As long as no handler answers, waits or fails, this loop is all there is, and it allocates nothing. */
function firePlain(line: Line): AnyFire {
  const { steps, row } = line;
  const nothing = row.strategy === "tell" ? undefined : noAnswer;
  return (payload: object, context: unknown) => {
    if (isOpen(payload)) freeze(payload);
    if (actsForSomebody(context)) return Firing.of(line, payload, context).begin(0);
    let index = 0;
    let value: unknown;
    try {
      for (; index < steps.length && value === undefined; index++) {
        value = askPlain(line, steps[index] as Step, payload, context);
      }
    } catch (error) {
      return Firing.of(line, payload, context, true).threw(index, error);
    }
    return value === undefined ? nothing : Firing.of(line, payload, context, true).given(index - 1, value);
  };
}
