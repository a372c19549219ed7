/** One tool call of a scripted answer. `text` in place of `args` is sent as it stands, also where it is no JSON. */
export interface ScriptedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly id?: string;
}

/** One answer of a scripted model or server. */
export interface ScriptedAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finishReason?: "stop" | "tool-calls" | "length" | "content-filter";
  readonly usage?: {
    readonly input?: number;
    readonly output?: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
    readonly reasoning?: number;
  };
  /** Milliseconds before the first byte. */
  readonly delayMs?: number;
}
