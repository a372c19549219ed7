import { childEnvironment, sleep, ticks } from "#host";
import { thrownText } from "../error.ts";
import { type CallOptions, HostLife } from "./host-life.ts";
import { findInterpreter, type Interpreter, type InterpreterSearch } from "./interpreter.ts";
import type { Values } from "./messages.ts";

/** What the modules of the agent that Python code imports are answered with, by the question's name. */
export type PythonServices = Readonly<Record<string, (values: Values) => unknown>>;

export interface PythonPorts extends InterpreterSearch {
  /** The folder with `host.py`. */
  readonly program: string;
  /** The folder that Python code runs in. */
  readonly cwd: string;
  readonly services: PythonServices;
  /** A record of a Python logger, or of the host itself (`talaria`). */
  readonly log: (level: "debug" | "info" | "warning" | "error", logger: string, text: string) => void;
  /** A line that a plugin printed. */
  readonly print: (line: string) => void;
}

/** Whatever has to be brought into a new process again. */
export interface Resident {
  /** Rejects where it cannot be brought back: it is then told and left out. */
  bring(life: HostLife): Promise<void>;
  readonly name: string;
}

export type Answering = (question: string, values: Values, inside: CallOptions | undefined) => Promise<unknown>;

/** The one Python process of a runtime. It is started when it is first needed, and again after it ended. */
export interface PythonHost {
  /** Message without its id: `"f":12,"k":{…}`. Starts the host where it is not running. */
  call(message: string, options?: CallOptions): Promise<unknown>;
  /** Runs an operation of the host. */
  operate(name: string, values: Values, options?: CallOptions): Promise<unknown>;
  /** The same where the host is running; nothing where it is not. */
  operateIfRunning(name: string, values: Values, options?: CallOptions): Promise<unknown>;
  /** Something that lives in the process from now on; the result forgets it. */
  reside(resident: Resident): () => void;
  /** Who answers questions that are no services, and who hears of every question before it is answered; set once. */
  answerWith(answering: Answering, hear?: (question: string) => void): void;
  /** A call would go out at once. */
  readonly isUp: boolean;
  /** It runs, or is about to: what resides is already being brought. */
  readonly isStarted: boolean;
  /** Settles when it is up. Starts it where it is not; rejects where it cannot be started. */
  wake(): Promise<void>;
  close(): Promise<void>;
}

/** The way to Python's callbacks and objects. */
export type PythonCalls = Pick<PythonHost, "call" | "operate">;

const firstPauseMs = 100;
const longestPauseMs = 30_000;
const steadyMs = 10_000;
/** A pause that short is waited for; during a longer one calls fail at once. */
const patienceMs = 1_000;

export function pythonHost(ports: PythonPorts): PythonHost {
  return new Supervisor(ports);
}

