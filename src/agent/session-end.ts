import { idleContext } from "./between-turns.ts";
import { errorText } from "./error.ts";
import type { AgentRoom } from "./room.ts";
import { endBackground, type SessionMemory } from "./session-memory.ts";
import type { Surface } from "./surface.ts";
import { guardedSurface, silent } from "./surface-guard.ts";

/** Claude's words for why a session ends. */
function claudeReason(reason: string): string {
  const known = ["clear", "resume", "logout", "prompt_input_exit", "other"];
  if (known.includes(reason)) return reason;
  if (reason === "shutdown") return "prompt_input_exit";
  return reason === "session_boundary" || reason === "new_session" ? "clear" : "other";
}

/** Fires the events of the end, once, and frees what the session held. */
export async function closeSession(
  room: AgentRoom,
  memory: SessionMemory,
  reason: string,
  given: Surface,
): Promise<void> {
  if (memory.closed) return;
  memory.closed = true;
  const { running } = memory;
  running?.interrupt(reason);
  await running?.done.catch(() => undefined);
  const surface = guardedSurface(given, room.ports.log);
  const context = idleContext(room, memory, surface, new AbortController().signal);
  await endBackground(memory, room.ports.after, reason);
  if (!memory.opened) return;
  const facts = { sessionId: memory.id, platform: memory.record.source, reason };
  const end = { sessionId: memory.id, reason: claudeReason(reason), model: context.model };
  try {
    await context.plan.on.on_session_finalize?.(facts, context);
    const told = await context.plan.on.session_end?.(end, context);
    for (const text of told?.notice ?? []) surface.emit({ type: "notice", level: "warning", text });
  } catch (error) {
    room.ports.log("warning", `the end of session ${memory.id} was not told everywhere: ${errorText(error)}`);
  }
  memory.slots.clear();
}

/** Tells of a session that takes the place of another. */
export async function tellReset(room: AgentRoom, memory: SessionMemory, oldSessionId: string): Promise<void> {
  const context = idleContext(room, memory, silent, memory.ending.signal);
  const facts = { platform: memory.record.source, reason: "new_session", oldSessionId, newSessionId: memory.id };
  try {
    await context.plan.on.on_session_reset?.({ sessionId: memory.id, ...facts }, context);
  } catch (error) {
    room.ports.log("warning", `the new session ${memory.id} was not told everywhere: ${errorText(error)}`);
  }
}
