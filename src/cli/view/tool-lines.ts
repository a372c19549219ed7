import type { TurnEvent } from "#agent";
import type { Terminal } from "#host";
import { clipped } from "#host";
import { duration } from "./duration.ts";
import type { LiveLine } from "./live-line.ts";
import type { Paint } from "./paint.ts";
import type { Pen } from "./pen.ts";
import { toolTitle } from "./tool-title.ts";

interface ShownCall {
  readonly title: string;
  lines: number;
  rest: string;
}

/** Lines of live output shown per tool call; the rest is counted. */
const shownLines = 8;

export type ToolHandlers = {
  readonly [T in "tool-start" | "tool-output" | "tool-end"]: (event: Extract<TurnEvent, { type: T }>) => void;
};

export interface ToolLineOptions extends Pick<Pen, "line" | "endLine"> {
  readonly terminal: Terminal;
  readonly style: Paint;
  readonly live: LiveLine;
  /** What the model asked for, by call; a blocked call never starts. */
  readonly titles: Map<string, string>;
}

/** A tool call as lines: the beginning of its output while it runs, then one line that says how it went. */
export function toolLines({ terminal, style, live, line, endLine, titles }: ToolLineOptions): ToolHandlers {
  const running = new Map<string, ShownCall>();
  return {
    "tool-start": (event) => {
      const title = toolTitle(event.name, event.args);
      endLine();
      running.set(event.callId, { title, lines: 0, rest: "" });
      live.show(event.callId, title);
    },
    "tool-output": (event) => {
      const call = running.get(event.callId);
      if (!call) return;
      for (const each of newLines(call, event.chunk)) line(style("dim", `  │ ${clipped(each, terminal.columns - 4)}`));
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
  const title = clipped(call.title, columns - end.length - 6);
  const first = `${marks[event.status]} ${title}  ${style("dim", end)}`;
  return event.status === "ok" ? first : `${first}\n  ${style("dim", clipped(reason(event.result), columns - 2))}`;
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
