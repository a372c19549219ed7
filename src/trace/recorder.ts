import { randomBytes } from "node:crypto";
import { boundedAttributes, type Redact } from "./attributes.ts";
import { traceNow } from "./clock.ts";
import type { Attributes, OpenSpan, Recorder, Span, SpanKind, SpanStatus } from "./span.ts";

/** Takes finished spans of one turn: the store, the exporter. A rejection is counted and told to `warn`. */
export type SpanSink = (spans: readonly Span[]) => Promise<void>;

export interface RecorderOptions {
  readonly sessionId: string;
  readonly turnId: string;
  readonly redact: Redact;
  readonly sinks: readonly SpanSink[];
  readonly warn?: (message: string) => void;
  readonly now?: () => number;
}

export interface TurnRecorder extends Recorder {
  /** Closes nothing; hands what is finished to the sinks and settles when they have it. Never rejects. */
  flush(): Promise<void>;
  /** All spans of the turn so far, redacted; open ones end now. */
  spans(): readonly Span[];
}

/** Spans kept of one turn; what comes later is counted and told in the turn's span. */
const MOST_SPANS = 10_000;
/** A long turn is handed on after so many spans or so many milliseconds. */
const BATCH = { spans: 256, ms: 10_000 };

/** What may hang below what, when no parent is named: a span goes below the latest open one of a lower rank. */
const rank: Readonly<Record<SpanKind, number>> = {
  turn: 0,
  model: 1,
  tool: 1,
  compaction: 1,
  delegate: 2,
  approval: 2,
  event: 2,
  handler: 3,
};

interface Draft {
  readonly id: string;
  parentId: string | undefined;
  readonly kind: SpanKind;
  readonly name: string;
  readonly startedAt: number;
  attributes: Attributes;
  endedAt: number | undefined;
  status: SpanStatus;
}

export function turnRecorder(options: RecorderOptions): TurnRecorder {
  const now = options.now ?? traceNow;
  const prefix = randomBytes(4).toString("hex");
  const drafts: Draft[] = [];
  const open: Draft[] = [];
  let finished: Draft[] = [];
  let dropped = 0;
  let flushedAt = now();
  let flushing: Promise<void> = Promise.resolve();

  const span = (draft: Draft): Span => spanOf(draft, options, dropped, draft.endedAt ?? now());

  const flush = (): Promise<void> => {
    const batch = finished;
    finished = [];
    flushedAt = now();
    if (batch.length > 0) flushing = flushing.then(() => deliver(batch.map(span), options));
    return flushing;
  };

  const begin = (kind: SpanKind, name: string, parent: OpenSpan | undefined, startedAt: number): Draft | undefined => {
    if (drafts.length >= MOST_SPANS) {
      dropped++;
      return undefined;
    }
    const id = prefix + (drafts.length + 1).toString(16).padStart(8, "0");
    const parentId = parent === undefined ? open.findLast((other) => rank[other.kind] < rank[kind])?.id : parent.id;
    const draft: Draft = { id, parentId, kind, name, startedAt, attributes: {}, endedAt: undefined, status: "ok" };
    drafts.push(draft);
    return draft;
  };

  const end = (draft: Draft, status: SpanStatus, at: number): void => {
    draft.endedAt = at;
    draft.status = status;
    finished.push(draft);
    if (finished.length >= BATCH.spans || at - flushedAt > BATCH.ms) void flush();
  };

  return {
    start(kind, name, { parent, attributes } = {}) {
      const draft = begin(kind, name, parent, now());
      if (draft === undefined) return lost;
      if (attributes !== undefined) draft.attributes = attributes;
      open.push(draft);
      return {
        id: draft.id,
        set(more) {
          if (draft.endedAt === undefined) draft.attributes = { ...draft.attributes, ...more };
        },
        end(status = "ok") {
          if (draft.endedAt !== undefined) return;
          open.splice(open.lastIndexOf(draft), 1);
          end(draft, status, now());
        },
      };
    },
    record(kind, name, { parent, attributes = {}, startedAt, endedAt, status = "ok" }) {
      const draft = begin(kind, name, parent, startedAt);
      if (draft === undefined) return;
      draft.attributes = attributes;
      if (kind === "event") adoptHandlers(draft, finished);
      end(draft, status, endedAt);
    },
    flush,
    spans: () => drafts.map(span),
  };
}

/** Handlers of an event are told of before the event itself is over: they go below it as long as they were not handed on. */
function adoptHandlers(event: Draft, finished: readonly Draft[]): void {
  for (const other of finished.toReversed()) {
    if ((other.endedAt ?? 0) < event.startedAt) return;
    if (other.kind !== "handler" || other.parentId !== event.parentId) continue;
    if (other.startedAt >= event.startedAt && other.attributes["event"] === event.name) other.parentId = event.id;
  }
}

function spanOf(draft: Draft, options: RecorderOptions, dropped: number, endedAt: number): Span {
  const { id, parentId, kind, name, startedAt, status } = draft;
  const told = kind === "turn" && dropped > 0 ? { droppedSpans: dropped, ...draft.attributes } : draft.attributes;
  return {
    id,
    parentId,
    sessionId: options.sessionId,
    turnId: options.turnId,
    kind,
    name: name.slice(0, 200).toWellFormed(),
    startedAt,
    endedAt,
    status,
    attributes: boundedAttributes(told, options.redact),
  };
}

const lost: OpenSpan = {
  id: "",
  set: () => undefined,
  end: () => undefined,
};

async function deliver(spans: readonly Span[], { sinks, warn }: RecorderOptions): Promise<void> {
  const done = await Promise.allSettled(sinks.map((sink) => sink(spans)));
  for (const each of done) {
    if (each.status === "rejected") warn?.(`${spans.length} spans could not be kept: ${String(each.reason)}`);
  }
}
