import type { ContentPart, MaybePromise, Usage } from "#kernel";
import type { OpenSpan, Recorder } from "#trace";
import type { TurnContext } from "./context.ts";
import type { Guardrail } from "./guardrail.ts";
import { raced } from "./interrupt.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { AgentPorts, AgentSettings } from "./settings.ts";
import type { DeferredCall, Surface } from "./surface.ts";
import type { ToolShelf } from "./tool-shelf.ts";

/** Everything about one turn while it runs. Counters and notes are the turn's own; nothing of it outlives the turn. */
export interface RunningTurn {
  readonly ports: AgentPorts;
  readonly settings: AgentSettings;
  readonly memory: SessionMemory;
  readonly turnId: string;
  readonly taskId: string;
  readonly context: TurnContext;
  /** For what is told after an interrupt: the same context with a signal of its own. */
  readonly closing: TurnContext;
  readonly signal: AbortSignal;
  readonly surface: Surface;
  readonly recorder: Recorder;
  readonly span: OpenSpan;
  readonly guardrail: Guardrail;
  readonly maxIterations: number;
  /** Pinned when the turn has its input. */
  shelf: ToolShelf;
  system: string;
  isFirstTurn: boolean;
  userMessage: string | readonly ContentPart[];
  /** Context for this turn only: joined to the person's text in requests, never stored. */
  addedContext: string;
  /** The stored message that `addedContext` goes with. */
  anchorSeq: number;
  iterations: number;
  apiCalls: number;
  usage: Usage;
  /** Set by a handler that ends the turn. */
  halt: string | undefined;
  exitReason: string | undefined;
  /** The call that a hook has put off; the turn is over. */
  deferred: DeferredCall | undefined;
  unknownInARow: number;
  continuations: number;
  batchFeedbacks: number;
  overflows: number;
  /** Text of an answer that the output limit cut into pieces, and where its pieces are stored. */
  partial: string;
  answerSeqs: number[];
  /** Text that was streamed of a model call which has not ended. */
  streamed: string;
  /** Text that came along with the last tool calls. */
  lastText: string;
  /** No compaction is tried again below this many tokens. */
  compactionFloor: number;
}

export interface Ids {
  readonly sessionId: string;
  readonly taskId: string;
  readonly turnId: string;
  readonly apiRequestId: string;
}

export function idsOf(turn: RunningTurn): Ids {
  return {
    sessionId: turn.memory.id,
    taskId: turn.taskId,
    turnId: turn.turnId,
    apiRequestId: turn.context.apiRequestId,
  };
}

interface Universal {
  readonly notice?: readonly string[];
  readonly halt?: string;
}

/** Shows what handlers want the person to see, and notes that one of them ends the turn. */
export function deliver(turn: RunningTurn, answer: Universal | undefined | void): void {
  if (answer === undefined) return;
  for (const text of answer.notice ?? []) turn.surface.emit({ type: "notice", level: "info", text });
  if (answer.halt !== undefined) turn.halt ??= answer.halt;
}

function isThenable<T>(value: MaybePromise<T> | undefined): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value;
}

/** What a firing came to; an interrupt does not wait for its handlers. Unheard events and synchronous handlers cost no wait. */
export function settled<T>(value: MaybePromise<T> | undefined, signal: AbortSignal): MaybePromise<T | undefined> {
  return isThenable(value) ? raced(value, signal) : value;
}

const reminderBytes = 32 * 1024;

function capped(text: string): string {
  if (text.length <= reminderBytes) return text;
  return `${text.slice(0, reminderBytes)}\n… (cut: ${reminderBytes} of ${text.length} characters)`;
}

/** Stores what handlers tell the model, where the event fired. */
export async function remind(turn: RunningTurn, texts: readonly string[]): Promise<void> {
  const given = texts.filter((text) => text.trim() !== "");
  if (given.length === 0) return;
  const body = given.map((text) => `<system-reminder>\n${capped(text)}\n</system-reminder>`).join("\n");
  await turn.memory.history.append(turn.turnId, [{ role: "user", synthetic: true, content: body }]);
}

/** Stores a note of the loop's own or of the person, as a message that the model sees next. */
export async function note(turn: RunningTurn, text: string): Promise<void> {
  await turn.memory.history.append(turn.turnId, [{ role: "user", synthetic: true, content: text }]);
}
