import type { MaybePromise } from "#kernel";

type Json = Readonly<Record<string, unknown>>;

/** What makes room in place of the summary. It sees and gives messages in OpenAI's chat form; docs/reference/plugins-in-use.md. */
export interface CompactionEngine {
  readonly name: string;
  updateModel?(facts: {
    readonly model: string;
    readonly provider: string;
    readonly contextLength: number;
    readonly baseUrl: string;
    readonly apiMode: string;
  }): MaybePromise<void>;
  updateFromResponse?(usage: Readonly<Record<string, number>>): MaybePromise<void>;
  shouldCompress(promptTokens: number, contextLength: number): MaybePromise<boolean>;
  /** False: `/compress` has nothing to do. */
  hasContentToCompress?(messages: readonly Json[]): MaybePromise<boolean>;
  compress(
    messages: readonly Json[],
    options: { readonly currentTokens: number; readonly focusTopic?: string; readonly signal: AbortSignal },
  ): Promise<readonly Json[]>;
}
