import { fstatSync } from "node:fs";
import { type LineEditor, type LineOptions, lineEditor } from "./line-editor.ts";

/** The person's terminal, or the pipes in its place. */
export interface Terminal {
  /** Both ends are a terminal: a person can be asked. */
  readonly interactive: boolean;
  readonly inputIsTerminal: boolean;
  readonly outputIsTerminal: boolean;
  /** Escape sequences for colour are welcome: a terminal, and neither `NO_COLOR` nor `TERM=dumb`; `FORCE_COLOR` overrides. */
  readonly colour: boolean;
  /** Width in cells now; 80 where there is no terminal. */
  readonly columns: number;
  /** Standard output. After the reader has gone, writing does nothing and `gone` has been called. */
  write(text: string): void;
  writeError(text: string): void;
  /** Called once when the reader of standard output has gone (a closed pipe). */
  onGone(handler: () => void): void;
  /** Settles when all that was written has been handed to the system. */
  flush(): Promise<void>;
  /**
   * All of standard input as text, when it is a pipe or a file; undefined when it is a terminal, or when a pipe
   * that somebody holds open said nothing for `patienceMs` (3 s for a shell's pipe, 50 ms for a parent's socket).
   */
  readInput(patienceMs?: number): Promise<string | undefined>;
  lines(options: LineOptions): LineEditor;
}

export function terminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  let gone = false;
  let whenGone: (() => void) | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED")
      stderr.write(`talaria: standard output: ${error.message}\n`);
    if (gone) return;
    gone = true;
    whenGone?.();
  });
  stderr.on("error", () => undefined);
  const forced = env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0";
  const plain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb" || env["FORCE_COLOR"] === "0";
  return {
    interactive: Boolean(stdin.isTTY && stdout.isTTY),
    inputIsTerminal: Boolean(stdin.isTTY),
    outputIsTerminal: Boolean(stdout.isTTY),
    colour: forced || (Boolean(stdout.isTTY) && !plain),
    get columns() {
      return stdout.columns || Number(env["COLUMNS"]) || 80;
    },
    write(text) {
      if (!gone) stdout.write(text);
    },
    writeError(text) {
      stderr.write(text);
    },
    onGone(handler) {
      whenGone = handler;
      if (gone) handler();
    },
    flush: () => new Promise((resolve) => (gone ? resolve() : stdout.write("", () => resolve()))),
    readInput: (patienceMs) => (stdin.isTTY ? Promise.resolve(undefined) : readAll(stdin, patienceMs)),
    lines: (options) => lineEditor(options),
  };
}

/** Shell pipelines are FIFOs, whose writer may be slow; programs that start us with an unused pipe hand over a socket. */
function patience(): number {
  try {
    const kind = fstatSync(0);
    return kind.isFile() ? Number.POSITIVE_INFINITY : kind.isSocket() ? 50 : 3000;
  } catch {
    return 0;
  }
}

async function readAll(stream: NodeJS.ReadStream, patienceMs = patience()): Promise<string | undefined> {
  if (patienceMs === 0) return undefined;
  const chunks: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<"silence">((resolve) => {
    if (Number.isFinite(patienceMs)) timer = setTimeout(resolve, patienceMs, "silence");
  });
  const whole = new Promise<"end">((resolve, reject) => {
    stream.on("data", (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stream.on("end", () => resolve("end"));
    stream.on("error", reject);
  });
  const how = await Promise.race([silence, whole]);
  clearTimeout(timer);
  if (how === "silence") {
    stream.pause();
    stream.unref?.();
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}
