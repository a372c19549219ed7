import { setTimeout as delay } from "node:timers/promises";
import { HostError } from "./error.ts";

/** Milliseconds since 1970. */
export const now = (): number => Date.now();

/** Milliseconds for measuring; they never jump. */
export const ticks = (): number => performance.now();

/** Throws `aborted` when the signal says so. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    throw new HostError("aborted", "the wait was aborted", { cause });
  }
}

/** Settles when what the system has told this process of by now has been heard. */
export const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Calls again and again without keeping the process alive; the result stops it. */
export function every(milliseconds: number, call: () => void): () => void {
  const timer = setInterval(call, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/** Calls once, later; the result stops it. The process waits for it only with `keepAlive`. */
export function after(milliseconds: number, call: () => void, keepAlive = false): () => void {
  const timer = setTimeout(call, milliseconds);
  if (!keepAlive) timer.unref();
  return () => clearTimeout(timer);
}
