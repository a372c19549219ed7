import { createHash } from "node:crypto";
import type { Span } from "./span.ts";

/** Attribute names of the OpenTelemetry conventions for generative AI that we fill; the table is in docs/reference/trace.md. */
const genAi = {
  operation: "gen_ai.operation.name",
  agent: "gen_ai.agent.name",
  conversation: "gen_ai.conversation.id",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  errorType: "error.type",
} as const;

/** Our attributes that have a conventional name, by kind of span. */
const conventional: Partial<Record<Span["kind"], Readonly<Record<string, string>>>> = {
  turn: { model: genAi.requestModel, provider: genAi.provider },
  model: {
    provider: genAi.provider,
    responseModel: genAi.responseModel,
    inputTokens: genAi.inputTokens,
    outputTokens: genAi.outputTokens,
    cacheReadTokens: genAi.cacheReadTokens,
    cacheWriteTokens: genAi.cacheWriteTokens,
  },
  tool: { callId: genAi.toolCallId },
};

type WireValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly WireValue[] } };

export interface WireAttribute {
  readonly key: string;
  readonly value: WireValue;
}

/** A span in the JSON encoding of OTLP. */
export interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly WireAttribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const ERROR = 2;

/** One trace is one turn: its id is made from the turn's. */
export function wireSpan(span: Span): WireSpan {
  return {
    traceId: createHash("sha256").update(`${span.sessionId}\n${span.turnId}`).digest("hex").slice(0, 32),
    spanId: span.id,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    name: wireName(span),
    kind: span.kind === "model" ? CLIENT : INTERNAL,
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(Math.max(span.startedAt, span.endedAt)),
    attributes: [...own(span), ...given(span)],
    status: status(span),
  };
}

function wireName(span: Span): string {
  if (span.kind === "turn") return "invoke_agent talaria";
  if (span.kind === "model") return `chat ${span.name}`;
  if (span.kind === "tool") return `execute_tool ${span.name}`;
  return `${span.kind} ${span.name}`;
}

function own(span: Span): readonly WireAttribute[] {
  const facts: Record<string, string> = {
    [genAi.conversation]: span.sessionId,
    "talaria.turn.id": span.turnId,
    "talaria.span.kind": span.kind,
  };
  if (span.kind === "turn") Object.assign(facts, { [genAi.operation]: "invoke_agent", [genAi.agent]: "talaria" });
  if (span.kind === "model") Object.assign(facts, { [genAi.operation]: "chat", [genAi.requestModel]: span.name });
  if (span.kind === "tool") {
    Object.assign(facts, {
      [genAi.operation]: "execute_tool",
      [genAi.toolName]: span.name,
      [genAi.toolType]: "function",
    });
  }
  if (span.status !== "ok") facts[genAi.errorType] = errorType(span);
  return Object.entries(facts).map(([key, value]) => ({ key, value: wireValue(value) }));
}

function given(span: Span): readonly WireAttribute[] {
  const names = conventional[span.kind] ?? {};
  return Object.entries(span.attributes).map(([key, value]) => {
    if (span.kind === "model" && key === "finishReason") {
      return { key: genAi.finishReasons, value: { arrayValue: { values: [wireValue(value)] } } };
    }
    return { key: names[key] ?? `talaria.${snake(key)}`, value: wireValue(value) };
  });
}

function wireValue(value: string | number | boolean): WireValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

function status(span: Span): WireSpan["status"] {
  if (span.status === "ok") return { code: OK };
  const message = span.attributes["error"] ?? span.attributes["reason"];
  return { code: ERROR, ...(typeof message === "string" && { message }) };
}

function errorType(span: Span): string {
  const code = span.attributes["errorCode"];
  return typeof code === "string" ? code : span.status;
}

function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return (BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6))).toString();
}

function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
