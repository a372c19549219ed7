import type { AssistantMessage, ContentPart, Message, ToolCall, Usage } from "#kernel";
import { type FinishReason, type ModelRequest, reasoningEfforts, type ToolDefinition } from "#models";
import { AgentError } from "./error.ts";

type Json = Readonly<Record<string, unknown>>;

function chatContent(content: string | readonly ContentPart[]): unknown {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const url = part.data.startsWith("https:") ? part.data : `data:${part.mediaType};base64,${part.data}`;
    return { type: "image_url", image_url: { url } };
  });
}

function chatCall(call: ToolCall): Json {
  const text = call.malformed ?? JSON.stringify(call.args);
  return { id: call.id, type: "function", function: { name: call.name, arguments: text } };
}

/** A message in OpenAI chat form, the form in which hooks of every dialect see conversations. */
export function chatMessage(message: Message): Record<string, unknown> {
  const content = chatContent(message.content);
  if (message.role === "tool")
    return { role: "tool", tool_call_id: message.toolCallId, name: message.toolName, content };
  if (message.role === "user") return { role: "user", content };
  const calls = message.toolCalls ?? [];
  const reasoning = (message.reasoning ?? []).map((part) => part.text).join("\n");
  return {
    role: "assistant",
    content,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(chatCall) }),
    ...(reasoning === "" ? {} : { reasoning }),
  };
}

const chatReasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  other: "stop",
};
export const chatReason = (reason: FinishReason): string => chatReasons[reason];

/** In OpenAI's words, and in those of Hermes, where `input_tokens` are the ones that no cache had to do with. */
export function chatUsage(usage: Usage): Record<string, unknown> {
  return {
    input_tokens: Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens),
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** A request as the body that request middleware sees and may replace. */
export function chatBody(request: ModelRequest, model: string): Record<string, unknown> {
  const system = request.system === "" ? [] : [{ role: "system", content: request.system }];
  return {
    model,
    messages: [...system, ...request.messages.map(chatMessage)],
    tools: request.tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: tool.parameters },
    })),
    ...(request.maxOutputTokens === undefined ? {} : { max_tokens: request.maxOutputTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.reasoningEffort === undefined ? {} : { reasoning_effort: request.reasoningEffort }),
    ...(request.toolChoice === undefined ? {} : { tool_choice: request.toolChoice }),
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(what: string): AgentError {
  return new AgentError(
    "middleware_failed",
    `a request middleware returned a body whose ${what}; return the body in OpenAI chat form`,
  );
}

function partFrom(part: unknown): ContentPart {
  if (!isObject(part)) throw unreadable("content parts are no objects");
  if (part["type"] === "text") return { type: "text", text: String(part["text"] ?? "") };
  const image = part["image_url"];
  const url = isObject(image) ? image["url"] : image;
  if (typeof url !== "string") throw unreadable(`content holds a part of the unknown type ${String(part["type"])}`);
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data === null) return { type: "image", data: url, mediaType: "image/*" };
  return { type: "image", data: data[2] ?? "", mediaType: data[1] ?? "image/png" };
}

function contentFrom(content: unknown): string | readonly ContentPart[] {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(partFrom);
  throw unreadable("message content is neither text nor a list of parts");
}

function callFrom(value: unknown): ToolCall {
  const call = isObject(value) ? value : {};
  const detail = isObject(call["function"]) ? call["function"] : {};
  const text = detail["arguments"];
  if (typeof call["id"] !== "string" || typeof detail["name"] !== "string")
    throw unreadable("tool_calls lack id or name");
  const base = { id: call["id"], name: detail["name"] };
  if (isObject(text)) return { ...base, args: text };
  try {
    const args: unknown = JSON.parse(String(text ?? "{}"));
    if (isObject(args)) return { ...base, args };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { ...base, args: {}, malformed: String(text) };
}

function assistantFrom(value: Json): AssistantMessage {
  const content = contentFrom(value["content"]);
  const calls = Array.isArray(value["tool_calls"]) ? value["tool_calls"].map(callFrom) : [];
  const text =
    typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { role: "assistant", content: text, ...(calls.length === 0 ? {} : { toolCalls: calls }) };
}

/** The message of a chat form; throws `middleware_failed` for what is none. */
export function messageOf(value: unknown): Message {
  if (!isObject(value)) throw unreadable("messages are no objects");
  if (value["role"] === "assistant") return assistantFrom(value);
  const content = contentFrom(value["content"]);
  if (value["role"] === "user") return { role: "user", content };
  if (value["role"] !== "tool") throw unreadable(`messages have the unknown role ${String(value["role"])}`);
  return {
    role: "tool",
    toolCallId: String(value["tool_call_id"] ?? ""),
    toolName: String(value["name"] ?? ""),
    content,
  };
}

function toolFrom(value: unknown): ToolDefinition {
  const detail = isObject(value) && isObject(value["function"]) ? value["function"] : value;
  if (!isObject(detail) || typeof detail["name"] !== "string") throw unreadable("tools lack a name");
  const parameters = isObject(detail["parameters"]) ? detail["parameters"] : { type: "object", properties: {} };
  return { name: detail["name"], description: String(detail["description"] ?? ""), parameters };
}

const asNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

function choice<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((item) => item === value);
}

function isSystem(value: unknown): value is Json {
  return isObject(value) && (value["role"] === "system" || value["role"] === "developer");
}

/**
 * The request that a rewritten body asks for. Messages that were left as they were stay the very messages of
 * `original`, with whatever their provider needs back. Throws `middleware_failed` for a body that is no chat body.
 */
export function requestFromChatBody(body: Json, original: ModelRequest): ModelRequest {
  const messages = body["messages"];
  if (!Array.isArray(messages)) throw unreadable("`messages` is no list");
  const known = new Map(original.messages.map((message) => [JSON.stringify(chatMessage(message)), message]));
  const system = messages.filter(isSystem).map((message) => contentFrom(message["content"]));
  const rest = messages.filter((message) => !isSystem(message));
  const tools = Array.isArray(body["tools"]) ? body["tools"].map(toolFrom) : original.tools;
  const maxOutputTokens = asNumber(body["max_tokens"] ?? body["max_completion_tokens"]);
  const temperature = asNumber(body["temperature"]);
  const reasoningEffort = choice(body["reasoning_effort"], reasoningEfforts);
  const toolChoice = choice(body["tool_choice"], ["auto", "none", "required"] as const);
  return {
    system: system.map((text) => (typeof text === "string" ? text : JSON.stringify(text))).join("\n\n"),
    messages: rest.map((message) => known.get(JSON.stringify(message)) ?? messageOf(message)),
    tools: JSON.stringify(tools) === JSON.stringify(original.tools) ? original.tools : tools,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
  };
}
