export interface BreakerSettings {
  /** Failures in a row after which a rule is left out; 0: never. */
  readonly failures: number;
  /** Milliseconds for which it is left out before it is tried once. */
  readonly openMs: number;
}

export type BreakerState = "closed" | "open" | "half-open";

interface Circuit {
  failures: number;
  openedAt: number | undefined;
  /** The one trial of a half-open circuit runs. */
  trying: boolean;
}

/** Circuit breakers of all rules of a process, by the id of the rule. */
export interface Breakers {
  /** Why the rule is left out now, or undefined. */
  refusal(id: string): string | undefined;
  /** Called when a run starts; a half-open circuit lets one through. */
  started(id: string): void;
  /** The new state, where it changed. */
  ended(id: string, failed: boolean): BreakerState | undefined;
  stateOf(id: string): BreakerState;
}

export function breakers({ failures, openMs }: BreakerSettings, now: () => number): Breakers {
  const circuits = new Map<string, Circuit>();

  const stateOf = (id: string): BreakerState => {
    const openedAt = circuits.get(id)?.openedAt;
    if (openedAt === undefined) return "closed";
    return now() - openedAt < openMs ? "open" : "half-open";
  };

  return {
    stateOf,
    refusal(id) {
      const circuit = circuits.get(id);
      const state = stateOf(id);
      if (circuit?.openedAt === undefined || state === "closed") return undefined;
      if (state === "half-open" && !circuit.trying) return undefined;
      const left = Math.max(0, Math.ceil((circuit.openedAt + openMs - now()) / 1000));
      return `circuit breaker: it failed ${circuit.failures} times in a row; next try in ${left} s`;
    },
    started(id) {
      const circuit = circuits.get(id);
      if (circuit !== undefined && stateOf(id) === "half-open") circuit.trying = true;
    },
    ended(id, failed) {
      if (failures === 0) return undefined;
      const circuit = circuits.get(id);
      if (!failed) {
        circuits.delete(id);
        return circuit?.openedAt === undefined ? undefined : "closed";
      }
      const next = circuit ?? { failures: 0, openedAt: undefined, trying: false };
      circuits.set(id, next);
      next.failures += 1;
      next.trying = false;
      if (next.failures < failures) return undefined;
      next.openedAt = now();
      return "open";
    },
  };
}
