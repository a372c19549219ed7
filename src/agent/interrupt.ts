import { AgentError } from "./error.ts";

/** Starts a timer and returns what cancels it. */
export type After = (ms: number, run: () => void) => () => void;

function interruption(signal: AbortSignal): AgentError {
  const reason = signal.reason;
  const text = typeof reason === "string" ? reason : reason instanceof Error ? reason.message : "interrupted";
  return new AgentError("interrupted", text, reason);
}

export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw interruption(signal);
}

/**
 * The work's outcome, or an `interrupted` error as soon as the signal aborts. With `graceMs` the work is given
 * that long to end by itself after the signal, and then left alone (`abandoned`). A late failure of abandoned work is ignored.
 */
export function raced<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
  grace?: { readonly ms: number; readonly after: After },
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let stopTimer: (() => void) | undefined;
    const settle = (finish: () => void) => {
      signal.removeEventListener("abort", aborted);
      stopTimer?.();
      finish();
    };
    function aborted() {
      if (grace === undefined) return settle(() => reject(interruption(signal)));
      stopTimer = grace.after(grace.ms, () =>
        settle(() => reject(new AgentError("abandoned", `did not stop within ${grace.ms} ms of the interrupt`))),
      );
    }
    work.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted, { once: true });
  });
}

/** The work's outcome, or `undefined` when it takes longer than `ms`. A failure is an outcome of `undefined` too. */
export function withinMs<T>(work: PromiseLike<T>, ms: number, after: After): Promise<T | undefined> {
  return new Promise((resolve) => {
    const stop = after(ms, () => resolve(undefined));
    work.then(
      (value) => {
        stop();
        resolve(value);
      },
      () => {
        stop();
        resolve(undefined);
      },
    );
  });
}
