import { isModelError } from "#models";
import { deliverAnswer, stopRefused, sumUp } from "./conclusion.ts";
import type { TurnContext } from "./context.ts";
import { errorText, isAgentError } from "./error.ts";
import { raced, throwIfInterrupted, withinMs } from "./interrupt.ts";
import { iterate } from "./iteration.ts";
import { failureKind } from "./model-call.ts";
import { openTurn, takeUp } from "./prologue.ts";
import { deferredMark, recover } from "./recovery.ts";
import type { TurnInput, TurnResult } from "./room.ts";
import { idsOf, note, type RunningTurn } from "./running-turn.ts";
import type { DeferredCall, TurnOutcome } from "./surface.ts";

/** Milliseconds that the events of a turn's end may take after an interrupt. */
const closingMs = 5_000;

interface Ending {
  readonly outcome: TurnOutcome;
  readonly text: string;
  readonly exitReason: string;
  readonly error?: unknown;
}

async function limitReached(turn: RunningTurn): Promise<Ending> {
  let summary = "";
  try {
    summary = await sumUp(turn);
  } catch (error) {
    throwIfInterrupted(turn.signal);
    turn.ports.log("warning", `no summary could be made at the iteration limit: ${errorText(error)}`);
  }
  const fallback = `The limit of ${turn.maxIterations} steps was reached before the work was done. Say "continue" to go on.`;
  turn.answerSeqs = [];
  const text = await deliverAnswer(turn, summary === "" ? fallback : summary);
  return { outcome: "limit", text, exitReason: "max_iterations" };
}

function haltEnding(turn: RunningTurn): Ending {
  const exitReason = turn.exitReason ?? "hook_halt";
  return { outcome: exitReason === "guardrail_halt" ? "failed" : "refused", text: turn.halt ?? "", exitReason };
}

function deferredEnding({ memory }: RunningTurn, { name, reason }: DeferredCall): Ending {
  const why = reason === undefined ? "" : ` (${reason})`;
  const text = `A hook has put off a call of ${name}${why}. To have it judged again: talaria run --resume ${memory.id}`;
  return { outcome: "deferred", text, exitReason: "tool_deferred" };
}

/** Why the model is not asked again. */
async function overBefore(turn: RunningTurn): Promise<Ending | undefined> {
  if (turn.halt !== undefined) return haltEnding(turn);
  if (turn.deferred !== undefined) return deferredEnding(turn, turn.deferred);
  return turn.iterations >= turn.maxIterations ? limitReached(turn) : undefined;
}

async function work(turn: RunningTurn): Promise<Ending> {
  for (;;) {
    throwIfInterrupted(turn.signal);
    const over = await overBefore(turn);
    if (over !== undefined) return over;
    turn.iterations += 1;
    turn.surface.emit({ type: "iteration", number: turn.iterations, maximum: turn.maxIterations });
    const step = await iterate(turn);
    if (step.kind === "again") continue;
    if (step.kind === "refused") return { outcome: "refused", text: step.text, exitReason: "content_refused" };
    if (step.kind === "empty")
      return {
        outcome: "failed",
        text: "The model gave empty answers only. Try again, or use another model.",
        exitReason: "empty_answer",
      };
    if (await stopRefused(turn, step.text)) {
      turn.partial = "";
      turn.answerSeqs = [];
      continue;
    }
    if (turn.halt !== undefined) return haltEnding(turn);
    return { outcome: "completed", text: await deliverAnswer(turn, step.text), exitReason: "answer" };
  }
}

function endingOf(turn: RunningTurn, error: unknown): Ending {
  if (turn.signal.aborted || isAgentError(error, "interrupted")) {
    const reason = typeof turn.signal.reason === "string" ? turn.signal.reason : "interrupted";
    return { outcome: "interrupted", text: reason, exitReason: "interrupted" };
  }
  const text = errorText(error);
  if (isModelError(error))
    return error.code === "content_refused"
      ? { outcome: "refused", text, exitReason: "content_refused", error }
      : { outcome: "failed", text, exitReason: `model_${error.code}`, error };
  return { outcome: "failed", text, exitReason: isAgentError(error) ? error.code : "error", error };
}

function endText(turn: RunningTurn, { outcome, exitReason, text }: Ending): string {
  if (outcome === "interrupted") return "The person interrupted the turn above.";
  if (exitReason === "content_refused") return "The model's provider refused to answer the turn above.";
  const last = turn.memory.history.messages.at(-1)?.message;
  const answered = last?.role === "assistant" && last.content !== "" && last.toolCalls === undefined;
  const when = answered ? "after the answer" : "before an answer";
  return outcome === "failed"
    ? `The turn above ended with an error ${when}: ${text}`
    : `The turn above was ended ${when}: ${text}`;
}

