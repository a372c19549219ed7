import type { Recorder } from "#trace";
import type { Delegate, Dispatch, TurnContext } from "./context.ts";
import { type SessionMemory, stateOf } from "./session-memory.ts";
import type { AgentPorts } from "./settings.ts";
import { helperFor, sideQuestion } from "./side-call.ts";
import { spend } from "./spending.ts";
import type { Surface } from "./surface.ts";

export interface ContextParts {
  readonly taskId: string;
  readonly turnId: string;
  readonly apiCalls: () => number;
  readonly signal: AbortSignal;
  readonly surface: Surface;
  readonly trace: Recorder;
  readonly delegate: Delegate;
  readonly dispatch: Dispatch;
}

/** What handlers, middlewares and tools are given in one turn, over the memory of its session. */
export function turnContext(memory: SessionMemory, ports: AgentPorts, parts: ContextParts): TurnContext {
  const { turnId, apiCalls } = parts;
  return {
    sessionId: memory.id,
    ...memory.identity,
    depth: memory.depth,
    taskId: parts.taskId,
    turnId,
    get apiRequestId() {
      return apiCalls() === 0 ? "" : `${turnId}:api:${apiCalls()}`;
    },
    platform: memory.record.source,
    senderId: memory.senderId,
    get model() {
      return memory.route.current.id;
    },
    get provider() {
      return memory.route.current.provider;
    },
    get cwd() {
      return memory.cwd;
    },
    set cwd(folder: string) {
      memory.cwd = folder;
    },
    signal: parts.signal,
    surface: parts.surface,
    get plan() {
      return memory.layer.plan;
    },
    trace: parts.trace,
    state: stateOf(memory),
    delegate: parts.delegate,
    dispatch: parts.dispatch,
    askModel: async (system, question, signal, task) => {
      const helper = await helperFor(memory, ports, task);
      return sideQuestion(helper, { system, text: question }, signal, (usage) => spend(memory, ports, usage));
    },
  };
}

/** The same context with another signal, for what is told after an interrupt. */
export function withSignal(context: TurnContext, signal: AbortSignal): TurnContext {
  return Object.create(context, { signal: { value: signal, enumerable: true } }) as TurnContext;
}
