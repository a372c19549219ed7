import type { TurnContext } from "#agent";
import { every, type Log } from "#host";
import type { FiringRecord, HandlerRecord, Ports } from "#kernel";
import { traceNow } from "#trace";
import type { Journal } from "./hooks/event-journal.ts";

const levels = {
  failed: "warning",
  conflict: "warning",
  overridden: "info",
  "rewrite-refused": "warning",
  "re-entered": "warning",
  shadow: "info",
} as const;

/** Connects the kernel to the log and to the trace of the turn in which an event fires. */
export function kernelPorts(log: Log, traced: boolean, journal?: Pick<Journal, "record">): Ports {
  const told = (record: FiringRecord): void => {
    firing(record);
    journal?.record(record);
  };
  return {
    every,
    report: (kind, owner, event, detail) => {
      const what =
        detail instanceof Error ? detail.message : typeof detail === "string" ? detail : JSON.stringify(detail);
      log.write(levels[kind], `${event}: ${owner}: ${kind}: ${what}`);
    },
    ...(traced ? { probe: { now: traceNow, firing: told, handler } } : {}),
  };
}

function recorderOf(context: unknown): TurnContext["trace"] | undefined {
  return typeof context === "object" && context !== null ? (context as Partial<TurnContext>).trace : undefined;
}

function firing({ event, context, started, handlers, answer, error }: FiringRecord): void {
  const verdict = verdictOf(answer);
  recorderOf(context)?.record("event", event, {
    startedAt: started,
    endedAt: traceNow(),
    status: statusOf(error, verdict),
    attributes: { handlers, ...(verdict === undefined ? {} : { verdict }) },
  });
}

function handler({ event, owner, context, started, answer, failure, shadow }: HandlerRecord): void {
  const verdict = verdictOf(answer);
  const endedAt = traceNow();
  recorderOf(context)?.record("handler", owner, {
    startedAt: started ?? endedAt,
    endedAt,
    status: statusOf(failure, verdict),
    attributes: {
      event,
      shadow,
      ...(verdict === undefined ? {} : { verdict }),
      ...(failure === undefined ? {} : { failure: String(failure) }),
    },
  });
}

function statusOf(failure: unknown, verdict: string | undefined): "ok" | "error" | "blocked" {
  if (failure !== undefined) return "error";
  return verdict === "deny" ? "blocked" : "ok";
}

function verdictOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { verdict } = answer as { readonly verdict?: { readonly decision?: string } };
  return verdict?.decision;
}
