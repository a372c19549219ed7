import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantMessage, ContentPart, Message, Reasoning, ToolMessage } from "#kernel";
import type { ModelRequest } from "./model.ts";

/** How one model wants its prompt. */
export interface PromptStyle {
  readonly provider: string;
  readonly acceptsImages: boolean;
  /** Reasoning goes back to the provider that gave it. */
  readonly returnsReasoning: boolean;
  /** Tool results may hold images; elsewhere these follow in a user message. */
  readonly imagesInToolResults: boolean;
  readonly callId: (id: string) => string;
  /** Marks the end of a prefix that the provider should cache. */
  readonly cacheMark?: SharedV4ProviderOptions;
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** The provider packages' call options. The same request always gives the same bytes, so that a longer one continues the cached prefix. */
export function callOptions(request: ModelRequest, style: PromptStyle): LanguageModelV4CallOptions {
  return {
    prompt: marked(promptOf(request, style), style.cacheMark),
    ...(request.tools.length > 0 && {
      tools: toolsOf(request, style),
      toolChoice: { type: request.toolChoice ?? "auto" },
    }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.reasoningEffort !== undefined && { reasoning: request.reasoningEffort }),
  };
}

function toolsOf(request: ModelRequest, style: PromptStyle): LanguageModelV4FunctionTool[] {
  return request.tools.map((tool, index) => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as LanguageModelV4FunctionTool["inputSchema"],
    ...(style.cacheMark && index === request.tools.length - 1 && { providerOptions: style.cacheMark }),
  }));
}

function promptOf(request: ModelRequest, style: PromptStyle): LanguageModelV4Message[] {
  const prompt: LanguageModelV4Message[] = [];
  if (request.system) prompt.push({ role: "system", content: request.system });
  let results: LanguageModelV4ToolResultPart[] = [];
  let images: UserPart[] = [];
  // Results of one batch stay together: Google counts them against the calls of the message before.
  const closeBatch = () => {
    if (results.length > 0) prompt.push({ role: "tool", content: results });
    if (images.length > 0) prompt.push({ role: "user", content: images });
    results = [];
    images = [];
  };
  for (const message of request.messages) {
    if (message.role === "tool") {
      results.push(resultPart(message, style));
      if (!style.imagesInToolResults) images.push(...imagesOf(message, style));
      continue;
    }
    closeBatch();
    const converted = message.role === "user" ? userMessage(message, style) : assistantMessage(message, style);
    if (converted) prompt.push(converted);
  }
  closeBatch();
  return prompt;
}

function userMessage(message: Extract<Message, { role: "user" }>, style: PromptStyle): LanguageModelV4Message {
  const { content } = message;
  if (typeof content === "string") return { role: "user", content: [{ type: "text", text: content }] };
  return { role: "user", content: content.map((part) => userPart(part, style)) };
}

function userPart(part: ContentPart, style: PromptStyle): UserPart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (!style.acceptsImages) return { type: "text", text: "[An image was here; this model cannot see images.]" };
  return { type: "file", mediaType: part.mediaType, data: imageData(part.data) };
}

function imageData(data: string): LanguageModelV4FilePart["data"] {
  return data.startsWith("https://") || data.startsWith("http://")
    ? { type: "url", url: new URL(data) }
    : { type: "data", data: data.replace(/^data:[^,]*,/, "") };
}

/** Nothing for an answer that said and called nothing: providers refuse empty messages. */
function assistantMessage(message: AssistantMessage, style: PromptStyle): LanguageModelV4Message | undefined {
  const content: AssistantPart[] = [];
  const attached = new Map<unknown, Reasoning>();
  for (const item of message.reasoning ?? []) {
    if (!isOwn(item, style)) continue;
    const callId = item.providerData?.["toolCallId"];
    if (callId === undefined) content.push({ type: "reasoning", text: item.text, ...optionsOf(item) });
    else if (!attached.has(callId)) attached.set(callId, item);
  }
  if (message.content) content.push({ type: "text", text: message.content });
  for (const call of message.toolCalls ?? []) {
    const reasoning = attached.get(call.id);
    content.push({
      type: "tool-call",
      toolCallId: style.callId(call.id),
      toolName: call.name,
      input: call.args,
      ...(reasoning && optionsOf(reasoning)),
    });
  }
  return content.length > 0 ? { role: "assistant", content } : undefined;
}

/** Reasoning of another provider, or without what its provider needs to accept it, stays here. */
function isOwn(item: Reasoning, style: PromptStyle): boolean {
  return style.returnsReasoning && item.providerData?.["provider"] === style.provider;
}

function optionsOf(item: Reasoning): { providerOptions?: SharedV4ProviderOptions } {
  const metadata = item.providerData?.["metadata"];
  return metadata ? { providerOptions: metadata as SharedV4ProviderOptions } : {};
}

function resultPart(message: ToolMessage, style: PromptStyle): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: style.callId(message.toolCallId),
    toolName: message.toolName,
    output: resultOutput(message, style),
  };
}

function resultOutput(message: ToolMessage, style: PromptStyle): LanguageModelV4ToolResultPart["output"] {
  const parts = partsOf(message.content);
  if (style.imagesInToolResults && style.acceptsImages && parts.some((part) => part.type === "image")) {
    return {
      type: "content",
      value: parts.map((part) =>
        part.type === "text"
          ? { type: "text", text: part.text }
          : { type: "file", mediaType: part.mediaType, data: imageData(part.data) },
      ),
    };
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
  return { type: message.isError ? "error-text" : "text", value: text };
}

function imagesOf(message: ToolMessage, style: PromptStyle): UserPart[] {
  if (!style.acceptsImages) return [];
  return partsOf(message.content)
    .filter((part) => part.type === "image")
    .flatMap(
      (part) => [{ type: "text", text: `Image from ${message.toolName}:` }, userPart(part, style)] as UserPart[],
    );
}

function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Marks the system prompt, and the last two messages that are not the model's own: the new end and the one that the previous call cached. */
function marked(prompt: LanguageModelV4Message[], mark: SharedV4ProviderOptions | undefined): LanguageModelV4Message[] {
  if (!mark) return prompt;
  const ends = prompt
    .flatMap((message, index) => (message.role === "user" || message.role === "tool" ? [index] : []))
    .slice(-2);
  return prompt.map((message, index) =>
    message.role === "system" || ends.includes(index) ? { ...message, providerOptions: mark } : message,
  );
}
