import type { Terminal } from "#host";
import type { LiveLine } from "./live-line.ts";

/** Writes streamed text and whole lines so that neither breaks into the other. */
export interface Pen {
  /** A piece of the answer as it streams, to standard output. */
  text(chunk: string): void;
  /** A piece of what the model thinks as it streams, beside the answer. */
  thought(chunk: string): void;
  /** One whole line beside the answer. */
  line(content: string): void;
  endLine(): void;
}

type Faint = (text: string) => string;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a model's text must not steer the terminal
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text of a model, a server or a tool without what would steer the terminal. */
export const tame = (text: string): string => text.replace(steering, "");

/** `faint` paints what is no answer. */
export function pen(terminal: Terminal, live: LiveLine, aside: (text: string) => void, faint: Faint): Pen {
  /** What the last line holds, where it has not ended. */
  let open: "nothing" | "answer" | "thought" = "nothing";
  function endLine(): void {
    live.hide();
    if (open === "thought") aside("\n");
    if (open === "answer") terminal.write("\n");
    open = "nothing";
  }
  return {
    text(chunk) {
      if (chunk === "") return;
      if (open === "thought") endLine();
      live.hide();
      terminal.write(terminal.outputIsTerminal ? tame(chunk) : chunk);
      open = chunk.endsWith("\n") ? "nothing" : "answer";
    },
    thought(chunk) {
      if (chunk === "") return;
      if (open === "answer") endLine();
      live.hide();
      aside(faint(tame(chunk)));
      open = chunk.endsWith("\n") ? "nothing" : "thought";
    },
    line(content) {
      endLine();
      aside(`${content}\n`);
    },
    endLine,
  };
}
