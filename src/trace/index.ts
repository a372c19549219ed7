export type { OpenSpan, Recorder, Span } from "./span.ts";
