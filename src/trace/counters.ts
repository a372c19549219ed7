import type { Span } from "./span.ts";

/** How often a handler ran, how long it took (milliseconds) and how it ended. */
export interface HandlerCounters {
  readonly handler: string;
  readonly events: readonly string[];
  readonly count: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly blocked: number;
  readonly failed: number;
}

/** Sums up the spans of kind `handler`, by their name; those that took longest in all come first. */
export function handlerCounters(spans: readonly Span[]): readonly HandlerCounters[] {
  const byName = Map.groupBy(
    spans.filter((span) => span.kind === "handler"),
    (span) => span.name,
  );
  return [...byName]
    .map(([handler, runs]) => ({ counters: counters(handler, runs), total: total(runs) }))
    .sort((one, other) => other.total - one.total)
    .map((each) => each.counters);
}

function counters(handler: string, runs: readonly Span[]): HandlerCounters {
  const times = runs.map(duration).toSorted((one, other) => one - other);
  const events = new Set(
    runs.flatMap((run) => (typeof run.attributes["event"] === "string" ? [run.attributes["event"]] : [])),
  );
  return {
    handler,
    events: [...events].toSorted(),
    count: runs.length,
    medianMs: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    blocked: runs.filter((run) => run.status === "blocked").length,
    failed: runs.filter((run) => run.status === "error").length,
  };
}

function duration(span: Span): number {
  return Math.max(0, span.endedAt - span.startedAt);
}

function total(runs: readonly Span[]): number {
  return runs.reduce((sum, run) => sum + duration(run), 0);
}

/** The smallest value that the given part of all values does not exceed. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
