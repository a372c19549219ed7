import { fitted, textColumns } from "#host";
import type { Span } from "./span.ts";
import { type SpanNode, spanTree } from "./span-tree.ts";

export interface TimelineOptions {
  /** Columns of the terminal; less than 60 counts as 60. */
  readonly width: number;
  readonly color: boolean;
  /** Show every span; else handlers and events that took no time and changed nothing are summed up in one line. */
  readonly all?: boolean;
}

type Paint = "dim" | "bold" | "red" | "yellow" | "green" | "blue" | "magenta" | "cyan";

const codes: Readonly<Record<Paint, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
};

const paintOf: Readonly<Record<Span["kind"], Paint>> = {
  turn: "bold",
  model: "blue",
  tool: "green",
  event: "cyan",
  handler: "magenta",
  approval: "yellow",
  compaction: "yellow",
  delegate: "blue",
};

/** Quiet spans below this many milliseconds are summed up. */
const QUICK_MS = 1;

/** A turn as a tree of bars on one time axis, with what each part decided and what it took. Spans of several turns come one below the other. */
export function timeline(spans: readonly Span[], options: TimelineOptions): readonly string[] {
  const turns = [...Map.groupBy(spans, (span) => span.turnId).values()];
  return turns.flatMap((turn, index) => [...(index > 0 ? [""] : []), ...turnLines(turn, options)]);
}

function turnLines(spans: readonly Span[], options: TimelineOptions): readonly string[] {
  const width = Math.max(60, Math.trunc(options.width) || 60);
  const start = Math.min(...spans.map((span) => span.startedAt));
  const end = Math.max(...spans.map((span) => span.endedAt));
  const layout = { ...columns(width), start, length: Math.max(end - start, 0.001), color: options.color };
  const lines: string[] = [];
  const walk = (nodes: readonly SpanNode[], lead: string, depth: number): void => {
    const { shown, quiet } = options.all ? { shown: nodes, quiet: [] } : split(nodes);
    shown.forEach((node, index) => {
      const last = index === shown.length - 1 && quiet.length === 0;
      const branch = depth === 0 ? "" : last ? "└ " : "├ ";
      lines.push(spanLine(node.span, lead + branch, layout));
      walk(node.children, depth === 0 ? "" : lead + (last ? "  " : "│ "), depth + 1);
    });
    if (quiet.length > 0) lines.push(quietLine(quiet, `${lead}${depth === 0 ? "" : "└ "}`, layout));
  };
  walk(spanTree(spans), "", 0);
  return [...heading(spans, width, options.color), "", ...lines];
}

interface Layout {
  readonly label: number;
  readonly bar: number;
  readonly note: number;
  readonly start: number;
  readonly length: number;
  readonly color: boolean;
}

const TIME = 9;

function columns(width: number): Pick<Layout, "label" | "bar" | "note"> {
  const note = width >= 100 ? 24 : 12;
  const rest = width - TIME - note - 3;
  const label = Math.min(44, Math.floor(rest * 0.6));
  return { label, note, bar: rest - label };
}

function split(nodes: readonly SpanNode[]): {
  readonly shown: readonly SpanNode[];
  readonly quiet: readonly SpanNode[];
} {
  const quiet = nodes.filter(isQuiet);
  return quiet.length < 2 ? { shown: nodes, quiet: [] } : { shown: nodes.filter((node) => !isQuiet(node)), quiet };
}

function isQuiet({ span, children }: SpanNode): boolean {
  if (span.kind !== "event" && span.kind !== "handler") return false;
  return span.status === "ok" && verdict(span) === "" && took(span) < QUICK_MS && children.every(isQuiet);
}

function spanLine(span: Span, lead: string, layout: Layout): string {
  const label = fitted(`${lead}${span.kind === "turn" ? "turn" : `${span.kind} ${span.name}`}`, layout.label);
  const note = [verdict(span), tokens(span)].filter((part) => part !== "").join(" ");
  const color = span.status === "ok" ? paintOf[span.kind] : span.status === "cancelled" ? "yellow" : "red";
  const paint = (text: string, name: Paint) => painted(text, name, layout.color);
  const cells = [
    paint(label, span.kind === "turn" ? "bold" : span.status === "ok" ? "dim" : color),
    paint(bar(span, layout), color),
    time(took(span)).padStart(TIME),
    note === "" ? "" : paint(fitted(note, layout.note).trimEnd(), span.status === "ok" ? "dim" : color),
  ];
  return cells.join(" ").trimEnd();
}

