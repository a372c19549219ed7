/**
 * The chat form that models, store, hooks and transcripts share. It outlives the
 * message types of any provider package; on the wires of hooks it is OpenAI chat form.
 */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; `{}` when the model's text was no JSON object, and then `malformed` holds that text. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly malformed?: string;
}

export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64 without a prefix, or an https address. */
  | { readonly type: "image"; readonly data: string; readonly mediaType: string };

export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly ContentPart[];
  /** True when no person typed it: reminders, steering notes, summaries. */
  readonly synthetic?: true;
}

/** Reasoning text with what its provider needs to accept it back (a signature, an encrypted blob). */
export interface Reasoning {
  readonly text: string;
  readonly providerData?: Readonly<Record<string, unknown>>;
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly reasoning?: readonly Reasoning[];
  readonly finishReason?: string;
  readonly model?: string;
  readonly usage?: Usage;
}

export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly content: string | readonly ContentPart[];
  readonly isError?: true;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** Token counts of one model call. `inputTokens` includes what was read from and written to the provider's cache. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** US dollars; absent where the model's price is not known. */
  readonly costUsd?: number;
}
