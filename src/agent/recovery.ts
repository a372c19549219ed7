import type { ToolCall } from "#kernel";
import { toolFailure, unanswered, unknownOutcome } from "./pairing.ts";
import type { RunningTurn } from "./running-turn.ts";
import { note } from "./running-turn.ts";

const neverBegan = "Not run: the program ended before this call began. Call it again if it is still wanted.";

const endMark =
  "[The program ended before the turn above was finished. What was done up to there stands; the answer is missing.]";

/** Stands behind a call that a hook has put off, until the call is taken up again. */
export const deferredMark = "[The call above is put off by a hook. It is judged again when this session goes on.]";

/** Whether the conversation stops in the middle of a turn that nobody closed. */
function leftOpen(turn: RunningTurn): boolean {
  const last = turn.memory.history.messages.findLast(
    ({ message }) => !(message.role === "user" && message.synthetic === true && isReminder(message.content)),
  )?.message;
  if (last === undefined) return false;
  if (last.role === "assistant") return (last.toolCalls?.length ?? 0) > 0;
  return last.role === "tool" || last.synthetic !== true;
}

function isReminder(content: unknown): boolean {
  return typeof content === "string" && content.startsWith("<system-reminder>");
}

/**
 * Closes what a dead turn left open, so that the conversation can go on: calls without a result get one that says
 * whether they began, and a note says that the turn was cut off. Nothing is run again.
 * A call that a hook has put off is given back instead, to be judged anew.
 */
export async function recover(turn: RunningTurn): Promise<ToolCall | undefined> {
  const { memory, ports } = turn;
  const { history } = memory;
  const changed = await history.refresh();
  if (history.messages.length === 0 || (memory.whole && !changed)) return undefined;
  const open = unanswered(history.messages);
  const last = history.messages.at(-1);
  if (open.length === 1 && last?.message.role === "user" && last.message.content === deferredMark) {
    await history.deactivate([last.seq]);
    memory.whole = true;
    return open[0];
  }
  const wasOpen = leftOpen(turn);
  if (open.length > 0) {
    const began = new Set((await ports.store.openCalls(memory.id)).map((call) => call.callId));
    const results = open.map((call) => toolFailure(call, began.has(call.id) ? unknownOutcome : neverBegan));
    await history.append(turn.turnId, results);
  }
  if (wasOpen) await note(turn, endMark);
  memory.whole = true;
  return undefined;
}
