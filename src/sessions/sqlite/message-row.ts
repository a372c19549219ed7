import type { ContentPart, Message, ToolCall } from "#kernel";
import type { StoredMessage } from "../store.ts";
import type { SqlRow, SqlValue } from "./database.ts";

/** What of a stored message is not in the columns `content` and `tool_calls`, kept whole so that reading it costs one parse. */
interface Envelope {
  readonly turnId: string;
  readonly at: number;
  readonly message: Readonly<Record<string, unknown>>;
  /** Places of calls whose `arguments` are the model's text and no JSON object. */
  readonly malformed?: readonly number[];
}

export interface Place {
  readonly turnId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export const messageColumns =
  "role, content, tool_call_id, tool_calls, tool_name, finish_reason, token_count, reasoning, turn_id, timestamp, extra";

/** Values of `messageColumns`: those of Hermes's table, then ours. */
export function messageValues(message: Message, { turnId, at }: Place): readonly SqlValue[] {
  const assistant = message.role === "assistant" ? message : undefined;
  const tool = message.role === "tool" ? message : undefined;
  const calls = assistant?.toolCalls;
  return [
    message.role,
    plainText(message.content),
    tool?.toolCallId ?? null,
    calls ? JSON.stringify(calls.map(wireCall)) : null,
    tool?.toolName ?? null,
    assistant?.finishReason ?? null,
    assistant?.usage?.outputTokens ?? null,
    assistant?.reasoning ? assistant.reasoning.map((part) => part.text).join("\n\n") : null,
    turnId,
    at / 1000,
    JSON.stringify(envelope(message, { turnId, at })),
  ];
}

function envelope(message: Message, { turnId, at }: Place): Envelope {
  const kept: Record<string, unknown> = { ...message };
  if (typeof message.content === "string") delete kept["content"];
  if (message.role !== "assistant") return { turnId, at, message: kept };
  delete kept["toolCalls"];
  const malformed = (message.toolCalls ?? []).flatMap((call, index) => (call.malformed === undefined ? [] : [index]));
  return { turnId, at, message: kept, ...(malformed.length > 0 && { malformed }) };
}

function wireCall(call: ToolCall): object {
  const { id, name, args, malformed } = call;
  return { id, type: "function", function: { name, arguments: malformed ?? JSON.stringify(args) } };
}

/** Text of the parts; an image stands as `[image]`. */
function plainText(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

/** The columns of `storedMessage`, in its order. */
export const storedColumns = "id, extra, content, tool_calls, active";

/** A row that we wrote; undefined for one that another program did. */
export function storedMessage(row: readonly SqlValue[]): StoredMessage | undefined {
  const [seq, extra, content, calls, active] = row;
  if (typeof extra !== "string") return undefined;
  const { turnId, at, message, malformed } = JSON.parse(extra) as Envelope;
  const whole = message as Record<string, unknown>;
  if (whole["content"] === undefined) whole["content"] = content;
  if (typeof calls === "string") whole["toolCalls"] = readCalls(calls, malformed);
  return { seq: Number(seq), turnId, at, message: whole as unknown as Message, active: active === 1 };
}

/** A row that a program made for Hermes wrote, as well as it can be read. */
export function foreignMessage(row: SqlRow): StoredMessage {
  return {
    seq: Number(row["id"]),
    turnId: text(row["turn_id"]),
    at: Math.round(Number(row["timestamp"]) * 1000),
    message: foreign(row),
    active: row["active"] === 1,
  };
}

function foreign(row: SqlRow): Message {
  const content = text(row["content"]);
  if (row["role"] === "tool") {
    return { role: "tool", toolCallId: text(row["tool_call_id"]), toolName: text(row["tool_name"]), content };
  }
  if (row["role"] === "assistant") {
    const calls = row["tool_calls"];
    return {
      role: "assistant",
      content,
      ...(typeof calls === "string" && calls !== "" && { toolCalls: readCalls(calls) }),
      ...(typeof row["finish_reason"] === "string" && { finishReason: row["finish_reason"] }),
    };
  }
  return row["role"] === "user" ? { role: "user", content } : { role: "user", content, synthetic: true };
}

interface WireCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

function readCalls(json: string, malformed: readonly number[] = []): readonly ToolCall[] {
  const calls = parsed(json);
  if (!Array.isArray(calls)) return [];
  return calls.map((call: WireCall | null, index) => {
    const wire = text(call?.function?.arguments);
    const named = { id: text(call?.id), name: text(call?.function?.name) };
    const args = malformed.includes(index) ? undefined : parsed(wire);
    return isRecord(args) ? { ...named, args } : { ...named, args: {}, malformed: wire };
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
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
