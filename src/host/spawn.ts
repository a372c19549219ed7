import { type ChildProcess, spawn as nodeSpawn } from "node:child_process";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { type BoundedOutput, boundedOutput } from "./bounded-output.ts";
import { HostError, systemCode } from "./error.ts";
import type { Exit, ProcessOptions, RunningProcess, Spawn } from "./process.ts";
import { endTree, killGroupNow, treeVariable } from "./process-tree.ts";

const defaultKeepBytes = 1 << 20;
const defaultGraceMs = 500;
const drainMs = 250;

const running = new Set<number>();
let watchingOwnEnd = false;
let count = 0;
const instance = `${process.pid}-${Date.now().toString(36)}`;
/** Timers of Node fire at once beyond this. */
const longestTimerMs = 2 ** 31 - 1;

/** No child outlives this process, whatever ends it short of SIGKILL. */
function watchOwnEnd(): void {
  if (watchingOwnEnd) return;
  watchingOwnEnd = true;
  process.on("exit", () => {
    for (const group of running) killGroupNow(group);
  });
}

type SpawnOptions = Parameters<Spawn>[2];

export const spawn: Spawn = async (file, args, options) => {
  if (options.signal?.aborted === true) {
    throw new HostError("aborted", `${file} was not started: it was already aborted`, { subject: file });
  }
  count += 1;
  const mark = `${instance}.${count}`;
  const child = await start(file, args, options, mark);
  watchOwnEnd();
  return supervise(child, options, mark);
};

async function start(
  file: string,
  args: readonly string[],
  options: SpawnOptions,
  mark: string,
): Promise<ChildProcess & { readonly pid: number }> {
  const outer = options.env[treeVariable];
  const env = { ...options.env, [treeVariable]: outer === undefined ? `.${mark}.` : `${outer}.${mark}.` };
  const wantsInput = options.input !== undefined || options.interactive === true;
  let child: ChildProcess;
  try {
    child = nodeSpawn(file, args as string[], {
      cwd: options.cwd,
      env,
      detached: process.platform !== "win32",
      stdio: [wantsInput ? "pipe" : "ignore", "pipe", "pipe"],
      windowsHide: true,
    });
  } catch (error) {
    throw spawnError(file, options.cwd, error);
  }
  if (child.pid === undefined) {
    const error = await new Promise((resolve) => child.once("error", resolve));
    throw spawnError(file, options.cwd, error);
  }
  return child as ChildProcess & { readonly pid: number };
}

function spawnError(file: string, cwd: string, cause: unknown): HostError {
  const facts = { subject: file, cause };
  switch (systemCode(cause)) {
    case "ENOENT":
      if (!existsSync(cwd)) {
        return new HostError("not_found", `cannot start ${file}: its working directory ${cwd} does not exist`, facts);
      }
      if (file.includes("/") && existsSync(file)) {
        const why = "the interpreter named in its first line was not found (or that line ends in a Windows line break)";
        return new HostError("not_found", `cannot start ${file}: ${why}`, facts);
      }
      return new HostError(
        "not_found",
        file.includes("/")
          ? `cannot start ${file}: there is no such file`
          : `cannot start ${file}: no such program on PATH; install it or give its full path`,
        facts,
      );
    case "EACCES":
      return new HostError(
        "not_executable",
        `cannot start ${file}: it may not be executed; run \`chmod +x ${file}\` or check the rights of ${cwd}`,
        facts,
      );
    case "ENOEXEC":
      return new HostError(
        "not_executable",
        `cannot start ${file}: it is not a program; its first line must name an interpreter (#!/bin/sh)`,
        facts,
      );
    case "ENOTDIR":
      return new HostError("not_found", `cannot start ${file} in ${cwd}: that is not a directory`, facts);
    case "E2BIG":
      return new HostError(
        "spawn_failed",
        `cannot start ${file}: its arguments and environment are too large for the system; pass the data on standard input or in a file`,
        facts,
      );
    case "EAGAIN":
      return new HostError("spawn_failed", `cannot start ${file}: the system allows no more processes`, facts);
    case "EMFILE":
    case "ENFILE":
      return new HostError("spawn_failed", `cannot start ${file}: too many files are open; raise \`ulimit -n\``, facts);
    default: {
      const why = cause instanceof Error ? cause.message : String(cause);
      return new HostError("spawn_failed", `cannot start ${file}: ${why}`, facts);
    }
  }
}

/** Reads one stream into bounded memory, handing on decoded text until `stop`. */
function collect(
  child: ChildProcess,
  stream: "stdout" | "stderr",
  options: ProcessOptions,
): BoundedOutput & { stop(): void } {
  const collected = boundedOutput(options.keepBytes ?? defaultKeepBytes);
  const { onOutput } = options;
  const decoder = onOutput === undefined ? undefined : new StringDecoder("utf8");
  let stopped = false;
  const emit = (text: string | undefined): void => {
    if (text !== undefined && text !== "") onOutput?.(text, stream);
  };
  // After `stop` the pipe is still read, so that a grandchild left in the background is not ended by a broken pipe.
  child[stream]?.on("data", (chunk: Buffer) => {
    if (stopped) return;
    collected.push(chunk);
    emit(decoder?.write(chunk));
  });
  child[stream]?.on("error", () => undefined); // a read error is the end of that stream; the exit tells the rest
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

function feed(child: ChildProcess, options: SpawnOptions): void {
  const { stdin } = child;
  if (stdin === null) return;
  stdin.on("error", () => undefined); // the reader closed early; what it did with the rest is told by its exit
  if (options.input !== undefined) stdin.end(options.input);
}

type Unreferable = { unref?(): void };

function supervise(
  child: ChildProcess & { readonly pid: number },
  options: SpawnOptions,
  mark: string,
): RunningProcess {
  const started = performance.now();
  const { pid } = child;
  const stdout = collect(child, "stdout", options);
  const stderr = collect(child, "stderr", options);
  const ended = Promise.withResolvers<void>();
  let timedOut = false;
  let aborted = false;
  let ending: Promise<void> | undefined;
  running.add(pid);
  feed(child, options);

  const rootEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
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

  child.once("exit", () => {
    running.delete(pid);
    clearTimeout(limit);
    options.signal?.removeEventListener("abort", abort);
    const drained = setTimeout(ended.resolve, drainMs);
    child.once("close", () => {
      clearTimeout(drained);
      ended.resolve();
    });
  });

  const exit = ended.promise.then(async (): Promise<Exit> => {
    await ending;
    stdout.stop();
    stderr.stop();
    const { exitCode: code, signalCode: signal } = child;
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
