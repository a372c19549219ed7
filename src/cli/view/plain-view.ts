import type { Surface, TurnEvent } from "#agent";
import type { Terminal } from "#host";
import { clip, duration } from "./cells.ts";
import { liveLine } from "./live-line.ts";
import { type Paint, paint } from "./paint.ts";
import { pen } from "./pen.ts";
import { toolTitle } from "./tool-title.ts";

export interface PlainOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly every: (ms: number, tick: () => void) => () => void;
  /** In a pipe, print tool calls and notices to standard error, so that standard output holds the answer alone. */
  readonly answerOnly: boolean;
}

export interface PlainView {
  readonly emit: Surface["emit"];
  /** Clears what still moves and ends the last line. */
  finish(): void;
}

interface ShownCall {
  readonly title: string;
  lines: number;
  rest: string;
}

/** Lines of live output shown per tool call; the rest is counted. */
const shownLines = 8;

type Handlers = { readonly [T in TurnEvent["type"]]?: (event: Extract<TurnEvent, { type: T }>) => void };

/** Turn events as plain text: no full screen, correct in a pipe, without colour and at 60 columns. */
export function plainView({ terminal, now, every, answerOnly }: PlainOptions): PlainView {
  const style = paint(terminal.colour);
  const live = liveLine({ terminal, now, every, style });
  const aside = answerOnly && !terminal.outputIsTerminal ? terminal.writeError : terminal.write;
  const { text, line, endLine } = pen(terminal, live, aside);
  const running = new Map<string, ShownCall>();
  /** What the model asked for; a blocked call never starts. */
  const titles = new Map<string, string>();
  const levels = { info: "dim", warning: "yellow", error: "red" } as const;

  const handlers: Handlers = {
    text: (event) => text(event.text),
    reset: (event) => line(style("dim", `… ${event.reason}; starting the answer again`)),
    message: (event) => {
      endLine();
      for (const call of event.toolCalls) titles.set(call.id, toolTitle(call.name, call.args));
    },
    "tool-start": (event) => {
      const title = toolTitle(event.name, event.args);
      endLine();
      running.set(event.callId, { title, lines: 0, rest: "" });
      live.show(event.callId, title);
    },
    "tool-output": (event) => {
      const call = running.get(event.callId);
      if (!call) return;
      for (const each of newLines(call, event.chunk)) line(style("dim", `  │ ${clip(each, terminal.columns - 4)}`));
      if (call.lines > shownLines) live.note(event.callId, `${call.lines} lines`);
    },
    "tool-end": (event) => {
      const title = titles.get(event.callId) ?? event.name;
      const call = running.get(event.callId) ?? { title, lines: 0, rest: "" };
      running.delete(event.callId);
      titles.delete(event.callId);
      live.drop(event.callId);
      line(endOfTool(event, call, { columns: terminal.columns, style }));
    },
    notice: (event) => line(style(levels[event.level], event.text)),
    retry: (event) => line(style("yellow", `${event.reason}; attempt ${event.attempt + 1} in ${duration(event.inMs)}`)),
    compaction: (event) =>
      line(style("dim", `conversation summarised: ${event.before} messages became ${event.after}`)),
    child: ({ agentId, event }) => {
      if (event.type !== "tool-start") return;
      line(
        style("dim", `  ${agentId}: ${clip(toolTitle(event.name, event.args), terminal.columns - agentId.length - 4)}`),
      );
    },
    "turn-end": (event) => {
      if (event.outcome === "failed" || event.outcome === "refused") line(style("red", event.text));
      if (event.outcome === "interrupted") line(style("yellow", "interrupted"));
      endLine();
    },
  };

  return {
    emit(event) {
      const handler = handlers[event.type] as ((event: TurnEvent) => void) | undefined;
      handler?.(event);
    },
    finish() {
      live.close();
      endLine();
    },
  };
}

/** Takes in a chunk and returns the complete lines that are still to be shown. */
function newLines(call: ShownCall, chunk: string): readonly string[] {
  const lines = (call.rest + chunk).split("\n");
  call.rest = (lines.pop() ?? "").slice(-2000);
  const shown = lines.slice(0, Math.max(0, shownLines - call.lines));
  call.lines += lines.length;
  return shown;
}

function endOfTool(
  event: Extract<TurnEvent, { type: "tool-end" }>,
  call: ShownCall,
  { columns, style }: { readonly columns: number; readonly style: Paint },
): string {
  const marks = {
    ok: style("green", "✓"),
    error: style("red", "✗"),
    blocked: style("red", "⊘"),
    cancelled: style("yellow", "■"),
  };
  const end = `${duration(event.durationMs)}${call.lines > shownLines ? `, ${call.lines} lines` : ""}`;
  const title = clip(call.title, columns - end.length - 6);
  const first = `${marks[event.status]} ${title}  ${style("dim", end)}`;
  return event.status === "ok" ? first : `${first}\n  ${style("dim", clip(reason(event.result), columns - 2))}`;
}

/** What a failed result says: its `error`, else the last line of its output. */
function reason(result: string): string {
  const { error, output } = fields(result);
  if (typeof error === "string" && error !== "") return error;
  return (typeof output === "string" ? output : result).trimEnd().split("\n").at(-1) ?? "";
}

function fields(result: string): { readonly error?: unknown; readonly output?: unknown } {
  try {
    const parsed: unknown = JSON.parse(result);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
