import { accessSync, closeSync, constants, existsSync, openSync, readSync } from "node:fs";
import { constants as system } from "node:os";
import { resolve } from "node:path";
import { findProgram } from "./environment.ts";
import { HostError, isHostError } from "./error.ts";
import { inputFile, inputFileNow } from "./input-file.ts";
import { type PipedOutput, pipedOutput, releasePipe } from "./piped-output.ts";
import { type NamedPipe, namedPipe } from "./pipes.ts";
import type { Exit, ProcessOptions, RunningProcess } from "./process.ts";
import { endTree, treeVariable } from "./process-tree.ts";
import { endWithUs, spawn } from "./spawn.ts";
import { spawnError } from "./spawn-error.ts";
import { type Helper, helpers, type Job, type JobEnd, passesOn } from "./starter.ts";

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
  options: Command["options"],
): Promise<BriefProcess> {
  const command: Command = { file, args, options };
  const job = options.signal?.aborted === true ? undefined : await prepared(command);
  if (job !== undefined) return supervise(job, command);
  const process = await spawn(file, args, options);
  void process.exit.then(() => setTimeout(own.prepare, restMs).unref());
  return process;
}

interface Prepared extends Job {
  readonly helper: Helper;
  readonly mark: string;
  readonly pipes: readonly [NamedPipe, NamedPipe];
  readonly closeInput: () => void;
}

function mayBeHelped({ file, args, options: { cwd, env } }: Command): boolean {
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

async function prepared(command: Command): Promise<Prepared | undefined> {
  const { file, args, options } = command;
  const { cwd, env } = options;
  if (!mayBeHelped(command)) return undefined;
  const path = file.includes("/") ? resolve(cwd, file) : findProgram(file, env);
  const helper = path === undefined ? undefined : own.take();
  if (path === undefined || helper === undefined) return undefined;
  const streams = await streamsFor(options.input);
  if (streams === undefined) {
    own.give(helper);
    return undefined;
  }
  count += 1;
  const mark = `.${process.pid}-brief.${count}.`;
  const marked = { ...env, [treeVariable]: `${env[treeVariable] ?? ""}${mark}` };
  return { file: path, args, cwd, env: marked, helper, mark, ...streams };
}

type Streams = Pick<Prepared, "stdin" | "stdout" | "stderr" | "pipes" | "closeInput">;

async function streamsFor(text: string): Promise<Streams | undefined> {
  const input = text.length > shortInput ? await inputFile(text) : inputFileNow(text);
  const stdout = await namedPipe();
  const stderr = await namedPipe();
  if (input !== undefined && stdout !== undefined && stderr !== undefined) {
    const paths = { stdin: `/proc/${process.pid}/fd/${input}`, stdout: stdout.path, stderr: stderr.path };
    return { ...paths, pipes: [stdout, stderr], closeInput: () => closeSync(input) };
  }
  if (input !== undefined) closeSync(input);
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
    if (end !== "no-streams") await gathered(outputs, running.ending);
    const [stdout, stderr] = [outputs[0].close(), outputs[1].close()];
    if (end === "no-streams") {
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
  const letGo = endWithUs(job.helper.pid);
  job.helper.run(job, (end) => {
    isEnded = true;
    letGo();
    job.closeInput();
    ended.resolve(end);
  });
  // All that belongs to the job carries its mark. The group is the helper's and may hold what earlier ones left behind.
  const kill = (): Promise<void> => {
    ending ??= killMarked(job.mark, graceMs, () => isEnded);
    return ending;
  };
  // Whoever has lost its starter is not known to have ended.
  const known = ended.promise.then(async (end) => {
    if (end === "lost") await kill();
    return end;
  });
  return { ended: known, kill, ending: () => ending };
}

/** One that is being started just now carries no mark yet, so the look is repeated until the job has ended. */
async function killMarked(mark: string, graceMs: number, isEnded: () => boolean): Promise<void> {
  const surrender = performance.now() + surrenderMs;
  do {
    await endTree({ root: Number.NaN, mark, rootEnded: () => true }, graceMs);
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

const signalNames = new Map(Object.entries(system.signals).map(([name, number]) => [number, name]));

type Conclusion = Pick<Exit, "code" | "signal" | "failure">;

const failedWith = (failure: HostError): Conclusion => ({ code: null, signal: null, failure });

function conclusion(end: JobEnd, { file, options }: Command, killed: boolean): Conclusion {
  const refused = (code: string): Conclusion =>
    failedWith(spawnError(file, options.cwd, Object.assign(new Error(code), { code })));
  if (end === "no-folder") return refused(existsSync(options.cwd) ? "ENOTDIR" : "ENOENT");
  if (typeof end === "string") {
    const why = "the process that had started it is gone";
    return failedWith(new HostError("spawn_failed", `${file} was lost: ${why}`, { subject: file }));
  }
  const { status } = end;
  if (killed && status > 128) return { code: null, signal: signalNames.get(status - 128) ?? "SIGKILL" };
  // The helper says of a program that did not run what a program may say itself.
  const code = status === 126 || status === 127 ? whyNotRun(file, options) : undefined;
  return code === undefined ? { code: status, signal: null } : refused(code);
}

function whyNotRun(file: string, { cwd, env }: ProcessOptions): string | undefined {
  const path = file.includes("/") ? resolve(cwd, file) : findProgram(file, env);
  if (path === undefined || !existsSync(path)) return "ENOENT";
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return "EACCES";
  }
  const interpreter = /^#!\s*(\S+)/.exec(firstCharacters(path))?.[1];
  return interpreter !== undefined && !existsSync(interpreter) ? "ENOENT" : undefined;
}

function firstCharacters(path: string): string {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(256);
    return bytes.toString("latin1", 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
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
