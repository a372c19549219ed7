import type { Message, ToolCall, ToolMessage, Usage, UserMessage } from "#kernel";
import type { Model, ModelCall, ModelRequest, ModelResult } from "../model.ts";
import { understand } from "./request.ts";
import { callOf, type StepCall } from "./step-call.ts";
import { resultOf } from "./step-result.ts";
import { type Wording, wordingFor } from "./wording.ts";

/**
 * The model that answers where none is configured. It is deterministic and says what it is; it understands the requests of
 * `grammar.ts` and carries them out one tool call at a time, reading each result before the next.
 */
export function offlineModel(): Model {
  return {
    provider: "offline",
    id: "offline",
    baseUrl: "",
    apiMode: "offline",
    contextWindow: 128_000,
    acceptsImages: false,
    async generate(request, call) {
      call.signal.throwIfAborted();
      return spoken(answerTo(request), request, call);
    },
  };
}

interface Answer {
  readonly text: string;
  readonly call?: StepCall;
}

function answerTo(request: ModelRequest): Answer {
  const start = request.messages.findLastIndex((message) => message.role === "user" && !message.synthetic);
  const asked = textOf(request.messages[start]);
  const wording = wordingFor(asked);
  if (
    request.tools.length === 0 &&
    /summar|sum up|compact|compress|condense|摘要|总结|压缩/i.test(`${request.system}\n${asked}`)
  ) {
    return { text: wording.summary(asked.slice(0, 2_000)) };
  }
  const steps = understand(asked) ?? understand(firstParagraph(asked));
  if (!steps) return { text: wording.introduction };
  const calls = steps.map((step) => callOf[step.kind](step));
  const results = request.messages.slice(start + 1).filter((message) => message.role === "tool");
  return next(calls, results, request, wording);
}

function next(
  calls: readonly StepCall[],
  messages: readonly ToolMessage[],
  request: ModelRequest,
  wording: Wording,
): Answer {
  const done = calls
    .slice(0, messages.length)
    .map((call, index) => ({ call, result: resultOf(messages[index] as ToolMessage) }));
  const failed = done.some(({ result }) => !result.ok);
  const upcoming = failed ? undefined : calls[done.length];
  const usable = upcoming && request.toolChoice !== "none" && request.tools.some(({ name }) => name === upcoming.name);
  if (upcoming && usable) return { text: wording.before(upcoming), call: upcoming };
  const said = done.map(({ call, result }) =>
    result.ok ? wording.succeeded(call, result) : wording.failed(call, result),
  );
  if (upcoming) said.push(wording.missingTool(upcoming.name));
  const left = calls.length - done.length - (upcoming ? 1 : 0);
  if (left > 0) said.push(wording.skipped(left));
  return { text: [...said, wording.reminder].join("\n\n") };
}

function spoken({ text, call: step }: Answer, request: ModelRequest, { onDelta }: ModelCall): ModelResult {
  for (const piece of text.match(/\S+\s*|\s+/g) ?? []) onDelta?.({ type: "text", text: piece });
  const call: ToolCall | undefined = step && {
    id: `offline_${request.messages.length}`,
    name: step.name,
    args: step.args,
  };
  if (call) onDelta?.({ type: "tool-call", call });
  const usage = usageOf(request, text);
  const finishReason = call ? "tool-calls" : "stop";
  return {
    message: {
      role: "assistant",
      content: text,
      ...(call && { toolCalls: [call] }),
      finishReason,
      model: "offline",
      usage,
    },
    finishReason,
    usage,
    responseModel: "offline",
  };
}

/** What hooks add to a person's message comes after a blank line. */
function firstParagraph(text: string): string {
  return text.trim().split(/\n\s*\n/)[0] ?? "";
}

function textOf(message: Message | undefined): string {
  const content = (message as UserMessage | undefined)?.content ?? "";
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** A guess of four characters per token. It costs nothing. */
function usageOf(request: ModelRequest, text: string): Usage {
  const characters = request.system.length + JSON.stringify(request.messages).length;
  return {
    inputTokens: Math.ceil(characters / 4),
    outputTokens: Math.ceil(text.length / 4),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsd: 0,
  };
}
