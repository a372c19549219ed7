import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { findProgram } from "./environment.ts";

type Variables = Readonly<Record<string, string>>;

/** What a helper is to run. The streams are paths; nothing is interpreted. */
export interface Job {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Variables;
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * How a job ended: with a status as shells count it (128 and more for a signal), because its folder could not be entered
 * or its streams not be opened, or nobody knows since the helper is gone. `not-begun`: the helper was gone before.
 */
export type JobEnd = { readonly status: number } | "no-folder" | "no-streams" | "not-begun" | "lost";

/** A shell that waits for work. It runs one job at a time. */
export interface Helper {
  readonly pid: number;
  run(job: Job, ended: (end: JobEnd) => void): void;
}

export interface Helpers {
  /** One that is free now. Where there is none, the next `prepare` makes one more. */
  take(): Helper | undefined;
  /** One that is free, else a new one as soon as it is ready; undefined where there can be no more. */
  call(): Promise<Helper | undefined>;
  /** Back unused. */
  give(helper: Helper): void;
  /** Starts as many as were wanted at once so far. */
  prepare(): void;
}

const most = 8;
/** When so many were lost, no new ones are started. */
const mostLosses = 20;
/** One that was never ready counts for several. */
const lossesUnready = 5;
/** A new one that is not ready after this long never will be. */
const readyMs = 2_000;
/** Names with a meaning of their own to the helper. */
const ownNames = new Set(["IFS", "OPTIND", "LINENO", "PPID", "FUNCNAME", "_"]);
const validName = /^[A-Za-z_]\w*$/;

/** Whether a helper can pass these variables on as they are. */
export const passesOn = (env: Variables): boolean =>
  Object.keys(env).every((name) => validName.test(name) && (!ownNames.has(name) || name === "_"));

/**
 * Small shells that start programs for this process: dash starts one without a copy of itself, which costs a fraction of
 * what a fork of Node costs. They end when this process does.
 */
export function helpers(): Helpers {
  const free: Helper[] = [];
  const callers: ((helper: Helper | undefined) => void)[] = [];
  let alive = 0;
  let starting = 0;
  let wanted = 1;
  let losses = 0;
  const program = process.platform === "linux" ? findProgram("dash") : undefined;
  const mayAdd = (): boolean => program !== undefined && losses < mostLosses;
  const add = (): void => {
    alive += 1;
    starting += 1;
    begin(program ?? "dash", {
      free(helper, isFirst) {
        if (isFirst) starting -= 1;
        const caller = callers.shift();
        if (caller === undefined) free.push(helper);
        else caller(helper);
      },
      lost(helper, wasReady) {
        alive -= 1;
        losses += wasReady ? 1 : lossesUnready;
        if (!wasReady) {
          starting -= 1;
          callers.shift()?.(undefined);
        }
        const at = free.indexOf(helper);
        if (at >= 0) free.splice(at, 1);
      },
    });
  };
  return {
    take() {
      const helper = free.pop();
      if (helper === undefined && alive >= wanted) wanted = Math.min(most, wanted + 1);
      return helper;
    },
    async call() {
      const helper = free.pop();
      if (helper !== undefined) return helper;
      if (callers.length >= starting) {
        if (alive >= most || !mayAdd()) return undefined;
        wanted = Math.max(wanted, alive + 1);
        add();
      }
      return new Promise((resolve) => {
        // A new one holds nobody back from ending, but whoever waits for it does.
        const hold = setTimeout(() => undefined, 2 * readyMs);
        callers.push((given) => {
          clearTimeout(hold);
          resolve(given);
        });
      });
    },
    give: (helper) => void free.push(helper),
    prepare() {
      while (mayAdd() && alive < wanted) add();
    },
  };
}

interface Owner {
  free(helper: Helper, isFirst: boolean): void;
  lost(helper: Helper, wasReady: boolean): void;
}

/** What of our own environment a helper can pass on. */
export const ownVariables = (): Variables =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => validName.test(name) && !ownNames.has(name)),
  ) as Record<string, string>;

function begin(program: string, owner: Owner): void {
  const base = ownVariables();
  const child: ChildProcess = spawn(program, [], {
    cwd: "/",
    detached: true,
    env: base,
    stdio: ["pipe", "ignore", "ignore", "pipe"],
  });
  const [input, reports] = [child.stdin, child.stdio[3]] as unknown as readonly [Socket, Socket];
  let variables: Variables = base;
  let ended: ((end: JobEnd) => void) | undefined;
  let isLost = false;
  let isReady = false;
  const settle = (end: JobEnd): void => {
    const tell = ended;
    ended = undefined;
    reports.unref();
    tell?.(end);
  };
  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    clearTimeout(unready);
    owner.lost(helper, isReady);
    settle("lost");
  };
  const unready = setTimeout(() => {
    child.kill("SIGKILL");
    lose();
  }, readyMs).unref();
  child.unref();
  input.unref();
  reports.unref();
  for (const stream of [input, reports]) stream.on("error", lose);
  child.once("error", lose);
  child.once("exit", lose);
  let rest = "";
  reports.setEncoding("latin1").on("data", (piece: string) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const isFirst = !isReady;
      if (isFirst) {
        isReady = true;
        clearTimeout(unready);
      }
      if (!isLost) owner.free(helper, isFirst);
      if (line !== "ready") settle(endOf(line));
    }
  });
  // Its pipes are opened by path: where that is not allowed, it is of no use.
  input.write(`[ -r /proc/${process.pid}/fd/${descriptorOf(input)} ] && echo ready >&3 || exit\n`);
  const helper: Helper = {
    pid: child.pid ?? 0,
    run(job, tell) {
      if (isLost) {
        tell("not-begun");
        return;
      }
      ended = tell;
      reports.ref();
      input.write(script(job, variables));
      variables = job.env;
    },
  };
}

const descriptorOf = (stream: Socket): number =>
  (stream as unknown as { readonly _handle?: { readonly fd?: number } })._handle?.fd ?? 0;

function endOf(line: string): JobEnd {
  if (line === "folder") return "no-folder";
  return line === "streams" ? "no-streams" : { status: Number(line) };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The change of the helper's variables from one job to the next. Moving to a folder sets two of them. */
function assignments(before: Variables, after: Variables): string {
  let text = "unset OLDPWD; ";
  for (const name in before) if (after[name] === undefined) text += `unset ${name}; `;
  for (const name in after)
    if (after[name] !== before[name] || name === "PWD" || name === "OLDPWD")
      text += `export ${name}=${quoted(after[name] ?? "")}; `;
  return after["PWD"] === undefined ? `${text}unset PWD; ` : text;
}

function script(job: Job, before: Variables): string {
  const command = [job.file, ...job.args].map(quoted).join(" ");
  const streams = `<${quoted(job.stdin)} >${quoted(job.stdout)} 2>${quoted(job.stderr)}`;
  const run = `{ ${command} 3>&-; echo $? >&3; } ${streams} || echo streams >&3`;
  return `if cd -- ${quoted(job.cwd)}; then ${assignments(before, job.env)}${run}; else echo folder >&3; fi\n`;
}
