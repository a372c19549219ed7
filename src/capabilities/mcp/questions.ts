import type { Client } from "@modelcontextprotocol/client";
import { type Asking, type CallLimit, callLimit } from "./call-limit.ts";
import type { Answerer, Elicitation } from "./elicitation.ts";

/** The calls of a connection that run, and who answers what the server asks meanwhile. */
export interface Questions {
  /** Runs a call within its time limit. Rejects with the limit's error where that was the reason. */
  during<T>(asking: Asking, limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Takes the questions of a server to whoever made the latest of its calls that run. Without one the answer is `cancel`. */
export function questionsOf(client: Client): Questions {
  const running = new Set<{ readonly limit: CallLimit; readonly answerer: Answerer | undefined }>();
  const askers = new Map<string, Answerer>();
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const calls = [...running];
    const answerer = calls.findLast((call) => call.answerer !== undefined)?.answerer;
    if (answerer === undefined) return { action: "cancel" as const };
    const asked = params as unknown as Elicitation;
    const { message, mode, url, elicitationId, requestedSchema } = asked;
    if (elicitationId !== undefined) askers.set(elicitationId, answerer);
    for (const { limit } of calls) limit.pause();
    try {
      const parts = { url, elicitationId, requestedSchema };
      const known = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
      const reply = await answerer.answer({ message, mode: mode ?? "form", ...known }, mcpReq.signal);
      return reply as { action: "accept"; content: Record<string, string> };
    } finally {
      for (const { limit } of calls) limit.goOn();
    }
  });
  client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
    askers.get(params.elicitationId)?.completed(params.elicitationId);
    askers.delete(params.elicitationId);
  });
  return {
    async during({ signal, answerer }, limitMs, work) {
      const limit = callLimit(limitMs);
      const call = { limit, answerer };
      running.add(call);
      try {
        return await work(AbortSignal.any([signal, limit.signal]));
      } catch (error) {
        throw limit.signal.aborted && !signal.aborted ? limit.signal.reason : error;
      } finally {
        limit.end();
        running.delete(call);
      }
    },
  };
}
