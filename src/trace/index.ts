export type { Redact } from "./attributes.ts";
export { traceNow } from "./clock.ts";
export { type HandlerCounters, handlerCounters } from "./counters.ts";
export { type OtlpExporter, type OtlpPorts, type OtlpSettings, otlpExporter, otlpSettings } from "./otlp.ts";
export { type RecorderOptions, type SpanSink, type TurnRecorder, turnRecorder } from "./recorder.ts";
export type { Attributes, OpenSpan, Recorder, Span, SpanKind, SpanStatus } from "./span.ts";
export { type Retention, type SpanDatabase, type SpanSql, type SpanStore, spanStore } from "./store.ts";
export { type TimelineOptions, timeline } from "./view.ts";
