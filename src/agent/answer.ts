import type { AssistantMessage, ToolCall } from "#kernel";
import { isModelError, type ModelResult } from "#models";
import { compact } from "./compaction.ts";
import { toldModel, toldUsage, wantsRoom } from "./compaction-engine.ts";
import { AgentError } from "./error.ts";
import { callModel } from "./model-call.ts";
import { startSession } from "./prologue.ts";
import { buildRequest } from "./request.ts";
import { type RunningTurn, remind } from "./running-turn.ts";
import { spend } from "./spending.ts";
import { addUsage } from "./tokens.ts";

/** Times that one turn makes room after a provider said the request is too long. */
const maxOverflows = 3;

const nudges: readonly (string | undefined)[] = [
  undefined,
  "Your last answer was empty. Go on: give the answer, or call a tool.",
  "Your last answer was empty again. Say in a sentence what you have done and what is left.",
];

/** Summarises the older part and moves what hangs on it. Returns whether there is more room now. */
async function makeRoom(turn: RunningTurn, forced: boolean): Promise<boolean> {
  const { memory, ports, context, surface } = turn;
  const tokens = memory.history.tokens;
  const settings = turn.settings.compaction;
  const done = await compact({ memory, ports, settings, context, surface, trigger: "auto", forced });
  if (done === "nothing") return false;
  // After a failure, or where little was won, wait until the conversation has grown by a tenth.
  turn.compactionFloor = (done === "failed" ? tokens : memory.history.tokens) * 1.1;
  if (done !== "failed" && ports.contextEngine?.() !== undefined) turn.compactionFloor = 0;
  if (done === "failed") return false;
  if (done.seqs.has(turn.anchorSeq)) turn.anchorSeq = done.summarySeq;
  await remind(turn, await startSession(turn));
  return true;
}

/** Whether room is to be made: the context engine says it, or the threshold of the settings. */
async function isFull(turn: RunningTurn, tokens: number, threshold: number): Promise<boolean> {
  const { contextWindow } = turn.memory.route.current;
  const engine = turn.ports.contextEngine?.();
  if (engine !== undefined) await toldModel(turn.ports, engine, turn.memory.route.current);
  const wanted = engine === undefined ? undefined : await wantsRoom(turn, engine, tokens, contextWindow);
  return wanted ?? tokens >= contextWindow * threshold;
}

/** Summarises ahead of a request that would pass the threshold. */
export async function keepRoom(turn: RunningTurn): Promise<void> {
  const { enabled, threshold } = turn.settings.compaction;
  if (!enabled) return;
  const { tokens } = turn.memory.history;
  if (tokens < turn.compactionFloor || !(await isFull(turn, tokens, threshold))) return;
  try {
    await makeRoom(turn, false);
  } catch (error) {
    if (!(error instanceof AgentError) || error.code !== "compaction_refused") throw error;
    turn.compactionFloor = tokens * 1.1;
    turn.surface.emit({ type: "notice", level: "info", text: error.message });
  }
}

async function asked(turn: RunningTurn, nudge: string | undefined): Promise<ModelResult> {
  for (;;) {
    try {
      return await callModel(turn, buildRequest(turn, nudge));
    } catch (error) {
      if (!isModelError(error) || error.code !== "context_overflow" || turn.overflows >= maxOverflows) throw error;
      turn.overflows += 1;
      if (!(await makeRoom(turn, true))) throw error;
    }
  }
}

function isEmpty({ message }: ModelResult): boolean {
  return message.content.trim() === "" && (message.toolCalls?.length ?? 0) === 0;
}

function account(turn: RunningTurn, result: ModelResult): void {
  turn.usage = addUsage(turn.usage, result.usage);
  spend(turn.memory, turn.ports, result.usage);
}

/**
 * The next answer of the model. Too long a conversation is summarised and asked again; an empty answer is asked again
 * three times, with a nudge that is never stored. Undefined: it stayed empty.
 */
export async function nextAnswer(turn: RunningTurn): Promise<ModelResult | undefined> {
  for (const nudge of [undefined, ...nudges]) {
    const result = await asked(turn, nudge);
    account(turn, result);
    await toldUsage(turn.ports, result.usage);
    if (result.finishReason === "content-filter" || !isEmpty(result)) return result;
    turn.surface.emit({ type: "reset", reason: "the answer was empty" });
  }
  return undefined;
}

/** The answer as it is stored: with the calls as they are run. */
export function storedAnswer(result: ModelResult, calls: readonly ToolCall[]): AssistantMessage {
  const { toolCalls: _given, ...rest } = result.message;
  return {
    ...rest,
    finishReason: result.finishReason,
    model: result.responseModel,
    usage: result.usage,
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}
