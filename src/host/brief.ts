import { closeSync } from "node:fs";
import { constants } from "node:os";
import { HostError, isHostError } from "./error.ts";
import { inputFile } from "./input-file.ts";
import { type PipedOutput, pipedOutput, releasePipe } from "./piped-output.ts";
import { type NamedPipe, namedPipe } from "./pipes.ts";
import type { Exit, ProcessOptions, RunningProcess } from "./process.ts";
import { endTree, treeVariable } from "./process-tree.ts";
import { endWithUs, spawn } from "./spawn.ts";
import { spawnError } from "./spawn-error.ts";
import { type Job, type News, starter } from "./starter.ts";

/** A program that gets its whole input at the start. */
export type BriefProcess = Pick<RunningProcess, "exit" | "kill">;

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: ProcessOptions & { readonly input: string };
}

const defaultGraceMs = 500;
/** How long others may hold the pipes of a process that has ended. */
const drainMs = 250;
/** A process that runs longer than this is read as it writes; until then what it writes waits in its pipes. */
const patienceMs = 4;
/** What goes into an empty pipe at once. */
const pipeBytes = 60_000;
/** The helper is started when the first process has been out of the way for this long. */
const restMs = 20;
/** Timers of Node fire at once beyond this. */
const longestTimerMs = 2 ** 31 - 1;

const own = starter();
let count = 0;

/**
 * Starts a program that is given its whole input, with the contract of `spawn`. From the second one on a helper process
 * starts them, several times faster than Node can; what is found only then is told by `Exit.failure`.
 */
export async function startBriefly(
  file: string,
  args: readonly string[],
  options: Command["options"],
): Promise<BriefProcess> {
  const command: Command = { file, args, options };
  if (options.signal?.aborted !== true && own.isReady()) {
    const job = await prepared(command);
    if (job !== undefined) return supervise(job, command);
  }
  const process = await spawn(file, args, options);
  void process.exit.then(() => setTimeout(own.prepare, restMs).unref());
  return process;
}

interface Prepared extends Job {
  readonly mark: string;
  readonly pipes: readonly [NamedPipe, NamedPipe];
  /** Releases the file of a large input, once it has been opened or never will be. */
  readonly closeInput: () => void;
}

async function prepared({ file, args, options }: Command): Promise<Prepared | undefined> {
  if (file === "" || [file, options.cwd, ...args].some((text) => text.includes("\0"))) return undefined;
  const input = await inputFor(options.input);
  const stdout = input === undefined ? undefined : await namedPipe();
  const stderr = stdout === undefined ? undefined : await namedPipe();
  if (input === undefined || stdout === undefined || stderr === undefined) {
    input?.close();
    if (stdout !== undefined) releasePipe(stdout, false);
    return undefined;
  }
  count += 1;
  const mark = `.${process.pid}-brief.${count}.`;
  return {
    file,
    args,
    cwd: options.cwd,
    env: { ...options.env, [treeVariable]: `${options.env[treeVariable] ?? ""}${mark}` },
    input: input.input,
    stdout: stdout.path,
    stderr: stderr.path,
    mark,
    pipes: [stdout, stderr],
    closeInput: input.close,
  };
}

interface Input {
  readonly input: Job["input"];
  readonly close: () => void;
}

async function inputFor(text: string): Promise<Input | undefined> {
  if (text.length <= pipeBytes && Buffer.byteLength(text) <= pipeBytes && !text.includes("\0"))
    return { input: { text }, close: () => undefined };
  const descriptor = await inputFile(text);
  if (descriptor === undefined) return undefined;
  return { input: { path: `/proc/${process.pid}/fd/${descriptor}` }, close: () => closeSync(descriptor) };
}

function supervise(job: Prepared, command: Command): BriefProcess {
  const { options } = command;
  const began = performance.now();
  const outputs = [pipedOutput(job.pipes[0], options, "stdout"), pipedOutput(job.pipes[1], options, "stderr")] as const;
  const running = submitted(job, options.graceMs ?? defaultGraceMs);
  const limits = limited(options, running.kill);
  const reading = setTimeout(() => {
    for (const output of outputs) output.follow();
  }, patienceMs);
  let again: BriefProcess | undefined;
  const exit = running.ended.then(async (news): Promise<Exit> => {
    clearTimeout(reading);
    limits.end();
    if (news.kind !== "unusable") await gathered(outputs, running.ending);
    const [stdout, stderr] = [outputs[0].close(), outputs[1].close()];
    if (news.kind === "unusable") {
      again = await startedByNode(command);
      return again.exit;
    }
    const { timedOut, aborted } = limits;
    const durationMs = performance.now() - began;
    return { ...conclusion(news, command), timedOut: timedOut(), aborted: aborted(), stdout, stderr, durationMs };
  });
  return {
    exit,
    async kill() {
      await running.kill();
      await again?.kill();
      await exit;
    },
  };
}

