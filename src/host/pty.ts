import { boundedOutput } from "./bounded-output.ts";
import { findProgram } from "./environment.ts";
import { HostError } from "./error.ts";
import { fileFacts } from "./file-facts.ts";
import type { Exit, ProcessOptions, RunningProcess } from "./process.ts";
import { endTree, treeVariable } from "./process-tree.ts";

export interface PtyOptions extends Omit<ProcessOptions, "input"> {
  readonly columns?: number;
  readonly rows?: number;
}

/** A child with a terminal of its own: all it writes is `stdout`, `closeInput` sends the end-of-file character. */
export interface PtyProcess extends RunningProcess {
  resize(columns: number, rows: number): void;
}

interface Terminal {
  readonly pid: number;
  onData(listener: (text: string) => void): unknown;
  onExit(listener: (end: { readonly exitCode: number; readonly signal?: number }) => void): unknown;
  write(text: string): void;
  resize(columns: number, rows: number): void;
}

type StartTerminal = (file: string, args: readonly string[], options: object) => Terminal;

const packageName = "@lydell/node-pty";

async function loadPackage(): Promise<StartTerminal> {
  try {
    const { spawn } = (await import("@lydell/node-pty")) as unknown as { readonly spawn: StartTerminal };
    return spawn;
  } catch (cause) {
    throw new HostError(
      "missing_package",
      `a terminal needs the package ${packageName}, which does not load here: run \`npm install ${packageName}\`, or run the command without one`,
      { subject: packageName, cause },
    );
  }
}

let count = 0;
const longestTimerMs = 2 ** 31 - 1;

/** Starts a program in a pseudo-terminal. Throws as `Spawn` does, and `missing_package` where the optional package is not installed. */
export async function spawnPty(file: string, args: readonly string[], options: PtyOptions): Promise<PtyProcess> {
  const start = await loadPackage();
  const program = file.includes("/") ? file : findProgram(file, options.env);
  if (program === undefined || (await fileFacts(program)) === undefined) {
    throw new HostError("not_found", `cannot start ${file}: no such program; install it or give its full path`, {
      subject: file,
    });
  }
  if ((await fileFacts(options.cwd))?.kind !== "directory") {
    throw new HostError("not_found", `cannot start ${file}: its working directory ${options.cwd} does not exist`, {
      subject: file,
    });
  }
  count += 1;
  const mark = `.${process.pid}-${Date.now().toString(36)}-pty.${count}.`;
  const env = { TERM: "xterm-256color", ...options.env, [treeVariable]: `${options.env[treeVariable] ?? ""}${mark}` };
  try {
    const terminal = start(program, args, {
      name: env.TERM,
      cols: options.columns ?? 80,
      rows: options.rows ?? 24,
      cwd: options.cwd,
      env,
    });
    return supervise(terminal, options, mark);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new HostError("spawn_failed", `cannot start ${file} in a terminal: ${why}`, { subject: file, cause });
  }
}

function supervise(terminal: Terminal, options: PtyOptions, mark: string): PtyProcess {
  const started = performance.now();
  const kept = boundedOutput(options.keepBytes ?? 1 << 20);
  const ended = Promise.withResolvers<{ readonly exitCode: number; readonly signal?: number }>();
  let over = false;
  let timedOut = false;
  let aborted = false;
  let ending: Promise<void> | undefined;
  const kill = (): Promise<void> => {
    ending ??= endTree({ root: terminal.pid, mark, rootEnded: () => over }, options.graceMs ?? 500);
    return ending;
  };
  const abort = (): void => {
    aborted = true;
    void kill();
  };
  const timeoutMs = Math.min(options.timeoutMs ?? longestTimerMs, longestTimerMs);
  const limit = setTimeout(() => {
    timedOut = true;
    void kill();
  }, timeoutMs);
  options.signal?.addEventListener("abort", abort, { once: true });
  if (options.signal?.aborted === true) abort();
  terminal.onData((text) => {
    kept.push(Buffer.from(text));
    options.onOutput?.(text, "stdout");
  });
  terminal.onExit((end) => {
    over = true;
    clearTimeout(limit);
    options.signal?.removeEventListener("abort", abort);
    ended.resolve(end);
  });
  const exit = ended.promise.then(async ({ exitCode, signal }): Promise<Exit> => {
    await ending;
    const none = { text: "", totalBytes: 0, droppedBytes: 0 };
    const facts = { timedOut, aborted, stdout: kept.output(), stderr: none, durationMs: performance.now() - started };
    return signal ? { code: null, signal: signalName(signal), ...facts } : { code: exitCode, signal: null, ...facts };
  });
  const guarded = (action: () => void): void => {
    if (!over) action();
  };
  return {
    pid: terminal.pid,
    exit,
    write: (text) => guarded(() => terminal.write(text)),
    closeInput: () => guarded(() => terminal.write("\x04")),
    resize: (columns, rows) => guarded(() => terminal.resize(columns, rows)),
    kill: async () => {
      await kill();
      await exit;
    },
  };
}

const signalNames: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  6: "SIGABRT",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
};
const signalName = (number: number): string => signalNames[number] ?? `signal ${number}`;
