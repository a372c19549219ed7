import type { ContentPart, ToolCall } from "#kernel";
import { storedCall } from "./call-repair.ts";
import { chatMessage } from "./chat-form.ts";
import { AgentError } from "./error.ts";
import { raced } from "./interrupt.ts";
import { systemPrompt } from "./prompt.ts";
import { conversationHistory } from "./request.ts";
import type { TurnInput } from "./room.ts";
import { deliver, type RunningTurn, remind, settled } from "./running-turn.ts";
import { textOf } from "./tokens.ts";
import { runBatch } from "./tool-batch.ts";
import { toolShelf } from "./tool-shelf.ts";

type Content = string | readonly ContentPart[];

/** A hook refused the prompt: nothing of it is stored, and the person is told why. */
export interface Refusal {
  readonly reason: string;
}

function turnFacts(turn: RunningTurn) {
  return { sessionId: turn.memory.id, taskId: turn.taskId, turnId: turn.turnId };
}

async function retitle(turn: RunningTurn, title: string | undefined): Promise<void> {
  if (title === undefined || title.trim() === "") return;
  await turn.ports.store.update(turn.memory.id, { title });
  turn.memory.record = { ...turn.memory.record, title };
}

function resumeFacts(turn: RunningTurn) {
  const { memory, ports } = turn;
  if (memory.startSource !== "resume") return {};
  return {
    secondsSinceLastResponse: Math.max(0, Math.round((ports.now() - memory.record.lastActiveAt) / 1000)),
    contextTokens: memory.history.tokens,
  };
}

/** Fires `session_start` where one is due: a new, resumed, cleared or compacted session. Returns what it tells the model. */
export async function startSession(turn: RunningTurn): Promise<readonly string[]> {
  const { memory, context, signal } = turn;
  const source = memory.startSource;
  if (source === undefined) return [];
  const fire = context.plan.on.session_start;
  if (fire === undefined) {
    memory.startSource = undefined;
    return [];
  }
  const payload = {
    sessionId: memory.id,
    source,
    model: memory.route.current.id,
    ...(memory.identity === undefined ? {} : { agentType: memory.identity.agentType }),
    ...(memory.record.title === undefined ? {} : { sessionTitle: memory.record.title }),
    ...resumeFacts(turn),
  };
  const answer = await settled(fire(payload, context), signal);
  memory.startSource = undefined;
  deliver(turn, answer);
  await retitle(turn, answer?.title);
  const first = answer?.initialMessage;
  return [...(answer?.reminder ?? []), ...(first === undefined ? [] : [first])];
}

async function beginSession(turn: RunningTurn): Promise<void> {
  const { memory, context, signal } = turn;
  if (memory.begun) return;
  memory.begun = true;
  const payload = { sessionId: memory.id, model: context.model, platform: context.platform };
  await settled(context.plan.on.on_session_start?.(payload, context), signal);
}

interface Admitted {
  readonly reminders: readonly string[];
  readonly refusal: string | undefined;
}

async function admit(turn: RunningTurn, content: Content): Promise<Admitted> {
  const { context, signal, memory } = turn;
  const fire = context.plan.on.pre_llm_call;
  if (fire === undefined) return { reminders: [], refusal: undefined };
  const payload = {
    ...turnFacts(turn),
    userMessage: content,
    get conversationHistory() {
      return [...conversationHistory(turn), chatMessage({ role: "user", content })];
    },
    isFirstTurn: turn.isFirstTurn,
    model: context.model,
    platform: context.platform,
    senderId: context.senderId,
    source: memory.identity === undefined ? "user" : "system",
    ...(memory.record.title === undefined ? {} : { sessionTitle: memory.record.title }),
  };
  const answer = await settled(fire(payload, context), signal);
  deliver(turn, answer);
  const verdict = answer?.verdict;
  if (verdict?.decision === "deny") return { reminders: [], refusal: verdict.reason ?? "a hook refused this prompt" };
  if (turn.halt !== undefined) return { reminders: [], refusal: turn.halt };
  turn.addedContext = (answer?.context ?? []).filter((text) => text.trim() !== "").join("\n\n");
  await retitle(turn, answer?.title);
  return { reminders: answer?.reminder ?? [], refusal: undefined };
}

async function beforeAgent(turn: RunningTurn, content: Content): Promise<readonly string[]> {
  const { context, signal } = turn;
  const payload = {
    ...turnFacts(turn),
    platform: context.platform,
    model: context.model,
    userMessage: content,
    isFirstTurn: turn.isFirstTurn,
  };
  const answer = await settled(context.plan.on.before_agent?.(payload, context), signal);
  deliver(turn, answer);
  return answer?.reminder ?? [];
}

