import type { AssistantMessage } from "#kernel";
import { conversationHistory, requestMessages, requestSettings } from "./request.ts";
import { deliver, idsOf, note, type RunningTurn, remind, settled } from "./running-turn.ts";
import { sideCall } from "./side-call.ts";
import { spend } from "./spending.ts";
import { addUsage } from "./tokens.ts";

/** Times in one turn that `stop` may send the model on, where the settings do not say else. */
const usualContinuations = 8;

/** Asks `stop`. True when the turn goes on: its reasons are told to the model. */
export async function stopRefused(turn: RunningTurn, text: string): Promise<boolean> {
  const { context, signal, memory } = turn;
  const payload = {
    ...idsOf(turn),
    stopHookActive: turn.continuations > 0,
    lastAssistantMessage: text,
    backgroundTasks: [...memory.background.keys()].map((id) => ({ id, type: "subagent", status: "running" })),
    sessionCrons: [],
    ...(memory.identity === undefined
      ? {}
      : { agentId: memory.identity.agentId, agentType: memory.identity.agentType }),
  };
  const answer = await settled(context.plan.on.stop?.(payload, context), signal);
  deliver(turn, answer);
  const denied = answer?.verdict?.decision === "deny" ? [answer.verdict.reason ?? "a hook wants you to go on"] : [];
  const reasons = [...denied, ...(answer?.reminder ?? [])];
  if (turn.halt !== undefined || reasons.length === 0) return false;
  const maxContinuations = turn.settings.stopContinuations ?? usualContinuations;
  if (maxContinuations > 0 && turn.continuations >= maxContinuations) {
    const told = `Stop hooks have continued this turn ${maxContinuations} times; it ends now.`;
    turn.surface.emit({ type: "notice", level: "warning", text: told });
    return false;
  }
  turn.continuations += 1;
  await remind(turn, reasons);
  return true;
}

async function rewritten(turn: RunningTurn, given: string): Promise<string> {
  const { context, signal, memory, turnId, taskId } = turn;
  const facts = { sessionId: memory.id, taskId, turnId };
  const after = await settled(context.plan.on.after_agent?.({ ...facts, text: given }, context), signal);
  deliver(turn, after);
  const text = after?.text ?? given;
  if (text === "") return text;
  const payload = { sessionId: memory.id, responseText: text, model: context.model, platform: context.platform };
  const answer = await settled(context.plan.on.transform_llm_output?.(payload, context), signal);
  return answer?.text === undefined || answer.text === "" ? text : answer.text;
}

function answerMessage(turn: RunningTurn, text: string): AssistantMessage {
  const last = turn.memory.history.messages.at(-1)?.message;
  const model = last?.role === "assistant" ? last.model : undefined;
  return { role: "assistant", content: text, ...(model === undefined ? {} : { model }) };
}

/** Makes the stored answer the delivered one. What the model said before stays in the store, inactive. */
async function keepAnswer(turn: RunningTurn, said: string, delivered: string): Promise<void> {
  const { history } = turn.memory;
  if (turn.answerSeqs.length === 0) {
    await history.append(turn.turnId, [answerMessage(turn, delivered)]);
  } else if (said !== delivered) {
    await history.replace(turn.answerSeqs, [answerMessage(turn, delivered)]);
  }
}

/** `after_agent` → `transform_llm_output` → `post_llm_call`. Returns the text as it is delivered. */
export async function deliverAnswer(turn: RunningTurn, said: string): Promise<string> {
  const { context, signal, memory, turnId, taskId } = turn;
  const text = await rewritten(turn, said);
  await keepAnswer(turn, said, text);
  if (text === "") return text;
  const fire = context.plan.on.post_llm_call;
  if (fire === undefined) return text;
  const payload = {
    sessionId: memory.id,
    taskId,
    turnId,
    userMessage: turn.userMessage,
    assistantResponse: text,
    get conversationHistory() {
      return conversationHistory(turn);
    },
    model: context.model,
    platform: context.platform,
  };
  await settled(fire(payload, context), signal);
  return text;
}

/** One call without tools that sums up where the iteration budget ended the work. Hooks do not see it. */
export async function sumUp(turn: RunningTurn): Promise<string> {
  const { memory, ports, signal } = turn;
  await note(
    turn,
    `[The limit of ${turn.maxIterations} steps for this turn is reached. Without calling tools, sum up what was done, what is left, and how to go on.]`,
  );
  const request = {
    system: turn.system,
    messages: requestMessages(turn),
    tools: turn.shelf.definitions,
    ...requestSettings(turn),
    toolChoice: "none" as const,
  };
  const result = await sideCall(memory.route, request, signal);
  turn.usage = addUsage(turn.usage, result.usage);
  spend(memory, ports, result.usage);
  return result.message.content.trim();
}