function quietLine(nodes: readonly SpanNode[], lead: string, layout: Layout): string {
  const sum = nodes.reduce((total, node) => total + took(node.span), 0);
  const label = fitted(`${lead}${nodes.length} quick ${nodes[0]?.span.kind ?? "event"}s`, layout.label);
  return painted(`${label} ${" ".repeat(layout.bar)} ${time(sum).padStart(TIME)}`, "dim", layout.color);
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of eighths of a column; what is too short to be seen is a thin line. */
function bar(span: Span, layout: Layout): string {
  const scale = layout.bar / layout.length;
  const from = Math.min(Math.floor((span.startedAt - layout.start) * scale), layout.bar - 1);
  const own = took(span) * scale;
  const length = own < 1 ? own : (span.endedAt - layout.start) * scale - from;
  const full = Math.min(Math.floor(length), layout.bar - from);
  const part = from + full < layout.bar ? (eighths[Math.floor((length - full) * 8)] ?? "") : "";
  const drawn = "█".repeat(full) + part;
  return fitted(" ".repeat(from) + (drawn === "" ? "▏" : drawn), layout.bar);
}

function heading(spans: readonly Span[], width: number, color: boolean): readonly string[] {
  const turn = spans.find((span) => span.kind === "turn");
  const outcome = turn === undefined ? "unfinished" : (text(turn, "outcome") ?? turn.status);
  const title = `turn ${spans[0]?.turnId ?? ""}`;
  const begun = new Date(spans[0]?.startedAt ?? 0).toISOString().replace("T", " ").slice(0, 19);
  return [
    painted(fitted(`${begun} UTC · ${outcome} · ${title}`, width).trimEnd(), "bold", color),
    ...wrapped(sums(spans), width),
  ];
}

function sums(spans: readonly Span[]): readonly string[] {
  const parts: string[] = [];
  for (const [kind, word] of [
    ["model", "call"],
    ["tool", "call"],
    ["approval", "question"],
  ] as const) {
    const some = spans.filter((span) => span.kind === kind);
    if (some.length > 0)
      parts.push(`${kind} ${time(covered(some))} (${some.length} ${word}${some.length === 1 ? "" : "s"})`);
  }
  const handlers = spans.filter((span) => span.kind === "handler");
  if (handlers.length > 0)
    parts.push(`${handlers.length} handler${handlers.length === 1 ? "" : "s"} ${time(covered(handlers))}`);
  const models = spans.filter((span) => span.kind === "model");
  const total = (key: string) => models.reduce((sum, span) => sum + (number(span, key) ?? 0), 0);
  if (total("inputTokens") + total("outputTokens") > 0) {
    const cached = total("cacheReadTokens");
    const of = cached > 0 ? ` (${count(cached)} cached)` : "";
    parts.push(`${count(total("inputTokens"))} tokens in${of}, ${count(total("outputTokens"))} out`);
  }
  if (models.some((span) => number(span, "costUsd") !== undefined)) parts.push(`$${total("costUsd").toFixed(4)}`);
  return parts;
}

/** Milliseconds in which at least one of the spans ran: calls side by side count once. */
function covered(spans: readonly Span[]): number {
  let sum = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const span of spans.toSorted((one, other) => one.startedAt - other.startedAt)) {
    sum += Math.max(0, span.endedAt - Math.max(span.startedAt, until));
    until = Math.max(until, span.endedAt);
  }
  return sum;
}

function wrapped(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && textColumns(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

function verdict(span: Span): string {
  const said = text(span, "verdict") ?? text(span, "decision") ?? text(span, "choice");
  if (said !== undefined) return said;
  return span.status === "ok" ? "" : span.status;
}

function tokens(span: Span): string {
  const input = number(span, "inputTokens");
  return input === undefined ? "" : `${count(input)}→${count(number(span, "outputTokens") ?? 0)}`;
}

function text(span: Span, key: string): string | undefined {
  const value = span.attributes[key];
  return typeof value === "string" ? value : undefined;
}

function number(span: Span, key: string): number | undefined {
  const value = span.attributes[key];
  return typeof value === "number" ? value : undefined;
}

function took(span: Span): number {
  return Math.max(0, span.endedAt - span.startedAt);
}

/** `850 µs`, `12 ms`, `3.41 s`, `2 m 05 s`, `3 h 07 m`, `9 d`. */
function time(ms: number): string {
  if (ms < 0.9995) return `${Math.round(ms * 1000)} µs`;
  if (ms < 999.5) return `${ms < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 6000) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
  return `${Math.round(minutes / 1440)} d`;
}

function count(value: number): string {
  return value < 10_000 ? String(value) : `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`;
}

function painted(line: string, paint: Paint, color: boolean): string {
  return color && line.trim() !== "" ? `\u001b[${codes[paint]}m${line}\u001b[0m` : line;
}