/** Leaves the reason in the conversation, so that the next turn knows how this one ended. */
async function markEnd(turn: RunningTurn, ending: Ending): Promise<void> {
  const { history } = turn.memory;
  if (ending.outcome === "deferred") {
    // The next turn looks for what is open.
    turn.memory.whole = false;
    return note(turn, deferredMark);
  }
  if (turn.anchorSeq === 0 || ending.outcome === "completed" || ending.outcome === "limit") return;
  if (ending.outcome === "interrupted" && turn.streamed.trim() !== "")
    await history.append(turn.turnId, [{ role: "assistant", content: turn.streamed }]);
  await note(turn, `[${endText(turn, ending)}]`);
}

/** An event of the turn's end: its failure is logged, and after an interrupt it has little time, or none after a second one. */
async function told(turn: RunningTurn, event: string, fire: (context: TurnContext) => unknown): Promise<void> {
  const context = turn.signal.aborted ? turn.closing : turn.context;
  try {
    const heard = raced(Promise.resolve(fire(context)), context.signal);
    await (turn.signal.aborted ? withinMs(heard, closingMs, turn.ports.after) : heard);
  } catch (error) {
    turn.ports.log("warning", `${event} of turn ${turn.turnId} failed: ${errorText(error)}`);
  }
}

/** What every way out does: the error is told, the end is marked, and `on_session_end` fires, true to fact. */
async function close(turn: RunningTurn, ending: Ending): Promise<void> {
  // Results may be missing, for instance where the store failed: the next turn looks for calls without one.
  if (ending.outcome === "failed") turn.memory.whole = false;
  if (ending.error !== undefined) {
    const failure = {
      ...idsOf(turn),
      error: failureKind(ending.error),
      errorDetails: ending.text,
      lastAssistantMessage: ending.text,
    };
    await told(turn, "stop_failure", (context) => context.plan.on.stop_failure?.(failure, context));
  }
  try {
    await markEnd(turn, ending);
  } catch (error) {
    turn.memory.whole = false;
    turn.ports.log("warning", `the end of turn ${turn.turnId} was not noted: ${errorText(error)}`);
  }
  const end = {
    sessionId: turn.memory.id,
    taskId: turn.taskId,
    turnId: turn.turnId,
    completed: ending.outcome === "completed",
    interrupted: ending.outcome === "interrupted",
    model: turn.context.model,
    platform: turn.context.platform,
    reason: ending.exitReason,
    apiRequestId: turn.context.apiRequestId,
  };
  await told(turn, "on_session_end", (context) => context.plan.on.on_session_end?.(end, context));
}

const nothingSaid = "There is nothing to go on with: no call of this session was put off. Say what you want.";

async function main(turn: RunningTurn, input: TurnInput): Promise<Ending> {
  const putOff = await recover(turn);
  throwIfInterrupted(turn.signal);
  if (putOff !== undefined) {
    await takeUp(turn, putOff);
    if (input.content === "" || turn.deferred !== undefined) return work(turn);
  } else if (input.content === "") return { outcome: "failed", text: nothingSaid, exitReason: "empty_prompt" };
  const refusal = await openTurn(turn, input);
  if (refusal !== undefined) return { outcome: "refused", text: refusal.reason, exitReason: "prompt_refused" };
  return work(turn);
}

/** Runs a turn that has claimed its session, to its end. Never rejects. */
export async function runClaimedTurn(turn: RunningTurn, input: TurnInput): Promise<TurnResult> {
  turn.surface.emit({ type: "turn-start", turnId: turn.turnId });
  let ending: Ending;
  try {
    ending = await main(turn, input);
  } catch (error) {
    ending = endingOf(turn, error);
    if (ending.outcome === "failed") turn.ports.log("error", `turn ${turn.turnId} failed: ${ending.text}`);
  }
  await close(turn, ending);
  const { outcome, text, exitReason } = ending;
  const { iterations, usage, deferred } = turn;
  const status = {
    completed: "ok",
    limit: "ok",
    deferred: "ok",
    refused: "blocked",
    interrupted: "cancelled",
    failed: "error",
  } as const;
  turn.span.set({ outcome, exitReason, iterations, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens });
  turn.span.end(status[outcome]);
  const result = { outcome, text, exitReason, iterations, usage };
  return outcome === "deferred" && deferred !== undefined ? { ...result, deferred } : result;
}
