import { closeSync } from "node:fs";
import { resolve } from "node:path";
import { findProgram } from "./environment.ts";
import { isHostError } from "./error.ts";
import { conclusion } from "./helped-end.ts";
import { inputFile, inputFileNow } from "./input-file.ts";
import { type PipedOutput, pipedOutput, releasePipe } from "./piped-output.ts";
import { type MakePipes, type NamedPipe, namedPipe } from "./pipes.ts";
import type { Exit, ProcessOptions, RunningProcess } from "./process.ts";
import { childrenNow, childrenOf, endTree, treeVariable } from "./process-tree.ts";
import { endWithUs, spawn } from "./spawn.ts";
import { type Helper, helpers, type Job, type JobEnd, ownVariables, passesOn } from "./starter.ts";

/** A program that gets its whole input at the start. */
export type BriefProcess = Pick<RunningProcess, "exit" | "kill">;

type Options = ProcessOptions & { readonly input?: string };

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: Options;
  /** The program that gives it a session of its own; absent: it shares that of its helper. */
  readonly leader?: string;
}

const defaultGraceMs = 500;
/** How long others may hold the pipes of a process that has ended. */
const drainMs = 250;
/** A process that runs longer than this is read as it writes; until then what it writes waits in its pipes. */
const patienceMs = 4;
const nullDevice = "/dev/null";
/** An input up to this length is written at once. */
const shortInput = 60_000;
/** Longer arguments and variables are left to Node, which tells why the system refuses them. */
const mostCharacters = 500_000;
/** The helper is started when the first process has been out of the way for this long. */
const restMs = 20;
/** What cannot be killed is given up after this long. */
const surrenderMs = 5_000;
/** Timers of Node fire at once beyond this. */
const longestTimerMs = 2 ** 31 - 1;

const own = helpers();
let count = 0;

/**
 * Starts a program that is given its whole input, with the contract of `spawn`. From the second one on a helper process
 * starts them, several times cheaper than Node can; what is found only then is told by `Exit.failure`, and a program that
 * a signal ended has the exit code that shells give it.
 */
export async function startBriefly(
  file: string,
  args: readonly string[],
  options: Options & { readonly input: string },
): Promise<BriefProcess> {
  const command: Command = { file, args, options };
  const helper = mayBeHelped(command) ? own.take() : undefined;
  const job = helper && (await prepared(command, helper));
  if (job !== undefined) return supervise(job, command);
  const process = await spawn(file, args, options);
  void process.exit.then(() => setTimeout(own.prepare, restMs).unref());
  return process;
}

/**
 * Starts a program in a session and a process group of its own, with the contract of `spawn`, from the first one on by a
 * helper where there are `dash` and `setsid`. `Exit` says what it says for `startBriefly`.
 */
export async function startInSession(
  file: string,
  args: readonly string[],
  options: Omit<ProcessOptions, "input">,
): Promise<BriefProcess> {
  const leader = findProgram("setsid");
  if (leader !== undefined && mayBeHelped({ file, args, options })) {
    const command: Command = { file, args, options, leader };
    const helper = await own.call();
    const job = helper && (await prepared(command, helper));
    if (job !== undefined) return supervise(job, command);
  }
  return spawn(file, args, options);
}

/** Has a helper make pipes. */
const makePipes: MakePipes = async (args) => {
  const file = findProgram("mkfifo");
  const helper = file === undefined ? undefined : await own.call();
  if (file === undefined || helper === undefined) return false;
  const nowhere = { stdin: nullDevice, stdout: nullDevice, stderr: nullDevice };
  return new Promise((settle) => {
    helper.run({ file, args, cwd: "/", env: ownVariables(), ...nowhere }, (end) =>
      settle(typeof end === "object" && end.status === 0),
    );
  });
};

interface Prepared extends Job {
  readonly helper: Helper;
  readonly mark: string;
  readonly pipes: readonly [NamedPipe, NamedPipe];
  readonly closeInput: () => void;
}

function mayBeHelped({ file, args, options: { cwd, env, signal } }: Command): boolean {
  if (signal?.aborted === true) return false;
  let characters = 0;
  for (const word of args) characters += word.length;
  for (const name in env) characters += env[name]?.length ?? 0;
  return (
    characters < mostCharacters &&
    cwd.startsWith("/") &&
    ![file, cwd, ...args].some((text) => text.includes("\0")) &&
    passesOn(env)
  );
}

