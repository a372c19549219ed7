import type { AssistantMessage, Message, ToolCall, Usage } from "#kernel";

/** How hard a model may think, from not at all upwards. A model that lacks a step takes the one below it. */
export const reasoningEfforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** What the loop asks of a model. Providers are stateless: the whole conversation goes along each time. */
export interface ModelRequest {
  /** Byte-stable within a session, so that providers can cache it. */
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Absent: as the provider does by itself. */
  readonly reasoningEffort?: ReasoningEffort;
  /** `none` forbids tool calls although tools are listed. */
  readonly toolChoice?: "auto" | "none" | "required";
  /** The answer is to be JSON, of this schema where one is given. */
  readonly responseFormat?: { readonly name: string; readonly schema?: Readonly<Record<string, unknown>> };
  /** Put over the body as it is sent; keys of it win. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What streams while a model answers. The result repeats all of it, whole. */
export type ModelDelta =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  /** What was streamed so far is void: the call is being made anew. */
  | { readonly type: "reset"; readonly reason: string };

export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

export interface ModelResult {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: Usage;
  /** The model name that the server answered with. */
  readonly responseModel: string;
}

export interface ModelCall {
  readonly signal: AbortSignal;
  readonly onDelta?: (delta: ModelDelta) => void;
}

/** One model at one provider. `generate` rejects with a `ModelError`, or with the signal's reason when aborted. It never retries. */
export interface Model {
  readonly provider: string;
  readonly id: string;
  readonly baseUrl: string;
  /** Hermes's name of the wire protocol: `chat_completions`, `anthropic_messages`, `responses`, `gemini`, `bedrock_converse`, `offline`, `scripted`. */
  readonly apiMode: string;
  /** Tokens; an assumption of 128,000 where nothing is known. */
  readonly contextWindow: number;
  readonly acceptsImages: boolean;
  generate(request: ModelRequest, call: ModelCall): Promise<ModelResult>;
}

export type ModelErrorCode =
  | "rate_limit"
  | "overloaded"
  | "authentication"
  | "billing"
  | "context_overflow"
  | "content_refused"
  | "bad_request"
  | "model_not_found"
  | "network"
  | "server"
  | "invalid_response"
  | "not_configured";
