import type { Surface, TurnEvent } from "#agent";
import type { Terminal } from "#host";
import type { DisplaySettings } from "#runtime";
import { answerLines } from "./answer-lines.ts";
import { besideLines } from "./beside-lines.ts";
import { liveLine } from "./live-line.ts";
import { paint } from "./paint.ts";
import { pen } from "./pen.ts";
import { toolLines } from "./tool-lines.ts";

export interface PlainOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly every: (ms: number, tick: () => void) => () => void;
  /** In a pipe, print everything but the delivered answer to standard error. */
  readonly answerOnly: boolean;
  /** Read anew at each event: a person may change it in the middle. */
  readonly display: DisplaySettings;
}

export interface PlainView {
  readonly emit: Surface["emit"];
  /** Lines beside the conversation; what runs goes on being shown. */
  say(text: string): void;
  /** Keeps still while a person is asked. */
  whileAsking<T>(ask: () => Promise<T>): Promise<T>;
  /** Shows beside the conversation that something runs, until the result is called. */
  working(title: string): () => void;
  /** Clears what still moves and ends the last line. */
  finish(): void;
}

type Shown = { readonly [T in TurnEvent["type"]]?: (event: Extract<TurnEvent, { type: T }>) => void };

/** Turn events as plain text: no full screen, correct in a pipe, without colour and at 60 columns. */
export function plainView({ terminal, now, every, answerOnly, display }: PlainOptions): PlainView {
  const style = paint(terminal.colour);
  const live = liveLine({ terminal, now, every, style });
  const apart = answerOnly && !terminal.outputIsTerminal;
  const drawn = pen(terminal, live, apart ? terminal.writeError : terminal.write, (text) => style("dim", text));
  const { line, endLine } = drawn;
  const titles = new Map<string, string>();
  const parts = { ...drawn, terminal, style, display, now };
  const handlers: Shown = {
    ...besideLines(parts),
    ...answerLines({ ...parts, apart, titles }),
    ...toolLines({ ...parts, live, titles }),
  };

  return {
    emit(event) {
      const handler = handlers[event.type] as ((event: TurnEvent) => void) | undefined;
      handler?.(event);
    },
    say: line,
    working(title) {
      live.show(title, title);
      return () => live.drop(title);
    },
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
