import { type ChildProcess, spawn as nodeSpawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type BoundedOutput, boundedOutput } from "./bounded-output.ts";
import { HostError } from "./error.ts";
import { inputFile } from "./input-file.ts";
import { outputPipe, type Pipe } from "./pipes.ts";
import type { Exit, ProcessOptions, RunningProcess, Spawn } from "./process.ts";
import { endTree, killGroupNow, treeVariable } from "./process-tree.ts";
import { spawnError } from "./spawn-error.ts";

const defaultKeepBytes = 1 << 20;
const defaultGraceMs = 500;
const drainMs = 250;

/** Groups by their first process, with what else belongs to each. */
const running = new Map<number, () => readonly number[]>();
const nobody = (): readonly number[] => [];
let watchingOwnEnd = false;
let count = 0;
const instance = `${process.pid}-${Date.now().toString(36)}`;
/** Timers of Node fire at once beyond this. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * No child outlives this process, whatever ends it short of SIGKILL; nor do the groups that `others` gives at that moment.
 * The result lets go of one that has ended.
 */
export function endWithUs(pid: number, others = nobody): () => void {
  running.set(pid, others);
  if (!watchingOwnEnd) watchOwnEnd();
  return () => running.delete(pid);
}

function watchOwnEnd(): void {
  watchingOwnEnd = true;
  process.on("exit", () => {
    for (const [group, others] of running) for (const one of [...others(), group]) killGroupNow(one);
  });
}

type SpawnOptions = Parameters<Spawn>[2];

export const spawn: Spawn = async (file, args, options) => {
  if (options.signal?.aborted === true) {
    throw new HostError("aborted", `${file} was not started: it was already aborted`, { subject: file });
  }
  count += 1;
  const mark = `${instance}.${count}`;
  return supervise(await start(file, args, options, mark), options, mark);
};

/** A child with our ends of its streams. */
interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

interface Ends {
  readonly stdin: number | "pipe" | "ignore";
  readonly stdout: Pipe | undefined;
  readonly stderr: Pipe | undefined;
}

async function openEnds({ input, interactive }: SpawnOptions): Promise<Ends> {
  const stdout = await outputPipe();
  const stderr = await outputPipe();
  if (input === undefined) return { stdin: interactive === true ? "pipe" : "ignore", stdout, stderr };
  return { stdin: (await inputFile(input)) ?? "pipe", stdout, stderr };
}

/** The child has its own copies now, or was never born. */
function closeChildEnds({ stdin, stdout, stderr }: Ends): void {
  for (const end of [stdin, stdout?.childEnd, stderr?.childEnd]) if (typeof end === "number") closeSync(end);
}

async function start(file: string, args: readonly string[], options: SpawnOptions, mark: string): Promise<Child> {
  const outer = options.env[treeVariable];
  const env = { ...options.env, [treeVariable]: outer === undefined ? `.${mark}.` : `${outer}.${mark}.` };
  const ends = await openEnds(options);
  try {
    const child = nodeSpawn(file, args as string[], {
      cwd: options.cwd,
      env,
      detached: process.platform !== "win32",
      stdio: [ends.stdin, ends.stdout?.childEnd ?? "pipe", ends.stderr?.childEnd ?? "pipe"],
      windowsHide: true,
    });
    if (child.pid === undefined) throw await new Promise((resolve) => child.once("error", resolve));
    const [stdout, stderr] = [child.stdout ?? ends.stdout?.stream, child.stderr ?? ends.stderr?.stream];
    if (stdout === undefined || stderr === undefined) throw new TypeError("a child without output streams");
    return { process: child, pid: child.pid, stdin: child.stdin, stdout, stderr };
  } catch (error) {
    ends.stdout?.stream.destroy();
    ends.stderr?.stream.destroy();
    throw spawnError(file, options.cwd, error);
  } finally {
    closeChildEnds(ends);
  }
}

/** Reads one stream into bounded memory, handing on decoded text until `stop`. */
function collect(child: Child, stream: "stdout" | "stderr", options: ProcessOptions): BoundedOutput & { stop(): void } {
  const collected = boundedOutput(options.keepBytes ?? defaultKeepBytes);
  const { onOutput } = options;
  const decoder = onOutput === undefined ? undefined : new StringDecoder("utf8");
  let stopped = false;
  const emit = (text: string | undefined): void => {
    if (text !== undefined && text !== "") onOutput?.(text, stream);
  };
  // After `stop` the pipe is still read, so that a grandchild left in the background is not ended by a broken pipe.
  child[stream].on("data", (chunk: Buffer) => {
    if (stopped) return;
    collected.push(chunk);
    emit(decoder?.write(chunk));
  });
  child[stream].on("error", () => undefined); // a read error is the end of that stream; the exit tells the rest
  return {
    push: collected.push,
    output: collected.output,
    stop() {
      if (stopped) return;
      emit(decoder?.end());
      stopped = true;
    },
  };
}

function feed(child: Child, options: SpawnOptions): void {
  const { stdin } = child;
  if (stdin === null) return;
  stdin.on("error", () => undefined); // the reader closed early; what it did with the rest is told by its exit
  if (options.input !== undefined) stdin.end(options.input);
}

type Unreferable = { unref?(): void };

/** Settles with the end of the process and of its output, or a moment after the process where others hold its pipes. */
function wholeEnd(child: Child, onExit: () => void): Promise<void> {
  const closed = [child.stdout, child.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.once("close", resolve)),
  );
  return new Promise((resolve) => {
    child.process.once("exit", () => {
      onExit();
      const drained = setTimeout(resolve, drainMs);
      void Promise.all(closed).then(() => {
        clearTimeout(drained);
        resolve();
      });
    });
  });
}

function supervise(child: Child, options: SpawnOptions, mark: string): RunningProcess {
  const started = performance.now();
  const { pid } = child;
  const stdout = collect(child, "stdout", options);
  const stderr = collect(child, "stderr", options);
  let timedOut = false;
  let aborted = false;
  let ending: Promise<void> | undefined;
  const letGo = endWithUs(pid);
  feed(child, options);

  const rootEnded = (): boolean => child.process.exitCode !== null || child.process.signalCode !== null;
  const kill = (): Promise<void> => {
    ending ??= endTree({ root: pid, mark: `.${mark}.`, rootEnded }, options.graceMs ?? defaultGraceMs);
    return ending;
  };
  const abort = (): void => {
    aborted = true;
    void kill();
  };
  const limit =
    options.timeoutMs === undefined || options.timeoutMs > longestTimerMs
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          void kill();
        }, options.timeoutMs);
  options.signal?.addEventListener("abort", abort, { once: true });

  if (options.signal?.aborted === true) abort();

  const ended = wholeEnd(child, () => {
    letGo();
    clearTimeout(limit);
    options.signal?.removeEventListener("abort", abort);
  });
  const exit = ended.then(async (): Promise<Exit> => {
    await ending;
    stdout.stop();
    stderr.stop();
    const { exitCode: code, signalCode: signal } = child.process;
    for (const pipe of [child.stdout, child.stderr, child.stdin]) (pipe as Unreferable | null)?.unref?.();
    const durationMs = performance.now() - started;
    return { code, signal, timedOut, aborted, stdout: stdout.output(), stderr: stderr.output(), durationMs };
  });

  return {
    pid,
    exit,
    write: (text) => {
      if (child.stdin?.writable === true) child.stdin.write(text);
    },
    closeInput: () => {
      child.stdin?.end();
    },
    kill: async () => {
      await kill();
      await exit;
    },
  };
}
