import { now, ticks } from "#host";

const start = now() - ticks();

/** Epoch milliseconds with a fraction; never goes back while the process lives. */
export function traceNow(): number {
  return start + ticks();
}
