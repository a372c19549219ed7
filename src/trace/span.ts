export type SpanKind = "turn" | "model" | "tool" | "event" | "handler" | "approval" | "compaction" | "delegate";
export type SpanStatus = "ok" | "error" | "blocked" | "cancelled";
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** One timed thing inside a turn. Which attributes a kind has: docs/reference/trace.md. */
export interface Span {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly parentId: string | undefined;
  readonly sessionId: string;
  readonly turnId: string;
  readonly kind: SpanKind;
  readonly name: string;
  /** Epoch milliseconds, fractional. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: SpanStatus;
  /** Small values only; redacted before they are stored or exported. */
  readonly attributes: Attributes;
}

/** An open span. `end` may be called once; later calls are ignored. */
export interface OpenSpan {
  readonly id: string;
  set(attributes: Attributes): void;
  end(status?: SpanStatus): void;
}

/** Takes spans of one turn; recording never throws and never waits. */
export interface Recorder {
  /** Without a parent the span hangs below the one that was opened last and can hold it: a handler below its event, a tool below its turn. */
  start(
    kind: SpanKind,
    name: string,
    options?: { readonly parent?: OpenSpan; readonly attributes?: Attributes },
  ): OpenSpan;
  /** A span that is over already. Times as in `Span`. */
  record(
    kind: SpanKind,
    name: string,
    span: {
      readonly startedAt: number;
      readonly endedAt: number;
      readonly status?: SpanStatus;
      readonly parent?: OpenSpan;
      readonly attributes?: Attributes;
    },
  ): void;
}
