import { delegation } from "./delegate.ts";
import { errorText } from "./error.ts";
import type { AgentRoom, TurnInput, TurnResult } from "./room.ts";
import { openSession, type Session } from "./session.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { OpenOptions } from "./session-opening.ts";
import type { AgentPorts, AgentSettings } from "./settings.ts";
import type { Surface } from "./surface.ts";
import { noUsage } from "./tokens.ts";
import { runClaimedTurn } from "./turn.ts";
import { type StartedTurn, startTurn } from "./turn-start.ts";

export interface Agent {
  open(options: OpenOptions): Promise<Session>;
  /** Runs one turn to its end; never rejects. */
  runTurn(session: Session, input: TurnInput, surface: Surface): Promise<TurnResult>;
}

function failed(text: string, exitReason: string): TurnResult {
  return { outcome: "failed", text, exitReason, iterations: 0, usage: noUsage };
}

async function claimed(room: AgentRoom, memory: SessionMemory, turnId: string): Promise<TurnResult | undefined> {
  const { store } = room.ports;
  try {
    if (!memory.stored) {
      const { id, record, route, cwd, identity } = memory;
      const { id: model, provider } = route.current;
      const parent = identity === undefined ? {} : { parentSessionId: identity.parentSessionId };
      memory.record = await store.create({ id, source: record.source, cwd, model, provider, ...parent });
      memory.stored = true;
    }
    if (await store.claim(memory.id, turnId)) return undefined;
    const text = `Session ${memory.id} is busy in another process. Wait until its turn has ended, or start a new session.`;
    return failed(text, "session_busy");
  } catch (error) {
    return failed(`Session ${memory.id} could not be opened for a turn: ${errorText(error)}`, "store_failed");
  }
}

async function leave(room: AgentRoom, memory: SessionMemory, started: StartedTurn): Promise<void> {
  const { store, log } = room.ports;
  try {
    if (memory.cwd !== memory.record.cwd) {
      await store.update(memory.id, { cwd: memory.cwd });
      memory.record = { ...memory.record, cwd: memory.cwd };
    }
    await memory.accounting;
    await store.release(memory.id);
    await started.flush();
  } catch (error) {
    log("warning", `turn ${started.turn.turnId} was not put away whole: ${errorText(error)}`);
  }
}

async function held(
  room: AgentRoom,
  memory: SessionMemory,
  started: StartedTurn,
  input: TurnInput,
): Promise<TurnResult> {
  const { turn } = started;
  const refusal = await claimed(room, memory, turn.turnId);
  if (refusal !== undefined) {
    turn.span.end("error");
    return refusal;
  }
  try {
    return await runClaimedTurn(turn, input);
  } catch (error) {
    room.ports.log("error", `turn ${turn.turnId} broke: ${errorText(error)}`);
    return failed(errorText(error), "error");
  } finally {
    await leave(room, memory, started);
  }
}

async function run(room: AgentRoom, memory: SessionMemory, input: TurnInput, surface: Surface): Promise<TurnResult> {
  if (memory.closed) return failed(`Session ${memory.id} is closed.`, "session_closed");
  if (memory.running !== undefined)
    return failed(`Session ${memory.id} is busy with another turn. Steer or interrupt it, or wait.`, "session_busy");
  const delegateFor = delegation(room);
  const started = startTurn({ ...room, memory, input, surface, delegateFor });
  const { turn, interrupt } = started;
  const opened = memory.opened;
  memory.opened = true;
  if (!opened) turn.surface.emit({ type: "session", sessionId: memory.id, resumed: memory.stored });
  const work = held(room, memory, started, input);
  memory.running = { interrupt, done: work };
  memory.turn = turn;
  const result = await work;
  memory.running = undefined;
  memory.turn = undefined;
  const { outcome, text, usage, iterations, deferred } = result;
  const putOff = deferred === undefined ? {} : ({ stopReason: "tool_deferred", deferredToolUse: deferred } as const);
  turn.surface.emit({ type: "turn-end", outcome, text, usage, iterations, ...putOff });
  return result;
}

/** The loop over its ports. One `Agent` serves all sessions of a process. */
export function createAgent(ports: AgentPorts, settings: AgentSettings): Agent {
  const memories = new WeakMap<Session, SessionMemory>();
  const room: AgentRoom = { ports, settings, run: (memory, input, surface) => run(room, memory, input, surface) };
  return {
    async open(options) {
      const { session, memory } = await openSession(room, options);
      memories.set(session, memory);
      return session;
    },
    async runTurn(session, input, surface) {
      const memory = memories.get(session);
      if (memory === undefined) return failed(`Session ${session.id} was opened by another agent.`, "session_closed");
      return run(room, memory, input, surface);
    },
  };
}
