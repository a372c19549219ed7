import type { Connection } from "../connection.ts";
import type { Wire } from "../wire.ts";
import { withWholeAnswers } from "./whole-answer.ts";

/** OpenAI's chat completions, as nearly every server speaks them. */
export const chatCompletions: Wire = {
  apiMode: "chat_completions",
  returnsReasoning: false,
  imagesInToolResults: false,
  async open(connection, fetch) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const provider = createOpenAICompatible({
      name: connection.provider.name,
      baseURL: connection.baseUrl,
      ...(connection.apiKey !== undefined && { apiKey: connection.apiKey }),
      ...(connection.headers && { headers: { ...connection.headers } }),
      includeUsage: true,
      transformRequestBody: (body) => adapted(body, connection),
      fetch: connection.streaming === false ? fetch : withWholeAnswers(fetch),
    });
    return provider.chatModel(connection.model);
  },
};

/** Servers whose calls take reasoning back. */
export const chatCompletionsWithReasoning: Wire = { ...chatCompletions, returnsReasoning: true };

/** Mistral accepts call ids of nine letters and digits only. */
export const chatCompletionsWithShortIds: Wire = { ...chatCompletions, callId: shortId };

type Body = Record<string, unknown>;

function adapted(body: Body, connection: Connection): Body {
  const { name } = connection.provider;
  const renamed = name === "openai" ? withCompletionLimit(body) : name === "openrouter" ? withEffort(body) : body;
  const marks = name === "openrouter" && connection.cache !== "off";
  return marks && /^anthropic\//.test(connection.model) ? withCacheMarks(renamed) : renamed;
}

/** OpenAI's own newer models refuse `max_tokens`. */
function withCompletionLimit(body: Body): Body {
  const { max_tokens: limit, ...rest } = body;
  return limit === undefined ? body : { ...rest, max_completion_tokens: limit };
}

/** OpenRouter has one name for what each vendor calls otherwise. */
function withEffort(body: Body): Body {
  const { reasoning_effort: effort, ...rest } = body;
  return effort === undefined ? body : { ...rest, reasoning: { effort } };
}

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
}

/** OpenRouter hands Anthropic's cache markers through, on text parts: system prompt and the last two user messages. */
function withCacheMarks(body: Body): Body {
  const messages = body["messages"] as readonly ChatMessage[];
  const ends = messages.flatMap(({ role }, index) => (role === "user" || role === "tool" ? [index] : [])).slice(-2);
  return {
    ...body,
    messages: messages.map((message, index) =>
      (message.role === "system" || ends.includes(index)) && typeof message.content === "string"
        ? { ...message, content: [{ type: "text", text: message.content, cache_control: { type: "ephemeral" } }] }
        : message,
    ),
  };
}

function shortId(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  let hash = 0n;
  for (const character of id) hash = (hash * 131n + BigInt(character.codePointAt(0) ?? 0)) % 36n ** 9n;
  return hash.toString(36).padStart(9, "0");
}
