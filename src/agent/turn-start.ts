import type { Delegate } from "./context.ts";
import { dispatching } from "./dispatch.ts";
import { guardrail } from "./guardrail.ts";
import type { TurnInput } from "./room.ts";
import type { RunningTurn } from "./running-turn.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { AgentPorts, AgentSettings } from "./settings.ts";
import type { Surface } from "./surface.ts";
import { guardedSurface } from "./surface-guard.ts";
import { noUsage } from "./tokens.ts";
import { emptyShelf } from "./tool-shelf.ts";
import { turnContext, withSignal } from "./turn-context.ts";

export interface TurnParts {
  readonly ports: AgentPorts;
  readonly settings: AgentSettings;
  readonly memory: SessionMemory;
  readonly input: TurnInput;
  readonly surface: Surface;
  readonly delegateFor: (turn: () => RunningTurn) => Delegate;
}

export interface StartedTurn {
  readonly turn: RunningTurn;
  /** The first one ends the turn; a second one also cuts short what is told at its end. */
  readonly interrupt: (reason: string) => void;
  readonly flush: () => Promise<void>;
}

function signals(input: TurnInput) {
  const controller = new AbortController();
  const closing = new AbortController();
  const interrupt = (reason: string) => (controller.signal.aborted ? closing : controller).abort(reason);
  const signal = input.signal === undefined ? controller.signal : AbortSignal.any([controller.signal, input.signal]);
  return { signal, closing: closing.signal, interrupt };
}

const freshCounters = () => ({
  shelf: emptyShelf,
  system: "",
  isFirstTurn: false,
  addedContext: "",
  anchorSeq: 0,
  iterations: 0,
  apiCalls: 0,
  usage: noUsage,
  halt: undefined,
  exitReason: undefined,
  deferred: undefined,
  unknownInARow: 0,
  continuations: 0,
  batchFeedbacks: 0,
  overflows: 0,
  partial: "",
  answerSeqs: [],
  streamed: "",
  lastText: "",
  compactionFloor: 0,
});

/** Everything a turn needs before its first event. Nothing has happened yet. */
export function startTurn(parts: TurnParts): StartedTurn {
  const { ports, settings, memory, input } = parts;
  const taskId = ports.id("other");
  const turnId = `${memory.id}:${taskId}:${ports.id("other").replaceAll("-", "").slice(-8)}`;
  const { signal, closing, interrupt } = signals(input);
  const recorder = ports.recorder(memory.id, turnId);
  const surface = guardedSurface(parts.surface, ports.log);
  const context = turnContext(memory, ports, {
    taskId,
    turnId,
    apiCalls: () => turn.apiCalls,
    signal,
    surface,
    trace: recorder,
    delegate: parts.delegateFor(() => turn),
    dispatch: dispatching(() => turn),
  });
  const turn: RunningTurn = {
    ...freshCounters(),
    ports,
    settings,
    memory,
    turnId,
    taskId,
    context,
    closing: withSignal(context, closing),
    signal,
    surface,
    recorder,
    span: recorder.start("turn", turnId, {
      attributes: {
        model: memory.route.current.id,
        provider: memory.route.current.provider,
        platform: memory.record.source,
      },
    }),
    guardrail: guardrail(settings.guardrails),
    maxIterations: Math.max(1, input.maxIterations ?? settings.maxIterations),
    userMessage: input.content,
  };
  return { turn, interrupt, flush: () => recorder.flush() };
}
