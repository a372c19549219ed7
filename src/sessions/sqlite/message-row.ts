import type { AssistantMessage, ContentPart, Message, Reasoning, ToolCall, Usage } from "#kernel";
import type { StoredMessage } from "../store.ts";
import type { SqlValue } from "./database.ts";

/** What of a message has no column in Hermes's table. */
interface Extra {
  readonly parts?: readonly ContentPart[];
  readonly synthetic?: true;
  readonly isError?: true;
  readonly model?: string;
  readonly usage?: Usage;
  /** Places of calls whose `arguments` are the model's text and no JSON object. */
  readonly malformed?: readonly number[];
}

/** Values of the columns named in `messageColumns`, in that order. */
export type MessageValues = readonly SqlValue[];

export const messageColumns =
  "role, content, tool_call_id, tool_calls, tool_name, finish_reason, token_count, reasoning, reasoning_details, extra";

export function messageValues(message: Message): MessageValues {
  if (message.role === "user") {
    return values(message.role, message.content, { ...(message.synthetic && { synthetic: true }) });
  }
  if (message.role === "tool") {
    const extra: Extra = { ...(message.isError && { isError: true }) };
    return values(message.role, message.content, extra, { callId: message.toolCallId, toolName: message.toolName });
  }
  return values(message.role, message.content, assistantExtra(message), { assistant: message });
}

function values(
  role: Message["role"],
  content: string | readonly ContentPart[],
  extra: Extra,
  rest: { readonly callId?: string; readonly toolName?: string; readonly assistant?: AssistantMessage } = {},
): MessageValues {
  const { assistant } = rest;
  const whole: Extra = typeof content === "string" ? extra : { ...extra, parts: content };
  return [
    role,
    typeof content === "string" ? content : plainText(content),
    rest.callId ?? null,
    assistant?.toolCalls ? wireCalls(assistant.toolCalls) : null,
    rest.toolName ?? null,
    assistant?.finishReason ?? null,
    assistant?.usage?.outputTokens ?? null,
    assistant?.reasoning ? assistant.reasoning.map((part) => part.text).join("\n\n") : null,
    assistant?.reasoning ? JSON.stringify(assistant.reasoning) : null,
    Object.keys(whole).length === 0 ? null : JSON.stringify(whole),
  ];
}

function assistantExtra(message: AssistantMessage): Extra {
  const malformed = (message.toolCalls ?? []).flatMap((call, index) => (call.malformed === undefined ? [] : [index]));
  return {
    ...(message.model !== undefined && { model: message.model }),
    ...(message.usage !== undefined && { usage: message.usage }),
    ...(malformed.length > 0 && { malformed }),
  };
}

/** Text of the parts; an image stands as `[image]`. */
export function plainText(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

function wireCalls(calls: readonly ToolCall[]): string {
  return JSON.stringify(
    calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.malformed ?? JSON.stringify(call.args) },
    })),
  );
}

/** The columns that `storedMessage` reads, in its order. */
export const storedColumns = `id, turn_id, timestamp, active, role, content, tool_call_id, tool_calls, tool_name, finish_reason, reasoning_details, extra`;

/** Reads rows that we wrote exactly, and rows that a program of Hermes's wrote as well as they can be read. */
export function storedMessage(row: readonly SqlValue[]): StoredMessage {
  return {
    seq: Number(row[0]),
    turnId: text(row[1]),
    at: Math.round(Number(row[2]) * 1000),
    message: message(row),
    active: row[3] === 1,
  };
}

function message(row: readonly SqlValue[]): Message {
  const role = row[4];
  const extra = row[11] === null ? undefined : (parsed(row[11]) as Extra | undefined);
  const content = extra?.parts ?? text(row[5]);
  if (role === "assistant") return assistantMessage(row, extra);
  if (role === "tool") {
    const tool = { role, toolCallId: text(row[6]), toolName: text(row[8]), content } as const;
    return extra?.isError ? { ...tool, isError: true } : tool;
  }
  return role === "user" && extra?.synthetic !== true
    ? { role: "user", content }
    : { role: "user", content, synthetic: true };
}

function assistantMessage(row: readonly SqlValue[], extra: Extra | undefined): AssistantMessage {
  const reasoning = row[10] === null ? undefined : parsed(row[10]);
  return {
    role: "assistant",
    content: text(row[5]),
    ...(row[7] !== null && { toolCalls: readCalls(row[7], extra?.malformed ?? []) }),
    ...(isReasoning(reasoning) && { reasoning }),
    ...(row[9] !== null && { finishReason: text(row[9]) }),
    ...(extra?.model !== undefined && { model: extra.model }),
    ...(extra?.usage !== undefined && { usage: extra.usage }),
  };
}

function readCalls(json: SqlValue | undefined, malformed: readonly number[]): readonly ToolCall[] {
  const calls = parsed(json);
  if (!Array.isArray(calls)) return [];
  return calls.map((call: { id?: unknown; function?: { name?: unknown; arguments?: unknown } }, index) => {
    const wire = String(call.function?.arguments ?? "");
    const named = { id: String(call.id ?? ""), name: String(call.function?.name ?? "") };
    const args = malformed.includes(index) ? undefined : parsed(wire);
    return isRecord(args) ? { ...named, args } : { ...named, args: {}, malformed: wire };
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isReasoning(value: unknown): value is readonly Reasoning[] {
  return Array.isArray(value) && value.every((part) => isRecord(part) && typeof part["text"] === "string");
}

function text(value: SqlValue | undefined): string {
  return typeof value === "string" ? value : value === null || value === undefined ? "" : String(value);
}

/** The value, or undefined for what is no JSON: a foreign row must not make a session unreadable. */
export function parsed(json: SqlValue | undefined): unknown {
  if (typeof json !== "string") return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