/** Prepares a piece of input for the model: `before_input` may put contents in the place of mentions. */
export async function prepareInput(
  turn: RunningTurn,
  content: Content,
): Promise<{ readonly content: Content; readonly reminders: readonly string[] }> {
  const { context, signal } = turn;
  const answer = await settled(context.plan.on.before_input?.({ ...turnFacts(turn), content }, context), signal);
  deliver(turn, answer);
  return { content: answer?.content ?? content, reminders: answer?.reminder ?? [] };
}

async function pinPrompt(turn: RunningTurn): Promise<void> {
  const { memory, context } = turn;
  turn.shelf = toolShelf(context, memory.allows);
  if (memory.systemPrompt === undefined) {
    memory.systemPrompt = systemPrompt(context, memory.identity !== undefined);
    await turn.ports.store.update(memory.id, { systemPrompt: memory.systemPrompt });
  }
  // Outside what is stored: a change of the setting reaches sessions that are resumed.
  const more = memory.identity === undefined ? (turn.settings.systemPrompt?.trim() ?? "") : "";
  turn.system = more === "" ? memory.systemPrompt : `${memory.systemPrompt}\n\n${more}`;
}

interface Expanded {
  readonly content: Content;
  readonly reminders: readonly string[];
  readonly refusal?: string | undefined;
}

/** `user_prompt_expansion`: a typed command becomes a prompt, unless a hook refuses. */
async function expanded(turn: RunningTurn, { content, expansion }: TurnInput): Promise<Expanded> {
  if (expansion === undefined || turn.halt !== undefined) return { content, reminders: [] };
  const { context, signal, memory } = turn;
  const payload = {
    sessionId: memory.id,
    expansionType: expansion.type,
    commandName: expansion.name,
    commandArgs: expansion.args,
    commandSource: expansion.source,
    prompt: textOf(content),
  };
  const answer = await settled(context.plan.on.user_prompt_expansion?.(payload, context), signal);
  deliver(turn, answer);
  const denied = answer?.verdict?.decision === "deny" ? (answer.verdict.reason ?? "a hook refused it") : undefined;
  const refusal = denied ?? turn.halt;
  if (refusal !== undefined) return { content, reminders: [], refusal };
  const made = await raced(expansion.expand(signal), signal);
  turn.userMessage = made;
  return { content: made, reminders: answer?.reminder ?? [] };
}

/** Judges a call anew that an earlier turn put off, and runs it where nothing is against it. */
export async function takeUp(turn: RunningTurn, call: ToolCall): Promise<void> {
  const { memory } = turn;
  memory.openingReminders.push(...(await startSession(turn)));
  await beginSession(turn);
  await pinPrompt(turn);
  await runBatch(turn, [storedCall(turn, call)]);
  if (turn.deferred === undefined) await remind(turn, memory.openingReminders.splice(0));
}

/**
 * From the input to a stored prompt: `session_start`, `on_session_start`, `user_prompt_expansion`, `pre_llm_call`, `before_agent`,
 * `before_input`, then the store. A refusal before the store leaves nothing behind.
 */
export async function openTurn(turn: RunningTurn, typed: TurnInput): Promise<Refusal | undefined> {
  const { memory } = turn;
  turn.isFirstTurn = memory.history.messages.length === 0;
  turn.userMessage = typed.content;
  memory.openingReminders.push(...(await startSession(turn)));
  await beginSession(turn);
  const { content: given, reminders: told, refusal } = await expanded(turn, typed);
  if (refusal !== undefined) return { reason: refusal };
  const admitted = turn.halt === undefined ? await admit(turn, given) : { reminders: [], refusal: turn.halt };
  if (admitted.refusal !== undefined) return { reason: admitted.refusal };
  const early = await beforeAgent(turn, given);
  const input = await prepareInput(turn, given);
  if (turn.halt !== undefined) return { reason: turn.halt };
  await remind(turn, memory.openingReminders.splice(0));
  const [stored] = await memory.history.append(turn.turnId, [{ role: "user", content: input.content }]);
  if (stored === undefined) throw new AgentError("middleware_failed", "the store kept nothing of the prompt");
  turn.anchorSeq = stored.seq;
  await remind(turn, [...told, ...admitted.reminders, ...early, ...input.reminders]);
  await pinPrompt(turn);
  return undefined;
}
