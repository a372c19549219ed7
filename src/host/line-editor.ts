import type { Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { asLine, asText, pastedText, pasteMarks } from "./pasted-text.ts";

export interface LineOptions {
  readonly history: readonly string[];
  readonly complete: (line: string) => readonly string[];
}

/** Line input with editing and history at a terminal, plain lines from a pipe. */
export interface LineEditor {
  /** Shows the prompt and resolves with the next line; undefined at the end of input or when aborted. */
  read(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The same, without showing what is typed. */
  readHidden(prompt: string): Promise<string | undefined>;
  /** Lines typed while nobody reads; the editor's echo is off then. */
  onIdleLine(handler: (line: string) => void): void;
  /** Throws away what was typed and not yet entered, so that it answers no question it was not meant for. */
  discard(): void;
  /** Ctrl-C at a terminal. At a prompt with something typed it throws that away and the handler is not called. What it returns is shown above the prompt. */
  onInterrupt(handler: () => string | undefined): void;
  close(): void;
}

export function lineEditor({ history, complete }: LineOptions): LineEditor {
  const { stdin, stdout } = process;
  const terminal = Boolean(stdin.isTTY && stdout.isTTY);
  const output = editorOutput();
  const keys = terminal ? terminalKeys() : undefined;
  const readline = editorInterface(keys?.stream ?? stdin, output.stream, terminal, { history, complete });
  let waiting: ((line: string | undefined) => void) | undefined;
  let idle: (line: string) => void = () => undefined;
  const early: string[] = [];
  let ended = false;
  /** Nobody has read yet, or the reader has just got a line and has had no time to say what it does next. */
  let resting = true;

  readline.on("line", (entered) => {
    const line = terminal ? asText(entered) : entered;
    if (waiting) settle(line);
    else if (terminal && !resting) idle(line);
    else early.push(line);
  });
  readline.on("close", () => {
    ended = true;
    if (waiting && terminal) stdout.write("\n");
    settle(undefined);
  });

  function settle(line: string | undefined): void {
    const resolve = waiting;
    waiting = undefined;
    output.echo(false);
    resting = true;
    setImmediate(handOver);
    resolve?.(line);
  }

  /** Lines that came together with one that was read: the reader is busy with that now. */
  function handOver(): void {
    if (!terminal || waiting) return;
    resting = false;
    for (let line = early.shift(); line !== undefined; line = early.shift()) idle(line);
  }

  const editor: LineEditor = {
    readHidden: (prompt) => (terminal ? hiddenLine(editor, output, prompt) : editor.read(prompt)),
    read(prompt, signal) {
      const first = early.shift();
      if (first !== undefined) {
        if (terminal) stdout.write(`${prompt}${first}\n`);
        setImmediate(handOver);
        return Promise.resolve(first);
      }
      if (ended || signal?.aborted) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        waiting = resolve;
        const abandon = (): void => {
          if (waiting !== resolve) return;
          if (terminal) stdout.write("\n");
          settle(undefined);
        };
        signal?.addEventListener("abort", abandon, { once: true });
        output.echo(terminal);
        readline.setPrompt(prompt);
        if (terminal) readline.prompt(true);
        else readline.resume();
      });
    },
    discard: () => terminal && discardLine(readline),
    onIdleLine(handler) {
      idle = handler;
    },
    onInterrupt(handler) {
      readline.on("SIGINT", () => onControlC(readline, waiting !== undefined, handler));
    },
    close() {
      readline.close();
      keys?.leave();
      stdin.unref?.();
    },
  };
  return editor;
}

function hiddenLine(editor: LineEditor, output: { echo(wanted: boolean): void }, prompt: string) {
  const { stdout } = process;
  const line = editor.read("");
  output.echo(false);
  stdout.write(prompt);
  return line.finally(() => stdout.write("\n"));
}

function onControlC(readline: Interface, isReading: boolean, handler: () => string | undefined): void {
  const typed = isReading && readline.line !== "";
  if (typed) discardLine(readline);
  const told = typed ? "^C" : handler();
  if (told === undefined || !isReading) return;
  process.stdout.write(typed ? `${told}\n` : `\n${told}\n`);
  readline.prompt();
}

function discardLine(readline: Interface): void {
  if (readline.line === "") return;
  readline.write(null, { ctrl: true, name: "e" });
  readline.write(null, { ctrl: true, name: "u" });
}

/** Where readline draws; while nobody reads a line, nothing is drawn. */
function editorOutput(): { readonly stream: Writable; echo(wanted: boolean): void } {
  const { stdout } = process;
  let echo = false;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      // Nothing may wait here: what is written while the echo is on must not be dropped when it goes off.
      if (echo) stdout.write(chunk);
      done();
    },
  });
  Object.defineProperty(stream, "columns", { get: () => stdout.columns || 80 });
  return {
    stream,
    echo(wanted) {
      echo = wanted;
    },
  };
}

/** The terminal's keys without line breaks of what is pasted. A terminal that cannot mark it is left alone. */
function terminalKeys(): { readonly stream: Readable; leave(): void } {
  const { stdin, stdout } = process;
  const marks = process.env["TERM"] !== "dumb";
  const stream = pastedText();
  Object.assign(stream, { setRawMode: (wanted: boolean) => stdin.setRawMode(wanted) });
  if (marks) stdout.write(pasteMarks.on);
  stdin.pipe(stream);
  return {
    stream,
    leave() {
      stdin.unpipe(stream);
      stdin.pause();
      if (marks) stdout.write(pasteMarks.off);
    },
  };
}

function editorInterface(
  input: Readable,
  output: Writable,
  terminal: boolean,
  { history, complete }: LineOptions,
): Interface {
  return process.getBuiltinModule("node:readline").createInterface({
    input,
    output,
    terminal,
    history: history.map(asLine).reverse(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string) => [complete(line), line],
  });
}
