import { childEnvironment, sleep, ticks } from "#host";
import { thrownText } from "../error.ts";
import { type PrintedText, printedText } from "../printed-text.ts";
import { type CallOptions, HostLife } from "./host-life.ts";
import { findInterpreter, type Interpreter, type InterpreterSearch } from "./interpreter.ts";
import { levelOf, type Values } from "./messages.ts";
import { RestartPause } from "./restart-pause.ts";

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

export function pythonHost(ports: PythonPorts): PythonHost {
  return new Supervisor(ports);
}

class Supervisor implements PythonHost {
  readonly #ports: PythonPorts;
  readonly #residents = new Set<Resident>();
  readonly #printed: PrintedText;
  #answering: Answering = async (question) => {
    throw new Error(`Talaria has no answer to ${question}`);
  };
  #hear: (question: string) => void = () => undefined;
  #life: Promise<HostLife> | undefined;
  #now: HostLife | undefined;
  #interpreter: Interpreter | undefined;
  readonly #pause = new RestartPause();
  #isClosed = false;

  constructor(ports: PythonPorts) {
    this.#ports = ports;
    this.#printed = printedText(ports.print);
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
    const beginning = this.#begin(this.#pause.rest());
    this.#life = beginning;
    beginning.catch((error: unknown) => {
      if (this.#life === beginning) this.#life = undefined;
      this.#pause.begin(0, thrownText(error));
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
      log: (level, logger, text) => this.#ports.log(levelOf(level), logger, text),
      print: this.#printed.add,
    });
    const since = ticks();
    try {
      await life.start();
    } catch (error) {
      const path = this.#interpreter.path;
      this.#interpreter = undefined; // it may have been replaced: it is looked for again
      throw new Error(`Python (${path}) could not be started: ${thrownText(error)}`, { cause: error });
    }
    void life.ended.then((reason) => {
      this.#printed.end();
      this.#ended(life, reason, ticks() - since);
    });
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
    this.#pause.begin(livedMs, reason);
    this.#ports.log("warning", "talaria", `${reason}; it is started again when it is needed`);
  }
}

export const operation = (name: string, values: Values): string =>
  `"do":${JSON.stringify(name)},"with":${JSON.stringify(values)}`;
