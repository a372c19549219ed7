import type { AgentSettings } from "./settings.ts";

export interface Observation {
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly failed: boolean;
  /** The tool only reads: the same call with the same result made no progress. */
  readonly idempotent: boolean;
}

type Code = "exact_failure" | "same_tool_failure" | "idempotent_no_progress";

export interface Guardrail {
  /** Why a call must not run again, or undefined. Always undefined without `hardStop`. */
  check(toolName: string, args: Readonly<Record<string, unknown>>): string | undefined;
  /** Notes what a call came to; returns the warning to put after its result. */
  observe(observation: Observation): string | undefined;
}

const advice: Readonly<Record<Code, string>> = {
  exact_failure: "this very call has failed before; change the arguments or the approach",
  same_tool_failure: "this tool keeps failing; look at the errors or use another tool",
  idempotent_no_progress: "this call keeps giving the same result; use what you have",
};

function signature(toolName: string, args: Readonly<Record<string, unknown>>): string {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
  };
  return `${toolName} ${JSON.stringify(sorted(args))}`;
}

/** Watches one turn for calls that go round in circles. Counts start anew with each turn; see docs/reference/turn.md. */
export function guardrail(settings: AgentSettings["guardrails"]): Guardrail {
  const exact = new Map<string, number>();
  const failures = new Map<string, number>();
  const repeats = new Map<string, { readonly result: string; readonly count: number }>();

  const counts = (key: string, toolName: string): readonly (readonly [Code, number])[] => [
    ["exact_failure", exact.get(key) ?? 0],
    ["same_tool_failure", failures.get(toolName) ?? 0],
    ["idempotent_no_progress", repeats.get(key)?.count ?? 0],
  ];
  const limitOf = (limits: AgentSettings["guardrails"]["warnAfter"], code: Code) =>
    ({
      exact_failure: limits.exactFailure,
      same_tool_failure: limits.sameToolFailure,
      idempotent_no_progress: limits.idempotentNoProgress,
    })[code];

  return {
    check(toolName, args) {
      if (!settings.hardStop) return undefined;
      const over = counts(signature(toolName, args), toolName).find(
        ([code, count]) => count >= limitOf(settings.hardStopAfter, code),
      );
      if (over === undefined) return undefined;
      return `[Tool loop stopped: ${over[0]}; count=${over[1]}; ${advice[over[0]]}]`;
    },
    observe({ toolName, args, result, failed, idempotent }) {
      const key = signature(toolName, args);
      if (failed) {
        exact.set(key, (exact.get(key) ?? 0) + 1);
        failures.set(toolName, (failures.get(toolName) ?? 0) + 1);
        repeats.delete(key);
      } else {
        exact.delete(key);
        failures.delete(toolName);
        const before = repeats.get(key);
        if (idempotent) repeats.set(key, { result, count: before?.result === result ? before.count + 1 : 1 });
      }
      if (!settings.warnings) return undefined;
      const over = counts(key, toolName).find(([code, count]) => count >= limitOf(settings.warnAfter, code));
      return over === undefined ? undefined : `[Tool loop warning: ${over[0]}; count=${over[1]}; ${advice[over[0]]}]`;
    },
  };
}
