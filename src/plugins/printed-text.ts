import { ticks } from "#host";

/** Lines in a period that are passed on, and characters of one. */
const mostLines = 200;
const periodMs = 1_000;
const mostText = 4_000;

export interface PrintedText {
  /** Pieces of text as they come; whole lines are passed on. */
  add(text: string, stream: "stdout" | "stderr"): void;
  /** What is left of a line. */
  end(): void;
}

/** Cuts what a plugin prints into lines. Of a flood the first lines are passed on, and then how many there were more. */
export function printedText(print: (line: string) => void): PrintedText {
  const rest = { stdout: "", stderr: "" };
  let since = ticks();
  let count = 0;
  const give = (line: string): void => {
    if (ticks() - since > periodMs) {
      if (count > mostLines) print(`(${count - mostLines} more lines were printed)`);
      since = ticks();
      count = 0;
    }
    count += 1;
    if (count <= mostLines) print(line.length > mostText ? `${line.slice(0, mostText)}…` : line);
  };
  return {
    add(text, stream) {
      const lines = (rest[stream] + text).split("\n");
      rest[stream] = (lines.pop() ?? "").slice(0, mostText);
      for (const line of lines) give(line.replace(/\r$/, ""));
    },
    end() {
      for (const stream of ["stdout", "stderr"] as const) {
        if (rest[stream] !== "") give(rest[stream]);
        rest[stream] = "";
      }
      if (count > mostLines) print(`(${count - mostLines} more lines were printed)`);
      count = 0;
    },
  };
}