async function prepared(command: Command, helper: Helper): Promise<Prepared | undefined> {
  const { file, args, options, leader } = command;
  const { cwd, env } = options;
  const path = file.includes("/") ? resolve(cwd, file) : findProgram(file, env);
  const streams = path === undefined ? undefined : await streamsFor(options.input);
  if (path === undefined || streams === undefined) {
    own.give(helper);
    return undefined;
  }
  count += 1;
  const mark = `.${process.pid}-brief.${count}.`;
  const marked = { ...env, [treeVariable]: `${env[treeVariable] ?? ""}${mark}` };
  const program = leader === undefined ? { file: path, args } : { file: leader, args: [path, ...args] };
  return { ...program, cwd, env: marked, helper, mark, ...streams };
}

type Streams = Pick<Prepared, "stdin" | "stdout" | "stderr" | "pipes" | "closeInput">;

interface Input {
  readonly path: string;
  readonly close: () => void;
}

async function inputFor(text: string | undefined): Promise<Input | undefined> {
  if (text === undefined) return { path: nullDevice, close: () => undefined };
  const file = text.length > shortInput ? await inputFile(text) : inputFileNow(text);
  if (file === undefined) return undefined;
  return { path: `/proc/${process.pid}/fd/${file}`, close: () => closeSync(file) };
}

async function streamsFor(text: string | undefined): Promise<Streams | undefined> {
  const input = await inputFor(text);
  const stdout = await namedPipe(makePipes);
  const stderr = await namedPipe(makePipes);
  if (input !== undefined && stdout !== undefined && stderr !== undefined) {
    const paths = { stdin: input.path, stdout: stdout.path, stderr: stderr.path };
    return { ...paths, pipes: [stdout, stderr], closeInput: input.close };
  }
  input?.close();
  for (const pipe of [stdout, stderr]) if (pipe !== undefined) releasePipe(pipe, false);
  return undefined;
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
  const exit = running.ended.then(async (end): Promise<Exit> => {
    clearTimeout(reading);
    limits.end();
    const isBegun = end !== "no-streams" && end !== "not-begun";
    if (isBegun) await gathered(outputs, running.ending);
    const [stdout, stderr] = [outputs[0].close(), outputs[1].close()];
    if (!isBegun) {
      again = await startedByNode(command);
      return again.exit;
    }
    const { timedOut, aborted } = limits;
    const durationMs = performance.now() - began;
    return {
      ...conclusion(end, command, timedOut() || aborted()),
      timedOut: timedOut(),
      aborted: aborted(),
      stdout,
      stderr,
      durationMs,
    };
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
  readonly ended: Promise<JobEnd>;
  readonly kill: () => Promise<void>;
  readonly ending: () => Promise<void> | undefined;
}

function submitted(job: Prepared, graceMs: number): Submitted {
  const ended = Promise.withResolvers<JobEnd>();
  let ending: Promise<void> | undefined;
  let isEnded = false;
  const { pid } = job.helper;
  const letGo = endWithUs(pid, () => childrenNow(pid));
  job.helper.run(job, (end) => {
    isEnded = true;
    letGo();
    job.closeInput();
    ended.resolve(end);
  });
  const kill = (): Promise<void> => {
    ending ??= killJob(job, graceMs, () => isEnded);
    return ending;
  };
  // Whoever has lost its starter is not known to have ended.
  const known = ended.promise.then(async (end) => {
    if (end === "lost") await kill();
    return end;
  });
  return { ended: known, kill, ending: () => ending };
}

/**
 * All that belongs to a job carries its mark, and it is what the helper has started. The helper's own group may hold what
 * earlier jobs left behind. One that is being started just now carries no mark yet, so the look is repeated until the job
 * has ended.
 */
async function killJob({ helper, mark }: Prepared, graceMs: number, isEnded: () => boolean): Promise<void> {
  const surrender = performance.now() + surrenderMs;
  do {
    const [root = Number.NaN] = await childrenOf(helper.pid);
    await endTree({ root, mark, rootEnded: isEnded }, graceMs);
    if (!isEnded()) await wait(5);
  } while (!isEnded() && performance.now() < surrender);
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