/** All output is there: the writers are gone, or had their time. */
async function gathered(outputs: readonly PipedOutput[], ending: () => Promise<void> | undefined): Promise<void> {
  await ending();
  const open = outputs.filter((output) => !output.drain());
  if (open.length > 0) await Promise.race([Promise.all(open.map((output) => output.over())), wait(drainMs)]);
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Submitted {
  readonly ended: Promise<News>;
  readonly kill: () => Promise<void>;
  readonly ending: () => Promise<void> | undefined;
}

function submitted(job: Prepared, graceMs: number): Submitted {
  const started = Promise.withResolvers<number | undefined>();
  const ended = Promise.withResolvers<News>();
  let isEnded = false;
  let letGo: (() => void) | undefined;
  let ending: Promise<void> | undefined;
  own.submit(job, (news) => {
    if (news.kind === "started") {
      letGo = endWithUs(news.pid);
      started.resolve(news.pid);
      return;
    }
    isEnded = true;
    letGo?.();
    started.resolve(undefined);
    ended.resolve(news);
  });
  void started.promise.then(job.closeInput);
  const kill = (): Promise<void> => {
    ending ??= started.promise.then((root) =>
      root === undefined ? undefined : endTree({ root, mark: job.mark, rootEnded: () => isEnded }, graceMs),
    );
    return ending;
  };
  // Whoever has lost its starter is not known to have ended.
  const known = ended.promise.then(async (news) => {
    if (news.kind === "lost") await kill();
    return news;
  });
  return { ended: known, kill, ending: () => ending };
}

function limited(
  { timeoutMs, signal }: ProcessOptions,
  kill: () => Promise<void>,
): { readonly timedOut: () => boolean; readonly aborted: () => boolean; readonly end: () => void } {
  let timedOut = false;
  let aborted = false;
  const abort = (): void => {
    aborted = true;
    void kill();
  };
  const late = (): void => {
    timedOut = true;
    void kill();
  };
  const limit = timeoutMs === undefined || timeoutMs > longestTimerMs ? undefined : setTimeout(late, timeoutMs);
  if (signal?.aborted === true) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  return {
    timedOut: () => timedOut,
    aborted: () => aborted,
    end() {
      clearTimeout(limit);
      signal?.removeEventListener("abort", abort);
    },
  };
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));
const errorNames = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

type Conclusion = Pick<Exit, "code" | "signal" | "failure">;

function conclusion(news: News, { file, options }: Command): Conclusion {
  if (news.kind === "ended") {
    const { code } = news;
    return { code, signal: code === null ? (signalNames.get(news.signal) ?? `signal ${news.signal}`) : null };
  }
  if (news.kind !== "failed") {
    const failure = new HostError("spawn_failed", `${file} was lost: the process that had started it is gone`, {
      subject: file,
    });
    return { code: null, signal: null, failure };
  }
  const cause = Object.assign(new Error(`errno ${news.errno}`), { code: errorNames.get(news.errno) });
  return { code: null, signal: null, failure: spawnError(file, options.cwd, cause) };
}

const nothing = { text: "", totalBytes: 0, droppedBytes: 0 };

/** The helper cannot give this one its streams: Node does. */
async function startedByNode({ file, args, options }: Command): Promise<BriefProcess> {
  try {
    return await spawn(file, args, options);
  } catch (error) {
    if (!isHostError(error)) throw new Error(`cannot start ${file}`, { cause: error });
    const ended = { code: null, signal: null, timedOut: false, aborted: error.code === "aborted", durationMs: 0 };
    const exit = Promise.resolve({ ...ended, stdout: nothing, stderr: nothing, failure: error });
    return { exit, kill: () => Promise.resolve() };
  }
}