class Supervisor implements PythonHost {
  readonly #ports: PythonPorts;
  readonly #residents = new Set<Resident>();
  readonly #lines: (text: string, stream: "stdout" | "stderr") => void;
  #answering: Answering = async (question) => {
    throw new Error(`Talaria has no answer to ${question}`);
  };
  #hear: (question: string) => void = () => undefined;
  #life: Promise<HostLife> | undefined;
  #now: HostLife | undefined;
  #interpreter: Interpreter | undefined;
  #pauseMs = 0;
  #until = 0;
  #why = "";
  #isClosed = false;

  constructor(ports: PythonPorts) {
    this.#ports = ports;
    this.#lines = printedLines(ports.print);
  }

  call(message: string, options?: CallOptions): Promise<unknown> {
    const now = this.#now;
    if (now !== undefined && !now.isOver) return now.call(message, options);
    return this.#alive().then((life) => life.call(message, options));
  }

  operate(name: string, values: Values, options?: CallOptions): Promise<unknown> {
    return this.call(operation(name, values), options);
  }

  async operateIfRunning(name: string, values: Values, options?: CallOptions): Promise<unknown> {
    return this.#now?.isOver === false ? this.operate(name, values, options) : undefined;
  }

  reside(resident: Resident): () => void {
    this.#residents.add(resident);
    return () => this.#residents.delete(resident);
  }

  answerWith(answering: Answering, hear: (question: string) => void = () => undefined): void {
    this.#answering = answering;
    this.#hear = hear;
  }

  get isUp(): boolean {
    return this.#now?.isOver === false;
  }

  get isStarted(): boolean {
    return this.#life !== undefined;
  }

  async wake(): Promise<void> {
    if (!this.isUp) await this.#alive();
  }

  async #alive(): Promise<HostLife> {
    if (this.#isClosed) throw new Error("the Python host is closed");
    if (this.#life !== undefined) return this.#life;
    const rest = this.#until - ticks();
    if (rest > patienceMs) throw new Error(`${this.#why}; it is started again in ${Math.ceil(rest / 1000)} s`);
    const beginning = this.#begin(Math.max(0, rest));
    this.#life = beginning;
    beginning.catch((error: unknown) => {
      if (this.#life === beginning) this.#life = undefined;
      this.#slowDown(0, thrownText(error));
    });
    return beginning;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const life = await this.#life?.catch(() => undefined); // one that could not be started needs no end
    await life?.close();
  }

  async #begin(pauseMs: number): Promise<HostLife> {
    if (pauseMs > 0) await sleep(pauseMs);
    const { program, home, cwd, environment, services } = this.#ports;
    this.#interpreter ??= await findInterpreter(this.#ports);
    const life: HostLife = new HostLife({
      file: this.#interpreter.path,
      args: ["-u", `${program}/host.py`, "{fd}"],
      cwd,
      env: childEnvironment({ home, from: environment, extra: { PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" } }),
      answer: async (question, values, inside) => {
        this.#hear(question);
        const service = services[question];
        if (service !== undefined) return service(values);
        return this.#answering(question, values, inside);
      },
      log: (level, logger, text) => this.#ports.log(levels[level] ?? "info", logger, text),
      print: this.#lines,
    });
    const since = ticks();
    try {
      await life.start();
    } catch (error) {
      const path = this.#interpreter.path;
      this.#interpreter = undefined; // it may have been replaced: it is looked for again
      throw new Error(`Python (${path}) could not be started: ${thrownText(error)}`, { cause: error });
    }
    void life.ended.then((reason) => this.#ended(life, reason, ticks() - since));
    await life.call(operation("start", { home }));
    for (const resident of this.#residents) await this.#bring(resident, life);
    this.#now = life;
    return life;
  }

  async #bring(resident: Resident, life: HostLife): Promise<void> {
    try {
      await resident.bring(life);
    } catch (error) {
      if (life.isOver) throw error;
      this.#ports.log("error", "talaria", `${resident.name} could not be loaded again: ${thrownText(error)}`);
    }
  }

  #ended(life: HostLife, reason: string, livedMs: number): void {
    if (this.#now === life) this.#now = undefined;
    this.#life = undefined;
    if (this.#isClosed) return;
    this.#slowDown(livedMs, reason);
    this.#ports.log("warning", "talaria", `${reason}; it is started again when it is needed`);
  }

  #slowDown(livedMs: number, why: string): void {
    this.#why = why;
    this.#pauseMs = livedMs > steadyMs ? 0 : Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
    this.#until = ticks() + this.#pauseMs;
  }
}

export const operation = (name: string, values: Values): string =>
  `"do":${JSON.stringify(name)},"with":${JSON.stringify(values)}`;

const levels: Readonly<Record<string, "debug" | "info" | "warning" | "error">> = {
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warning",
  ERROR: "error",
  CRITICAL: "error",
};

const mostLines = 1_000;
const periodMs = 10_000;
const mostText = 8_000;

/** Whole lines of what is printed; a flood is cut off and counted. */
function printedLines(print: (line: string) => void): (text: string, stream: "stdout" | "stderr") => void {
  const rest = { stdout: "", stderr: "" };
  let since = ticks();
  let count = 0;
  const give = (line: string): void => {
    if (ticks() - since > periodMs) {
      if (count > mostLines) print(`(${count - mostLines} more lines were printed)`);
      since = ticks();
      count = 0;
    }
    count += 1;
    if (count <= mostLines) print(line.length > mostText ? `${line.slice(0, mostText)}…` : line);
  };
  return (text, stream) => {
    const lines = (rest[stream] + text).split("\n");
    rest[stream] = (lines.pop() ?? "").slice(-mostText);
    for (const line of lines) give(line.replace(/\r$/, ""));
  };
}
