import type { Usage } from "#kernel";
import type { ModelRoute, ReasoningEffort } from "#models";
import type { SessionRecord } from "#sessions";
import { between, dispatchIdle, idleContext } from "./between-turns.ts";
import { compact } from "./compaction.ts";
import type { DispatchOptions } from "./context.ts";
import { switchRoute } from "./model-switch.ts";
import type { AgentRoom } from "./room.ts";
import { closeSession, tellReset } from "./session-end.ts";
import type { SessionMemory } from "./session-memory.ts";
import { newMemory, type OpenOptions } from "./session-opening.ts";
import type { Surface } from "./surface.ts";
import { guardedSurface, silent } from "./surface-guard.ts";
import { textOf } from "./tokens.ts";
import type { Tool } from "./tool.ts";
import { toolShelf } from "./tool-shelf.ts";

/** A session in memory. One turn at a time; `steer` and `interrupt` act on the running one. */
export interface Session {
  readonly id: string;
  readonly record: SessionRecord;
  readonly route: ModelRoute;
  readonly cwd: string;
  readonly usage: Usage;
  /** What the model would be given now, in the order of the chain. */
  tools(): readonly Tool[];
  /** Changes the model of the following turns. Rejects with `refused` when a hook forbids it. */
  useRoute(route: ModelRoute): Promise<void>;
  /** How hard the model thinks from the next call on; undefined: as its provider does by itself. */
  reasoningEffort: ReasoningEffort | undefined;
  /** A note that the model sees with the next tool result of the running turn, else at the start of the next turn. */
  steer(text: string): void;
  interrupt(reason: string): void;
  /** Summarises the older part now. Resolves with message counts. */
  compact(surface: Surface, instructions?: string): Promise<{ readonly before: number; readonly after: number }>;
  /** Runs a tool between turns, or over the running one; see `Dispatch`. */
  dispatch(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: DispatchOptions & { readonly surface?: Surface },
  ): Promise<string>;
  /** Takes the last turn out of the conversation and returns its user text. */
  undo(): Promise<string | undefined>;
  /** Fires the events of a session's end and frees its state; what hooks have to say goes to the surface. */
  close(reason: string, surface?: Surface): Promise<void>;
}

async function compactNow(room: AgentRoom, memory: SessionMemory, given: Surface, instructions?: string) {
  const count = memory.history.messages.length;
  if (!memory.stored) return { before: count, after: count };
  return between(room, memory, async (signal) => {
    const surface = guardedSurface(given, room.ports.log);
    const context = idleContext(room, memory, surface, signal);
    const settings = room.settings.compaction;
    const job = { memory, ports: room.ports, settings, context, surface, trigger: "manual" as const, forced: false };
    const done = await compact({ ...job, instructions });
    const now = memory.history.messages.length;
    return typeof done === "string" ? { before: now, after: now } : { before: done.before, after: done.after };
  });
}

async function undoLast(room: AgentRoom, memory: SessionMemory): Promise<string | undefined> {
  if (!memory.stored) return undefined;
  return between(room, memory, async () => {
    const { messages } = memory.history;
    const start = messages.findLastIndex(({ message }) => message.role === "user" && message.synthetic !== true);
    const last = messages[start];
    if (last === undefined) return undefined;
    const gone = messages.filter((stored, index) => index >= start || stored.turnId === last.turnId);
    await memory.history.deactivate(gone.map(({ seq }) => seq));
    return textOf(last.message.content);
  });
}

export async function openSession(
  room: AgentRoom,
  options: OpenOptions,
): Promise<{ readonly session: Session; readonly memory: SessionMemory }> {
  const memory = await newMemory(room, options);
  if (options.replaces !== undefined) await tellReset(room, memory, options.replaces);
  const session: Session = {
    id: memory.id,
    get record() {
      return memory.record;
    },
    get route() {
      return memory.route;
    },
    get cwd() {
      return memory.cwd;
    },
    get usage() {
      return memory.usage;
    },
    tools: () => [...toolShelf(idleContext(room, memory, silent, memory.ending.signal), memory.allows).tools.values()],
    useRoute: (route) => switchRoute(room, memory, route),
    get reasoningEffort() {
      return memory.reasoningEffort;
    },
    set reasoningEffort(effort) {
      memory.reasoningEffort = effort;
    },
    steer: (text) => {
      if (text.trim() !== "") memory.steering.push(text);
    },
    interrupt: (reason) => memory.running?.interrupt(reason),
    compact: (surface, instructions) => compactNow(room, memory, surface, instructions),
    undo: () => undoLast(room, memory),
    dispatch: (name, args, { surface = silent, ...options }) =>
      memory.turn === undefined
        ? dispatchIdle(room, memory, name, { args, options, surface })
        : memory.turn.context.dispatch(name, args, options),
    close: (reason, surface = silent) => closeSession(room, memory, reason, surface),
  };
  return { session, memory };
}
