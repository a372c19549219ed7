import { fstatSync } from "node:fs";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";

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

export interface LineOptions {
  readonly history: readonly string[];
  readonly complete: (line: string) => readonly string[];
}

/** Line input with editing and history at a terminal, plain lines from a pipe. */
export interface LineEditor {
  /** Shows the prompt and resolves with the next line; undefined at the end of input or when aborted. */
  read(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Lines typed while nobody reads; the editor's echo is off then. */
  onIdleLine(handler: (line: string) => void): void;
  /** Ctrl-C at a terminal. */
  onInterrupt(handler: () => void): void;
  close(): void;
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

function lineEditor({ history, complete }: LineOptions): LineEditor {
  const { stdin, stdout } = process;
  const terminal = Boolean(stdin.isTTY && stdout.isTTY);
  let echo = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (echo) stdout.write(chunk, () => done());
      else done();
    },
  });
  Object.defineProperty(output, "columns", { get: () => stdout.columns || 80 });
  const readline: Interface = createInterface({
    input: stdin,
    output,
    terminal,
    history: [...history].reverse(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string) => [complete(line), line],
  });
  let waiting: ((line: string | undefined) => void) | undefined;
  let idle: (line: string) => void = () => undefined;
  const early: string[] = [];
  let ended = false;

  readline.on("line", (line) => {
    if (waiting) settle(line);
    else if (terminal) idle(line);
    else early.push(line);
  });
  readline.on("close", () => {
    ended = true;
    settle(undefined);
  });

  function settle(line: string | undefined): void {
    const resolve = waiting;
    waiting = undefined;
    echo = false;
    resolve?.(line);
  }

  return {
    read(prompt, signal) {
      const first = early.shift();
      if (first !== undefined) return Promise.resolve(first);
      if (ended || signal?.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        waiting = resolve;
        signal?.addEventListener("abort", () => waiting === resolve && settle(undefined), { once: true });
        echo = terminal;
        readline.setPrompt(prompt);
        if (terminal) readline.prompt(true);
        else readline.resume();
      });
    },
    onIdleLine(handler) {
      idle = handler;
    },
    onInterrupt(handler) {
      readline.on("SIGINT", handler);
    },
    close() {
      readline.close();
      stdin.unref?.();
    },
  };
}
