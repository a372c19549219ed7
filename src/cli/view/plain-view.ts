import type { Surface, TurnEvent } from "#agent";
import type { Terminal } from "#host";
import { clipped } from "#host";
import { duration } from "./duration.ts";
import { liveLine } from "./live-line.ts";
import { paint } from "./paint.ts";
import { pen, tame } from "./pen.ts";
import { type ToolHandlers, toolLines } from "./tool-lines.ts";
import { toolTitle } from "./tool-title.ts";

export interface PlainOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly every: (ms: number, tick: () => void) => () => void;
  /** In a pipe, print everything but the delivered answer to standard error. */
  readonly answerOnly: boolean;
}

export interface PlainView {
  readonly emit: Surface["emit"];
  /** Lines beside the conversation; what runs goes on being shown. */
  say(text: string): void;
  /** Keeps still while a person is asked. */
  whileAsking<T>(ask: () => Promise<T>): Promise<T>;
  /** Clears what still moves and ends the last line. */
  finish(): void;
}

type Handlers = ToolHandlers & {
  readonly [T in TurnEvent["type"]]?: (event: Extract<TurnEvent, { type: T }>) => void;
};

/** Turn events as plain text: no full screen, correct in a pipe, without colour and at 60 columns. */
export function plainView({ terminal, now, every, answerOnly }: PlainOptions): PlainView {
  const style = paint(terminal.colour);
  const live = liveLine({ terminal, now, every, style });
  /** The answer goes to a program: it gets that alone, whole and as it was delivered. */
  const apart = answerOnly && !terminal.outputIsTerminal;
  const aside = apart ? terminal.writeError : terminal.write;
  const { text, line, endLine } = pen(terminal, live, aside);
  /** What the model asked for; a blocked call never starts. */
  const titles = new Map<string, string>();
  /** Text of the model call that is under way. */
  let streamed = "";
  /** The answer that is on the screen; what is delivered may be another, or come from no model call. */
  let shown = "";
  const levels = { info: "dim", warning: "yellow", error: "red" } as const;

  const handlers: Handlers = {
    text: (event) => {
      if (!apart) text(event.text);
      streamed += event.text;
    },
    reset: (event) => {
      streamed = "";
      line(style("dim", `… ${tame(event.reason)}; starting the answer again`));
    },
    message: (event) => {
      endLine();
      streamed = "";
      shown = event.toolCalls.length === 0 ? event.text : "";
      if (apart && event.toolCalls.length > 0 && event.text !== "") line(style("dim", tame(event.text.trimEnd())));
      for (const call of event.toolCalls) titles.set(call.id, toolTitle(call.name, call.args));
    },
    ...toolLines({ terminal, style, live, line, endLine, titles }),
    notice: (event) => line(style(levels[event.level], tame(event.text))),
    terminal: ({ sequence }) => {
      if (terminal.interactive) terminal.write(sequence);
    },
    retry: (event) =>
      line(style("yellow", `${tame(event.reason)}; attempt ${event.attempt + 1} in ${duration(event.inMs)}`)),
    compaction: (event) =>
      line(style("dim", `conversation summarised: ${event.before} messages became ${event.after}`)),
    child: ({ agentId, event }) => {
      if (event.type !== "tool-start") return;
      line(
        style(
          "dim",
          `  ${agentId}: ${clipped(toolTitle(event.name, event.args), terminal.columns - agentId.length - 4)}`,
        ),
      );
    },
    "turn-end": (event) => {
      if (apart && streamed !== "") line(style("dim", tame(streamed.trimEnd())));
      if (event.outcome === "failed" || event.outcome === "refused") line(style("red", tame(event.text)));
      else if (event.outcome === "interrupted") line(style("yellow", "interrupted"));
      else if (apart || event.text !== shown) text(event.text);
      streamed = "";
      shown = "";
      endLine();
    },
  };

  return {
    emit(event) {
      const handler = handlers[event.type] as ((event: TurnEvent) => void) | undefined;
      handler?.(event);
    },
    say: line,
    async whileAsking(ask) {
      live.pause(true);
      try {
        return await ask();
      } finally {
        live.pause(false);
      }
    },
    finish() {
      live.close();
      endLine();
    },
  };
}
