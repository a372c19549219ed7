import type { Delegate, DispatchOptions, TurnContext } from "./context.ts";
import { AgentError, errorText } from "./error.ts";
import type { AgentRoom } from "./room.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { Surface } from "./surface.ts";
import { turnContext } from "./turn-context.ts";
import { startTurn } from "./turn-start.ts";

interface IdleCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: DispatchOptions;
  readonly surface: Surface;
}

/** A context outside any turn, for what happens between turns. */
export function idleContext(
  room: AgentRoom,
  memory: SessionMemory,
  surface: Surface,
  signal: AbortSignal,
): TurnContext {
  const { ports } = room;
  return turnContext(memory, ports, {
    taskId: "",
    turnId: "",
    apiCalls: () => 0,
    signal,
    surface,
    trace: ports.recorder(memory.id, ""),
    delegate: noDelegate,
    dispatch: (name, args, options) => dispatchIdle(room, memory, name, { args, options, surface }),
  });
}

const noDelegate: Delegate = async () => {
  throw new AgentError("delegation_refused", "Sub-agents can be started inside a turn only.");
};

/** A call between turns: over a turn that has no model and is never stored. */
export async function dispatchIdle(
  room: AgentRoom,
  memory: SessionMemory,
  name: string,
  { args, options, surface }: IdleCall,
): Promise<string> {
  const input = { content: "", ...(options.signal === undefined ? {} : { signal: options.signal }) };
  const { turn, flush } = startTurn({ ...room, memory, input, surface, delegateFor: () => noDelegate });
  try {
    return await turn.context.dispatch(name, args, options);
  } finally {
    turn.span.end("ok");
    await flush().catch((error: unknown) => room.ports.log("warning", `a trace was not kept: ${errorText(error)}`));
  }
}

/** Work on a session between turns, under its claim. */
export async function between<T>(
  room: AgentRoom,
  memory: SessionMemory,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (memory.running !== undefined)
    throw new AgentError("session_busy", `Session ${memory.id} has a running turn: interrupt it or wait.`);
  const controller = new AbortController();
  const { store } = room.ports;
  const claimed = async () => {
    if (!(await store.claim(memory.id, "")))
      throw new AgentError("session_busy", `Session ${memory.id} is busy in another process.`);
    try {
      await memory.history.refresh();
      return await work(controller.signal);
    } finally {
      await store.release(memory.id);
    }
  };
  // Marked as running before the first wait, so that no turn begins beside it.
  const done = claimed().finally(() => {
    memory.running = undefined;
  });
  memory.running = { interrupt: (reason) => controller.abort(reason), done };
  return done;
}
