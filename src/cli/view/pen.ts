import type { Terminal } from "#host";
import type { LiveLine } from "./live-line.ts";

/** Writes streamed text and whole lines so that neither breaks into the other. */
export interface Pen {
  /** A piece of the answer as it streams, to standard output. */
  text(chunk: string): void;
  /** One whole line beside the answer. */
  line(content: string): void;
  endLine(): void;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a model's text must not steer the terminal
const steering = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text of a model, a server or a tool without what would steer the terminal. */
export const tame = (text: string): string => text.replace(steering, "");

export function pen(terminal: Terminal, live: LiveLine, aside: (text: string) => void): Pen {
  let atStart = true;
  function endLine(): void {
    live.hide();
    if (!atStart) terminal.write("\n");
    atStart = true;
  }
  return {
    text(chunk) {
      if (chunk === "") return;
      live.hide();
      terminal.write(terminal.outputIsTerminal ? tame(chunk) : chunk);
      atStart = chunk.endsWith("\n");
    },
    line(content) {
      endLine();
      aside(`${content}\n`);
    },
    endLine,
  };
}
