/** One timed thing inside a turn. Kinds: `turn`, `model`, `tool`, `event`, `handler`, `approval`, `compaction`, `delegate`. */
export interface Span {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly sessionId: string;
  readonly turnId: string;
  readonly kind: "turn" | "model" | "tool" | "event" | "handler" | "approval" | "compaction" | "delegate";
  readonly name: string;
  /** Epoch milliseconds, fractional. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: "ok" | "error" | "blocked" | "cancelled";
  /** Small values only; redacted before they are stored or exported. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** An open span. `end` may be called once; later calls are ignored. */
export interface OpenSpan {
  readonly id: string;
  set(attributes: Readonly<Record<string, string | number | boolean>>): void;
  end(status?: Span["status"]): void;
}

/** Takes spans of one turn; recording never throws and never waits. */
export interface Recorder {
  start(
    kind: Span["kind"],
    name: string,
    options?: { readonly parent?: OpenSpan; readonly attributes?: Span["attributes"] },
  ): OpenSpan;
}
