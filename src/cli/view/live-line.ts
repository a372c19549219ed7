import type { Terminal } from "#host";
import { clipped } from "#host";
import { duration } from "./duration.ts";
import type { Paint } from "./paint.ts";

export interface LiveLine {
  /** Shows that something runs, with its elapsed time. */
  show(key: string, title: string): void;
  note(key: string, note: string): void;
  drop(key: string): void;
  /** Clears the line; it comes back with the next tick. */
  hide(): void;
  /** Draws nothing while something else, such as a question, has the last line. */
  pause(wanted: boolean): void;
  close(): void;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const tickMs = 120;

/** The last line of a terminal that tells what runs and for how long; nothing at all in a pipe. */
export function liveLine({
  terminal,
  now,
  every,
  style,
}: {
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly every: (ms: number, tick: () => void) => () => void;
  readonly style: Paint;
}): LiveLine {
  const running = new Map<string, { readonly title: string; readonly since: number; note: string }>();
  let stop: (() => void) | undefined;
  let shown = false;
  let paused = false;
  let frame = 0;

  function draw(): void {
    const last = [...running.values()].at(-1);
    if (!last || paused) return;
    frame = (frame + 1) % frames.length;
    const others = running.size > 1 ? ` (+${running.size - 1})` : "";
    const tail = `${last.note === "" ? "" : `${last.note}, `}${duration(Math.floor((now() - last.since) / 100) * 100)}${others}`;
    const title = clipped(last.title, terminal.columns - tail.length - 6);
    terminal.write(`\r\x1b[2K${style("cyan", frames[frame] ?? "")} ${title}  ${style("dim", tail)}`);
    shown = true;
  }
  function hide(): void {
    if (!shown) return;
    terminal.write("\r\x1b[2K");
    shown = false;
  }

  return {
    show(key, title) {
      if (!terminal.outputIsTerminal) return;
      running.set(key, { title, since: now(), note: "" });
      stop ??= every(tickMs, draw);
    },
    note(key, note) {
      const entry = running.get(key);
      if (entry) entry.note = note;
    },
    drop(key) {
      running.delete(key);
      hide();
      if (running.size > 0) return;
      stop?.();
      stop = undefined;
    },
    hide,
    pause(wanted) {
      paused = wanted;
      if (wanted) hide();
    },
    close() {
      running.clear();
      hide();
      stop?.();
      stop = undefined;
    },
  };
}
