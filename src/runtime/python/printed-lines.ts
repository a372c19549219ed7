import type { Surface } from "#agent";

/** What Python plugins print, shown as a dim line in the turn that runs: the last one begun, since nothing says whose it is. */
export interface PrintedLines {
  print(line: string): void;
  during<T>(surface: Surface, turn: () => Promise<T>): Promise<T>;
}

/** Lines that wait for the next turn. */
const mostWaiting = 20;

export function printedLines(): PrintedLines {
  const running: Surface[] = [];
  const waiting: string[] = [];
  const show = (surface: Surface, text: string): void => surface.emit({ type: "notice", level: "info", text });
  return {
    print(line) {
      const surface = running.at(-1);
      if (surface !== undefined) show(surface, line);
      else if (waiting.push(line) > mostWaiting) waiting.shift();
    },
    async during(surface, turn) {
      running.push(surface);
      for (const line of waiting.splice(0)) show(surface, line);
      try {
        return await turn();
      } finally {
        running.splice(running.indexOf(surface), 1);
      }
    },
  };
}
