import type { Result, ToolCall } from "#kernel";
import type { Values } from "./messages.ts";

type ModelResult = Result<"llm_execution">;

const finish: Readonly<Record<ModelResult["finishReason"], string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  other: "stop",
};

/** A model's answer in the form of OpenAI's chat completions, as callbacks of Hermes know it. */
export function toModel({ message, finishReason, usage, responseModel }: ModelResult): Values {
  const calls = message.toolCalls?.map(({ id, name, args, malformed }) => ({
    id,
    type: "function",
    function: { name, arguments: malformed ?? JSON.stringify(args) },
  }));
  const reasoning = message.reasoning?.map(({ text }) => text).join("\n");
  return {
    id: "",
    object: "chat.completion",
    model: responseModel,
    choices: [
      {
        index: 0,
        finish_reason: finish[finishReason],
        message: {
          role: "assistant",
          content: message.content,
          tool_calls: calls ?? null,
          ...(reasoning === undefined ? {} : { reasoning }),
        },
      },
    ],
    usage: {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
      completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    },
  };
}

const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The other way: a bare text, or an answer in that form. Throws for anything else. `before` lends what the form cannot say. */
export function fromModel(value: unknown, before?: ModelResult): ModelResult {
  if (typeof value === "string") return made({ content: value }, {}, before);
  const answer = isRecord(value) ? value : {};
  const choice: unknown = Array.isArray(answer["choices"]) ? answer["choices"][0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  if (!isRecord(choice) || !isRecord(message))
    throw new Error("the answer is no model answer: it has no choices[0].message");
  return made(message, { ...answer, finish: choice["finish_reason"] }, before);
}

const reasons: Readonly<Record<string, ModelResult["finishReason"]>> = {
  stop: "stop",
  tool_calls: "tool-calls",
  length: "length",
  content_filter: "content-filter",
};

function made(message: Values, answer: Values, before: ModelResult | undefined): ModelResult {
  const given: unknown = message["tool_calls"];
  const toolCalls = Array.isArray(given) ? given.flatMap(toolCall) : [];
  const { toolCalls: _, ...rest } = before?.message ?? { role: "assistant" as const, content: "" };
  return {
    message: { ...rest, content: asText(message["content"]), ...(toolCalls.length > 0 ? { toolCalls } : {}) },
    finishReason: toolCalls.length > 0 ? "tool-calls" : (reasons[String(answer["finish"])] ?? "stop"),
    usage: usageOf(answer["usage"], before?.usage),
    responseModel: typeof answer["model"] === "string" ? answer["model"] : (before?.responseModel ?? ""),
  };
}

function asText(content: unknown): string {
  if (typeof content === "string") return content;
  return content === undefined || content === null ? "" : JSON.stringify(content);
}

const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

function usageOf(given: unknown, before: ModelResult["usage"] = noUsage): ModelResult["usage"] {
  const usage = isRecord(given) ? given : {};
  const count = (name: string, otherwise: number): number => {
    const value = usage[name];
    return typeof value === "number" ? value : otherwise;
  };
  return {
    ...before,
    inputTokens: count("prompt_tokens", before.inputTokens),
    outputTokens: count("completion_tokens", before.outputTokens),
  };
}

function toolCall(value: unknown, index: number): readonly ToolCall[] {
  if (!isRecord(value) || !isRecord(value["function"])) return [];
  const { name, arguments: text } = value["function"];
  if (typeof name !== "string") return [];
  const id = typeof value["id"] === "string" && value["id"] !== "" ? value["id"] : `call_python_${index}`;
  if (isRecord(text)) return [{ id, name, args: text }];
  try {
    const args: unknown = JSON.parse(String(text ?? "{}"));
    if (isRecord(args)) return [{ id, name, args }];
  } catch {
    // told below, as with any model that writes broken arguments
  }
  return [{ id, name, args: {}, malformed: String(text) }];
}
