import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { starterProgram } from "./starter-program.ts";

/** What the helper is to start. `input` is text, or the path of a file that is opened as standard input. */
export interface Job {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: { readonly text: string } | { readonly path: string };
  /** Pipes, opened by path. */
  readonly stdout: string;
  readonly stderr: string;
}

/** What becomes of a job. After `failed`, `unusable` or `ended` nothing more comes. */
export type News =
  | { readonly kind: "started"; readonly pid: number }
  | { readonly kind: "ended"; readonly code: number | null; readonly signal: number }
  /** The system refused to run the program. */
  | { readonly kind: "failed"; readonly errno: number }
  /** Nothing was started, since the streams could not be made; another way may work. */
  | { readonly kind: "unusable" }
  /** The helper itself is gone. */
  | { readonly kind: "lost" };

export interface Starter {
  /** False where the helper is not there, or not yet. */
  isReady(): boolean;
  /** Starts the helper where there is none and can be one. */
  prepare(): void;
  submit(job: Job, tell: (news: News) => void): void;
}

/** A helper that was lost this often is not started again. */
const mostLosses = 3;

/** The one helper of this process. It ends with it, and kills what it had started and was still running. */
export function starter(): Starter {
  let helper: Helper | undefined;
  let losses = process.platform === "linux" ? 0 : mostLosses;
  return {
    isReady: () => helper?.isReady() ?? false,
    prepare() {
      if (helper !== undefined || losses >= mostLosses) return;
      helper = begin(() => {
        helper = undefined;
        losses += 1;
      });
    },
    submit(job, tell) {
      if (helper === undefined) tell({ kind: "lost" });
      else helper.submit(job, tell);
    },
  };
}

interface Helper {
  isReady(): boolean;
  submit(job: Job, tell: (news: News) => void): void;
}

function begin(lost: () => void): Helper {
  const jobs = new Map<number, (news: News) => void>();
  let isReady = false;
  let count = 0;
  const child = spawn("perl", ["-e", starterProgram], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
  });
  const streams = [child.stdin, child.stdout] as unknown as readonly Socket[];
  const hold = (): void => {
    streams[1]?.ref();
  };
  const letGo = (): void => {
    child.unref();
    for (const stream of streams) stream.unref();
  };
  letGo();
  const end = (): void => {
    if (!isOver(child)) child.kill("SIGKILL");
    for (const tell of jobs.values()) tell({ kind: "lost" });
    jobs.clear();
    letGo();
    lost();
  };
  let isEnded = false;
  const endOnce = (): void => {
    if (isEnded) return;
    isEnded = true;
    isReady = false;
    end();
  };
  for (const stream of streams) stream.on("error", endOnce);
  child.once("error", endOnce);
  child.once("exit", endOnce);
  readLines(child, (line) => {
    if (line === "ready") isReady = true;
    else {
      const { id, news } = read(line);
      const tell = jobs.get(id);
      if (news.kind !== "started") jobs.delete(id);
      if (jobs.size === 0) letGo();
      tell?.(news);
    }
  });
  return {
    isReady: () => isReady,
    submit(job, tell) {
      if (isEnded) {
        tell({ kind: "lost" });
        return;
      }
      count += 1;
      jobs.set(count, tell);
      hold();
      child.stdin.write(frame(count, job));
    },
  };
}

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function readLines(child: ChildProcess, take: (line: string) => void): void {
  let rest = "";
  child.stdout?.setEncoding("latin1");
  child.stdout?.on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}

function read(line: string): { readonly id: number; readonly news: News } {
  const [letter, id, value] = line.split(" ");
  const number = Number(value);
  const told = (news: News): { readonly id: number; readonly news: News } => ({ id: Number(id), news });
  if (letter === "s") return told({ kind: "started", pid: number });
  if (letter === "e") return told({ kind: "failed", errno: number });
  if (letter === "f") return told({ kind: "unusable" });
  const signal = number & 127;
  return told({ kind: "ended", code: signal === 0 ? number >> 8 : null, signal });
}

function frame(id: number, job: Job): string | Buffer {
  const [kind, input] = "text" in job.input ? ["text", job.input.text] : ["path", job.input.path];
  let text = `${id}\0${job.cwd}\0${job.stdout}\0${job.stderr}\0${kind}\0${input}\0${job.args.length + 1}\0${job.file}`;
  for (const word of job.args) text += `\0${word}`;
  for (const name in job.env) text += `\0${name}=${job.env[name]}`;
  const body = Buffer.from(text);
  return Buffer.concat([Buffer.from(`${body.length}\n`), body]);
}
