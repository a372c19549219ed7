import type { Message, Usage } from "#kernel";
import type { Model } from "#models";
import type { StoredMessage } from "#sessions";
import { chatMessage, messageOf } from "./chat-form.ts";
import type { Compaction } from "./compaction-job.ts";
import type { CompactionEngine } from "./context-engine.ts";
import { errorText, isAgentError } from "./error.ts";
import { raced } from "./interrupt.ts";
import { paired } from "./pairing.ts";
import type { AgentPorts } from "./settings.ts";
import { estimateTokens } from "./tokens.ts";

type Json = Readonly<Record<string, unknown>>;

/** What takes the place of what. */
export interface Replacement {
  readonly old: readonly StoredMessage[];
  readonly messages: readonly Message[];
  readonly summary: string;
}

const opening = "[The beginning of this conversation was left out.]";

function reported(job: Pick<Compaction, "surface">, engine: CompactionEngine, text: string): void {
  job.surface.emit({ type: "notice", level: "warning", text: `The context engine "${engine.name}" ${text}` });
}

const inChatForm = (stored: readonly StoredMessage[]): readonly Json[] =>
  stored.map(({ message }) => chatMessage(message));

/** The model that each engine was last told of. */
const toldModels = new WeakMap<CompactionEngine, string>();

/** Tells the engine of the session's model where it does not know it. Its failure is logged. */
export async function toldModel(
  ports: Pick<AgentPorts, "log">,
  engine: CompactionEngine,
  { id: model, provider, contextWindow: contextLength, baseUrl, apiMode }: Model,
): Promise<void> {
  const facts = { model, provider, contextLength, baseUrl, apiMode };
  const key = JSON.stringify(facts);
  if (engine.updateModel === undefined || toldModels.get(engine) === key) return;
  toldModels.set(engine, key);
  try {
    await engine.updateModel(facts);
  } catch (error) {
    ports.log("warning", `the context engine "${engine.name}" could not take the model: ${errorText(error)}`);
  }
}

/** Whether the engine wants to make room; undefined where it could not say. */
export async function wantsRoom(
  job: Pick<Compaction, "surface">,
  engine: CompactionEngine,
  tokens: number,
  window: number,
): Promise<boolean | undefined> {
  try {
    return (await engine.shouldCompress(tokens, window)) === true;
  } catch (error) {
    reported(job, engine, `could not say whether room is needed: ${errorText(error)}`);
    return undefined;
  }
}

export async function hasContent(job: Compaction, engine: CompactionEngine): Promise<boolean> {
  const stored = paired(job.memory.history.messages);
  if (stored.length === 0) return false;
  try {
    return (await engine.hasContentToCompress?.(inChatForm(stored))) !== false;
  } catch (error) {
    reported(job, engine, `could not say whether there is something to leave out: ${errorText(error)}`);
    return true;
  }
}

/** Tells the engine what the provider counted. Its failure is logged. */
export async function toldUsage(ports: Pick<AgentPorts, "contextEngine" | "log">, usage: Usage): Promise<void> {
  const engine = ports.contextEngine?.();
  if (engine?.updateFromResponse === undefined) return;
  try {
    await engine.updateFromResponse({
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      reasoning_tokens: usage.reasoningTokens,
    });
  } catch (error) {
    ports.log("warning", `the context engine "${engine.name}" could not take the usage: ${errorText(error)}`);
  }
}

/** What is wrong with a list of messages that is to be sent; undefined where it is whole. */
function flaw(messages: readonly Message[]): string | undefined {
  if (!messages.some(({ role }) => role === "user")) return "gave no message of the person";
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.toolCallId)) return `gave the result of ${message.toolCallId} without its call`;
      continue;
    }
    if (open.size > 0) return `left out the result of ${[...open].join(", ")}`;
    open = new Set(message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : []);
  }
  return open.size > 0 ? `left out the result of ${[...open].join(", ")}` : undefined;
}

function read(returned: unknown, stored: readonly StoredMessage[]): readonly Message[] {
  if (!Array.isArray(returned)) throw new Error("gave no list of messages");
  const known = new Map(stored.map(({ message }) => [JSON.stringify(chatMessage(message)), message]));
  const messages = returned.map((value: unknown): Message => {
    const same = known.get(JSON.stringify(value));
    if (same !== undefined) return same;
    const role = typeof value === "object" && value !== null && "role" in value ? value.role : undefined;
    if (role !== "system") return messageOf(value);
    return { ...messageOf({ ...(value as object), role: "user" }), synthetic: true } as Message;
  });
  const wrong = flaw(messages);
  if (wrong !== undefined) throw new Error(wrong);
  return messages[0]?.role === "user" ? messages : [{ role: "user", synthetic: true, content: opening }, ...messages];
}

function differing(stored: readonly StoredMessage[], messages: readonly Message[]): Replacement {
  const same = (at: number, from: number): boolean => stored[at]?.message === messages[from];
  let head = 0;
  while (head < stored.length && head < messages.length && same(head, head)) head += 1;
  let tail = 0;
  const least = Math.min(stored.length, messages.length) - head;
  while (tail < least && same(stored.length - 1 - tail, messages.length - 1 - tail)) tail += 1;
  const added = messages.slice(head, messages.length - tail);
  const summary = added.map(({ content }) => (typeof content === "string" ? content : "")).join("\n\n");
  return { old: stored.slice(head, stored.length - tail), messages: added, summary };
}

const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + estimateTokens(message), 0);

/**
 * What the engine makes of the conversation; undefined where it failed or gave nonsense, which the person is told.
 * Pairs of call and result are never torn.
 */
export async function engineReplacement(job: Compaction, engine: CompactionEngine): Promise<Replacement | undefined> {
  const { memory, context } = job;
  const stored = paired(memory.history.messages);
  const options = {
    currentTokens: memory.history.tokens,
    signal: context.signal,
    ...(job.instructions === undefined ? {} : { focusTopic: job.instructions }),
  };
  try {
    const returned = await raced(Promise.resolve(engine.compress(inChatForm(stored), options)), context.signal);
    const replacement = differing(stored, read(returned, stored));
    const won = tokensOf(replacement.old.map(({ message }) => message)) - tokensOf(replacement.messages);
    if (job.forced && won <= 0) throw new Error("made no room");
    return replacement;
  } catch (error) {
    if (context.signal.aborted || isAgentError(error, "interrupted")) throw error;
    reported(job, engine, `${errorText(error)}; the conversation is summarised instead`);
    return undefined;
  }
}
