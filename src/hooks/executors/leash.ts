import { after } from "#host";
import type { Execution } from "../executor.ts";

/** Timers of Node fire at once beyond this. */
const longestTimerMs = 2 ** 31 - 1;

/** What ends a run before it ends itself: the rule's time limit, or the end of the turn. */
export interface Leash {
  readonly signal: AbortSignal;
  /** Why it was ended, as the reason of a failure; undefined while it was not. */
  readonly why: () => string | undefined;
  /** Lets go: neither the limit nor the turn ends the run any more. */
  release(): void;
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";

export function leash({ rule, signal }: Pick<Execution, "rule" | "signal">, limitMs: number = rule.timeoutMs): Leash {
  const controller = new AbortController();
  const late = `did not answer within ${limitMs / 1000} s`;
  let why: string | undefined;
  const end = (reason: string): void => {
    why ??= reason;
    controller.abort();
  };
  const interrupted = (): void => end(isTimeout(signal.reason) ? late : "was interrupted");
  const stop = limitMs > longestTimerMs ? undefined : after(limitMs, () => end(late), true);
  if (signal.aborted) interrupted();
  else signal.addEventListener("abort", interrupted, { once: true });
  return {
    signal: controller.signal,
    why: () => why,
    release() {
      stop?.();
      signal.removeEventListener("abort", interrupted);
    },
  };
}
