import type { ModelRoute } from "#models";
import { idleContext } from "./between-turns.ts";
import { AgentError } from "./error.ts";
import type { AgentRoom } from "./room.ts";
import { inbox, type SessionMemory } from "./session-memory.ts";
import { silent } from "./surface-guard.ts";
/** Changes the model of the turns to come, unless a hook forbids it. */
export async function switchRoute(room: AgentRoom, memory: SessionMemory, route: ModelRoute): Promise<void> {
  // A running turn ends with the model that it began with.
  await memory.running?.done.catch(() => undefined);
  const from = memory.route.current;
  const to = route.current;
  const context = idleContext(room, memory, silent, memory.ending.signal);
  const exchange = {
    fromModel: from.id,
    toModel: to.id,
    requestedModel: to.id,
    source: "command" as const,
    contextTokens: memory.history.tokens,
    promptCacheWarm: memory.usage.cacheReadTokens > 0,
    cacheTtl: "5m" as const,
    estimatedCacheWriteUsd: 0,
    pricing: "default" as const,
  };
  const before = await context.plan.on.pre_model_switch?.(exchange, context);
  const verdict = before?.verdict?.decision;
  if (verdict === "deny" || verdict === "ask" || before?.halt !== undefined) {
    const reason = before?.verdict?.reason ?? before?.halt ?? "a hook refused it";
    throw new AgentError("refused", `The model was not changed to ${to.provider}/${to.id}: ${reason}`);
  }
  memory.route = route;
  if (from.id !== to.id || from.provider !== to.provider) memory.systemPrompt = undefined;
  memory.record = { ...memory.record, model: to.id, provider: to.provider };
  if (memory.stored) await room.ports.store.update(memory.id, { model: to.id, provider: to.provider });
  const after = await context.plan.on.post_model_switch?.(exchange, context);
  for (const text of after?.reminder ?? [])
    inbox(context).push({ text: `<system-reminder>\n${text}\n</system-reminder>` });
}
