import type { TurnEvent } from "#agent";
import { clipped } from "#host";
import { duration } from "./duration.ts";
import type { LiveLine } from "./live-line.ts";
import type { Paint } from "./paint.ts";
import { tame } from "./pen.ts";
import { toolTitle } from "./tool-title.ts";
import type { Handlers, ViewParts } from "./view-parts.ts";

interface ShownCall {
  readonly title: string;
  lines: number;
  rest: string;
}

/** Lines of live output shown per tool call; the rest is counted. */
const shownLines = 8;
/** Lines of arguments and results in a verbose view. */
const verboseLines = 40;

export interface ToolLineParts extends ViewParts {
  readonly live: LiveLine;
  /** What the model asked for, by call; a blocked call never starts. */
  readonly titles: Map<string, string>;
}

/**
 * A tool call as lines: the beginning of its output while it runs, then one line that says how it went. `display.tool_progress`
 * says of which: of none, of those whose tool is another than the last one's or that failed, of all, or of all with arguments and result.
 */
export function toolLines(parts: ToolLineParts): Handlers<"tool-start" | "tool-output" | "tool-end"> {
  const { terminal, style, live, line, endLine, titles, display } = parts;
  const running = new Map<string, ShownCall>();
  let last = "";
  const dim = (text: string): void => line(style("dim", `  │ ${clipped(text, terminal.columns - 4)}`));
  const inFull = (text: string): void => {
    if (display.toolProgress !== "verbose") return;
    for (const each of tame(text).split("\n").slice(0, verboseLines)) dim(each);
  };
  return {
    "tool-start": (event) => {
      const isRepeated = display.toolProgress === "new" && event.name === last;
      last = event.name;
      if (display.toolProgress === "off" || isRepeated) return;
      const title = toolTitle(event.name, event.args);
      endLine();
      running.set(event.callId, { title, lines: 0, rest: "" });
      inFull(JSON.stringify(event.args, null, 2));
      live.show(event.callId, title);
    },
    "tool-output": (event) => {
      const call = running.get(event.callId);
      if (!call) return;
      for (const each of newLines(call, event.chunk)) dim(each);
      if (call.lines > shownLines) live.note(event.callId, `${call.lines} lines`);
    },
    "tool-end": (event) => {
      const title = titles.get(event.callId) ?? event.name;
      const started = running.get(event.callId);
      const call = started ?? { title, lines: 0, rest: "" };
      running.delete(event.callId);
      titles.delete(event.callId);
      live.drop(event.callId);
      const isQuiet = display.toolProgress === "new" && started === undefined && event.status === "ok";
      if (display.toolProgress === "off" || isQuiet) return;
      inFull(event.result);
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
