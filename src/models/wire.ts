import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Connection } from "./connection.ts";
import type { ModelRequest } from "./model.ts";

/** A wire protocol: the provider package behind it, loaded when it is first used, and how it wants its prompts. */
export interface Wire {
  readonly apiMode: string;
  readonly open: (connection: Connection, fetch: typeof globalThis.fetch) => Promise<LanguageModelV4>;
  /** What marks a prefix to be cached for that long. */
  readonly cacheMark?: (lifetime: "5m" | "1h") => SharedV4ProviderOptions;
  readonly returnsReasoning: boolean;
  readonly imagesInToolResults: boolean;
  readonly callId?: (id: string) => string;
  /** Options that go along with every call. */
  readonly options?: (connection: Connection, request: ModelRequest) => SharedV4ProviderOptions;
  /** The protocol cannot do without a limit. */
  readonly needsOutputLimit?: true;
}

/** Call ids as Anthropic and Amazon accept them. */
export const plainCallId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
