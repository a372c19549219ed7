import type { ModelResult } from "#models";
import { keepRoom, nextAnswer, storedAnswer } from "./answer.ts";
import { type ResolvedCall, resolveCalls } from "./call-repair.ts";
import { AgentError, errorText } from "./error.ts";
import { prepareInput } from "./prologue.ts";
import { note, type RunningTurn, remind, settled } from "./running-turn.ts";
import { inbox } from "./session-memory.ts";
import { textOf } from "./tokens.ts";
import { runBatch } from "./tool-batch.ts";

/** Answers in a row that name only unknown tools before the turn is given up. */
const maxUnknown = 3;
/** Times that an answer which the output limit cut is continued. */
const maxContinuations = 3;

/** `again`: the model is to be asked once more, unless a handler has ended the turn; `answer`: the text is final; `empty`, `refused`: there is none. */
export type Step =
  | { readonly kind: "again" }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "empty" }
  | { readonly kind: "refused"; readonly text: string };

/** Tells the model what has come in since it was last asked: notes of the person, and of work in the background. */
async function drainNotes(turn: RunningTurn): Promise<void> {
  const waiting = inbox(turn.context);
  while (waiting.length > 0) {
    await note(turn, waiting[0]?.text ?? "");
    waiting.shift();
  }
  const { steering } = turn.memory;
  while (steering.length > 0) {
    const input = await prepareInput(turn, steering[0] ?? "");
    await note(turn, `[A note from the person while you work:]\n${textOf(input.content)}`);
    steering.shift();
    await remind(turn, input.reminders);
  }
}

/**
 * `message_display`: what hooks put in the place of a message, on the screen only. A failure or an interrupt leaves the
 * message as it is: its tool calls are stored already and must still get their results.
 */
async function displayed(turn: RunningTurn, text: string, seq: number): Promise<string> {
  const { context, memory, turnId, signal } = turn;
  const fire = context.plan.on.message_display;
  if (fire === undefined || text === "") return text;
  const payload = { sessionId: memory.id, turnId, messageId: `${turnId}:${seq}`, index: 0, final: true, delta: text };
  try {
    return (await settled(fire(payload, context), signal))?.display ?? text;
  } catch (error) {
    if (!signal.aborted) turn.ports.log("warning", `a message is shown as it is: ${errorText(error)}`);
    return text;
  }
}

async function store(turn: RunningTurn, result: ModelResult, resolved: readonly ResolvedCall[]): Promise<number> {
  const message = storedAnswer(
    result,
    resolved.map(({ call }) => call),
  );
  const [stored] = await turn.memory.history.append(turn.turnId, [message]);
  turn.streamed = "";
  const { inputTokens, outputTokens } = result.usage;
  // Servers that report nothing say 0: then the estimate is the better count.
  if (inputTokens > 0) turn.memory.history.measure(inputTokens + outputTokens);
  turn.surface.emit({
    type: "message",
    text: await displayed(turn, message.content, stored?.seq ?? 0),
    toolCalls: message.toolCalls ?? [],
    usage: result.usage,
  });
  return stored?.seq ?? 0;
}

function countUnknown(turn: RunningTurn, resolved: readonly ResolvedCall[]): void {
  const unknown = resolved.some(({ problem }) => problem?.kind === "unknown_tool");
  turn.unknownInARow = unknown ? turn.unknownInARow + 1 : 0;
}

async function actOn(turn: RunningTurn, result: ModelResult, resolved: readonly ResolvedCall[]): Promise<Step> {
  await store(turn, result, resolved);
  turn.lastText = result.message.content.trim();
  turn.partial = "";
  turn.answerSeqs = [];
  countUnknown(turn, resolved);
  await runBatch(turn, resolved);
  if (turn.unknownInARow >= maxUnknown) {
    const names = resolved.map(({ call }) => call.name).join(", ");
    throw new AgentError(
      "unknown_tools",
      `The model asked for tools that do not exist ${maxUnknown} times in a row (last: ${names}). Try another model, or say which tool to use.`,
    );
  }
  return { kind: "again" };
}

async function continued(turn: RunningTurn): Promise<Step> {
  await note(
    turn,
    "[Your answer was cut by the output limit. Go on exactly where it stopped, without repeating anything.]",
  );
  const seq = turn.memory.history.messages.at(-1)?.seq;
  if (seq !== undefined) turn.answerSeqs.push(seq);
  return { kind: "again" };
}

/** One model call with its tool calls. */
export async function iterate(turn: RunningTurn): Promise<Step> {
  await drainNotes(turn);
  await keepRoom(turn);
  if (turn.halt !== undefined) return { kind: "again" };
  const result = await nextAnswer(turn);
  if (result === undefined) {
    // What the model said beside its last calls is the best answer there is.
    if (turn.partial !== "") return { kind: "answer", text: turn.partial };
    return turn.lastText === "" ? { kind: "empty" } : { kind: "answer", text: turn.lastText };
  }
  if (result.finishReason === "content-filter")
    return { kind: "refused", text: result.message.content || "The model's provider refused to answer this." };
  const resolved = await resolveCalls(turn, result.message.toolCalls ?? [], result.finishReason);
  if (resolved.length > 0) return actOn(turn, result, resolved);
  turn.answerSeqs.push(await store(turn, result, []));
  turn.partial += result.message.content;
  const pieces = Math.ceil(turn.answerSeqs.length / 2);
  if (result.finishReason === "length" && pieces <= maxContinuations) return continued(turn);
  return { kind: "answer", text: turn.partial };
}
