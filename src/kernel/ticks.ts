/** Milliseconds between two looks at what is pending. */
export const tickMs = 50;

/** A limit in ticks, rounded up and one more, because the first tick may come at once: never early. 0: none. */
export function limitTicks(limitMs: number): number {
  return Number.isFinite(limitMs) ? Math.max(1, Math.ceil(limitMs / tickMs)) + 1 : 0;
}
