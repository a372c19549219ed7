import { type Exit, every, type RunningProcess, sleep, ticks } from "#host";
import { answerLines } from "./answer-lines.ts";
import { headOf } from "./outcome.ts";

/** Pauses before a worker that died is started again: doubled at each death, none after one that has lived for `steadyMs`. */
const firstPauseMs = 100;
const longestPauseMs = 30_000;
const steadyMs = 10_000;
/** A pause that short is waited for; during a longer one requests fail at once. */
const patienceMs = 1_000;
/** One that nobody asks for this long is ended, and started anew when somebody does. */
const idleMs = 600_000;
const idleCheckMs = 60_000;
const mostLoggedLines = 500;

export interface Problem {
  readonly problem: string;
}
export type WorkerReply = { readonly answer: unknown } | Problem;

/** What is needed to run one worker. */
export interface WorkerPlan {
  start(onOutput: (text: string, stream: "stdout" | "stderr") => void): Promise<RunningProcess | Problem>;
  log(level: "info" | "warning", message: string): void;
}

/** A program that is started once and answers many requests. */
export interface WorkerProcess {
  /** `json` is the payload on one line. `ended` says why when the signal aborts. Never rejects. */
  ask(json: string, signal: AbortSignal, ended: () => string): Promise<WorkerReply>;
}

interface Life {
  readonly process: RunningProcess;
  readonly since: number;
  readonly waiting: Map<number, (reply: WorkerReply) => void>;
  asked: number;
  answered: number;
  over: string | undefined;
}

export function workerProcess(plan: WorkerPlan): WorkerProcess {
  const pause = growingPause();
  let life: Promise<Life | Problem> | undefined;
  let lastId = 0;
  let why = "it ended";

  async function wake(signal: AbortSignal): Promise<Life | Problem> {
    const rest = pause.restMs();
    if (rest > patienceMs) return { problem: `${why}; it is started again in ${Math.ceil(rest / 1000)} s` };
    if (rest > 0) await sleep(rest, signal).catch(() => undefined); // the caller looks at the signal itself
    life ??= begin(plan, (reason, livedMs) => {
      life = undefined;
      why = reason;
      pause.grow(livedMs);
      plan.log("warning", `a worker ended: ${reason}`);
    });
    const begun = await life;
    if ("problem" in begun) {
      life = undefined;
      why = begun.problem;
      pause.grow(0);
    }
    return begun;
  }

  return {
    async ask(json, signal, ended) {
      const current = await (life ?? wake(signal));
      if (signal.aborted) return { problem: ended() };
      if ("problem" in current) return current;
      lastId += 1;
      return request(current, { id: lastId, json }, { signal, ended });
    },
  };
}

async function request(
  life: Life,
  { id, json }: { readonly id: number; readonly json: string },
  { signal, ended }: { readonly signal: AbortSignal; readonly ended: () => string },
): Promise<WorkerReply> {
  if (life.over !== undefined) return { problem: life.over };
  const { promise, resolve } = Promise.withResolvers<WorkerReply>();
  const asked = ticks();
  const stop = (): void => {
    life.waiting.delete(id);
    resolve({ problem: ended() });
    // One that has said nothing since is stuck, and would only be handed more and more that it does not read.
    if (life.answered < asked) void life.process.kill();
    else life.process.write(`{"cancel":${id}}\n`);
  };
  signal.addEventListener("abort", stop, { once: true });
  life.waiting.set(id, resolve);
  life.asked = asked;
  life.process.write(`{"id":${id},"payload":${json}}\n`);
  const reply = await promise;
  signal.removeEventListener("abort", stop);
  return reply;
}

async function begin(plan: WorkerPlan, over: (reason: string, livedMs: number) => void): Promise<Life | Problem> {
  const waiting: Life["waiting"] = new Map();
  const since = ticks();
  let flood: string | undefined;
  let life: Life | undefined;
  const lines = answerLines(({ id, answer, error }) => {
    const resolve = waiting.get(id);
    if (resolve === undefined || life === undefined) return false;
    waiting.delete(id);
    life.answered = ticks();
    resolve(error === undefined ? { answer } : { problem: error });
    return true;
  });
  const logged = loggedLines(plan);
  const process = await plan.start((text, stream) => {
    if (stream === "stderr") logged(text);
    else if (flood === undefined) {
      flood = lines.push(text);
      if (flood !== undefined) void life?.process.kill();
    }
  });
  if ("problem" in process) return process;
  const begun: Life = { process, since, waiting, asked: since, answered: since, over: undefined };
  life = begun;
  const stopLooking = every(idleCheckMs, () => {
    if (waiting.size === 0 && ticks() - begun.asked > idleMs) void process.kill();
  });
  void process.exit.then((exit) => {
    stopLooking();
    const reason = flood ?? endOf(exit);
    begun.over = reason;
    for (const resolve of waiting.values()) resolve({ problem: reason });
    waiting.clear();
    over(reason, ticks() - since);
  });
  return begun;
}

function endOf(exit: Exit): string {
  const line = exit.stderr.text.trim().split("\n").at(-1) ?? "";
  const how = exit.code === null ? `it was ended by ${exit.signal}` : `it ended with exit code ${exit.code}`;
  return line === "" ? how : `${how}: ${headOf(line, 400)}`;
}

/** Standard error goes to the log, line by line; a flood of it is cut off. */
function loggedLines(plan: WorkerPlan): (text: string) => void {
  let rest = "";
  let count = 0;
  return (text) => {
    const lines = headOf(rest + text, 64 << 10).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      count += 1;
      if (count > mostLoggedLines) return;
      if (line.trim() !== "") plan.log("info", headOf(line, 400));
    }
  };
}

function growingPause(): { restMs(): number; grow(livedMs: number): void } {
  let pauseMs = 0;
  let until = 0;
  return {
    restMs: () => until - ticks(),
    grow(livedMs) {
      pauseMs = livedMs > steadyMs ? 0 : Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2));
      until = ticks() + pauseMs;
    },
  };
}
