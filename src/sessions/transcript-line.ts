import { createHash } from "node:crypto";
import type { AssistantMessage, ContentPart, ToolMessage, Usage, UserMessage } from "#kernel";
import type { StoredMessage } from "./store.ts";

/** What a line says of its session besides the message. */
export interface TranscriptFacts {
  readonly cwd: string;
  readonly gitBranch?: string;
  /** Set for a sub-agent: its lines carry the parent's session id. */
  readonly sidechain?: { readonly parentSessionId: string; readonly agentId: string };
}

/** How a tool looks to readers of Claude's transcripts. */
export interface ClaudeTools {
  call(
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    cwd: string,
  ): { readonly name: string; readonly input: unknown };
  /** The value of `toolUseResult`. */
  response(toolName: string, args: Readonly<Record<string, unknown>>, result: string | readonly ContentPart[]): unknown;
}

export interface LineContext {
  readonly sessionId: string;
  readonly version: string;
  readonly facts: TranscriptFacts;
  readonly tools: ClaudeTools;
  /** Arguments of a call that was made earlier. */
  readonly argsOf: (callId: string) => Readonly<Record<string, unknown>>;
}

/** A line without its parent, which only the file knows. */
export type Line = Readonly<Record<string, unknown>> & { readonly uuid: string };

type Block = Readonly<Record<string, unknown>>;

/** The lines of a message: one per content block of an assistant's, one for any other. See docs/reference/sessions.md, "Transcript". */
export function transcriptLines(stored: StoredMessage, context: LineContext): readonly Line[] {
  const { message } = stored;
  if (message.role === "assistant") {
    const blocks = assistantBlocks(message, context);
    return blocks.map((block, index) => ({
      ...common(stored, context, index),
      type: "assistant",
      requestId: mark("req", stored, context),
      message: assistantMessage(message, block, mark("msg", stored, context)),
    }));
  }
  if (message.role === "tool") return [toolLine(stored, message, context)];
  return [
    {
      ...common(stored, context, 0),
      type: "user",
      ...(message.synthetic && { isMeta: true }),
      message: { role: "user", content: userContent(message) },
    },
  ];
}

function common({ seq, at }: StoredMessage, { sessionId, version, facts }: LineContext, block: number) {
  const { sidechain } = facts;
  return {
    uuid: lineUuid(sessionId, { seq, block }),
    isSidechain: sidechain !== undefined,
    userType: "external",
    cwd: facts.cwd,
    sessionId: sidechain?.parentSessionId ?? sessionId,
    ...(sidechain && { agentId: sidechain.agentId }),
    version,
    gitBranch: facts.gitBranch ?? "",
    timestamp: new Date(at).toISOString(),
  };
}

function assistantBlocks(message: AssistantMessage, { tools, facts }: LineContext): readonly Block[] {
  const thinking = (message.reasoning ?? []).map(({ text, providerData }) => ({
    type: "thinking",
    thinking: text,
    signature: typeof providerData?.["signature"] === "string" ? providerData["signature"] : "",
  }));
  const calls = (message.toolCalls ?? []).map((call) => {
    const { name, input } = tools.call(call.name, call.args, facts.cwd);
    return { type: "tool_use", id: call.id, name, input };
  });
  const text = message.content === "" ? [] : [{ type: "text", text: message.content }];
  const blocks = [...thinking, ...text, ...calls];
  return blocks.length === 0 ? [{ type: "text", text: "" }] : blocks;
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  tool_calls: "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
};

function assistantMessage(message: AssistantMessage, block: Block, id: string) {
  const reason = message.finishReason ?? (message.toolCalls?.length ? "tool-calls" : "stop");
  return {
    id,
    type: "message",
    role: "assistant",
    model: message.model ?? "",
    content: [block],
    stop_reason: stopReasons[reason] ?? "end_turn",
    stop_sequence: null,
    usage: wireUsage(message.usage),
  };
}

/** Claude counts what came from its cache apart from the input. */
function wireUsage(usage: Usage | undefined) {
  const read = usage?.cacheReadTokens ?? 0;
  const written = usage?.cacheWriteTokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.inputTokens ?? 0) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage?.outputTokens ?? 0,
  };
}

function toolLine(stored: StoredMessage, message: ToolMessage, context: LineContext): Line {
  const { toolCallId, toolName, content } = message;
  const result = {
    tool_use_id: toolCallId,
    type: "tool_result",
    content: wireContent(content),
    is_error: message.isError === true,
  };
  return {
    ...common(stored, context, 0),
    type: "user",
    message: { role: "user", content: [result] },
    toolUseResult: context.tools.response(toolName, context.argsOf(toolCallId), content),
  };
}

function userContent(message: UserMessage): string | readonly Block[] {
  return wireContent(message.content);
}

function wireContent(content: string | readonly ContentPart[]): string | readonly Block[] {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? { type: "text", text: part.text } : image(part)));
}

function image({ data, mediaType }: Extract<ContentPart, { type: "image" }>): Block {
  const source = /^https?:/.test(data) ? { type: "url", url: data } : { type: "base64", media_type: mediaType, data };
  return { type: "image", source };
}

function mark(prefix: string, { seq }: StoredMessage, { sessionId }: LineContext): string {
  return `${prefix}_${digest(`${prefix} ${sessionId} ${seq}`).slice(0, 24)}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Which line of the session a line is: the message and the block of it. */
export interface LinePlace {
  readonly seq: number;
  readonly block: number;
}

/** A UUID (version 8) that holds the place of its line, so that a file tells by its last line how far it goes. */
function lineUuid(sessionId: string, { seq, block }: LinePlace): string {
  const session = digest(sessionId);
  const place = seq.toString(16).padStart(12, "0").slice(-12);
  const part = (block & 0xfff).toString(16).padStart(3, "0");
  return `${session.slice(0, 8)}-${session.slice(8, 12)}-8${part}-a${session.slice(12, 15)}-${place}`;
}

export function linePlace(uuid: string): LinePlace | undefined {
  const [, block, seq] = /^[0-9a-f]{8}-[0-9a-f]{4}-8([0-9a-f]{3})-a[0-9a-f]{3}-([0-9a-f]{12})$/.exec(uuid) ?? [];
  if (block === undefined || seq === undefined) return undefined;
  return { seq: Number.parseInt(seq, 16), block: Number.parseInt(block, 16) };
}
