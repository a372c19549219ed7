import { isThenable } from "./data.ts";
import type { AnyFire, Line } from "./engine.ts";
import type { FiringRecord, Ports } from "./kernel.ts";

/** A fire that the probe is told of: two clock reads and one record for each firing. */
export function probed(fire: AnyFire, line: Line, probe: NonNullable<Ports["probe"]>): AnyFire {
  const event = line.row.event as FiringRecord["event"];
  const handlers = line.steps.reduce((count, step) => count + (step.members?.length ?? 1), 0);
  const contextAt = line.row.strategy === "wrap" ? 2 : 1;
  return (...given: unknown[]) => {
    const about = { event, payload: given[0] as object, context: given[contextAt], started: probe.now(), handlers };
    const failed = (error: unknown): never => {
      probe.firing({ ...about, error });
      throw error;
    };
    const answered = (answer: unknown): unknown => {
      probe.firing({ ...about, answer });
      return answer;
    };
    let answer: unknown;
    try {
      answer = fire(...given);
    } catch (error) {
      return failed(error);
    }
    return isThenable(answer) ? answer.then(answered, failed) : answered(answer);
  };
}
