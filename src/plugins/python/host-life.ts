import { after, every, type LineChannel, startLineChannel } from "#host";
import { type Occasion, occasion, onOccasion } from "../occasion.ts";
import { type ErrorFact, errorFact, type FromPython, PythonError, type Values } from "./messages.ts";

/** What a started host needs from around it. */
export interface HostSurroundings {
  /** What it is called in errors and logs. */
  readonly name?: string;
  readonly file: string;
  /** Of the program in Python. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Answers a question of Python's. */
  readonly answer: (question: string, values: Values, inside: CallOptions | undefined) => Promise<unknown>;
  readonly log: (level: string, logger: string, text: string) => void;
  /** What plugins print. */
  readonly print: (text: string, stream: "stdout" | "stderr") => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** What a command prints. */
  readonly out?: ((text: string, stream: "stdout" | "stderr") => void) | undefined;
  /** Asks the person who ran a command. */
  readonly ask?: ((question: string, options: { readonly secret: boolean }) => Promise<string | undefined>) | undefined;
  /** Runs what lies inside an execution middleware. */
  readonly next?: ((payload: unknown) => Promise<unknown>) | undefined;
}

interface Waiting {
  /** Where the call was made: what Python asks meanwhile, it asks there. */
  readonly occasion: Occasion;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly options: CallOptions;
  /** How often the clock has ticked since. */
  age: number;
  /** Stops listening to the signal. */
  unheard: (() => void) | undefined;
}

/**
 * Most calls are over long before this. Only after it the signal is listened to, and only after it a host without calls
 * lets the program end: both cost more than such a call.
 */
const tickMs = 20;
/** Bytes that may wait for Python before calls fail at once. */
const mostWaitingBytes = 64 << 20;
/** A host that says nothing this long after a call was given up is stuck in code that never lets go. */
const pongLimitMs = 3_000;
const helloLimitMs = 30_000;
/** What a host wrote last to its error stream, kept to explain its end. */
const keptTail = 2_000;

/** One process of the Python host, from its start to its end. */
export class HostLife {
  readonly #around: HostSurroundings;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended = Promise.withResolvers<string>();
  readonly #hello = Promise.withResolvers<void>();
  #channel: LineChannel | undefined;
  #isTicking = false;
  #last = 0;
  #tail = "";
  #over: string | undefined;
  #pong: (() => void) | undefined;

  constructor(around: HostSurroundings) {
    this.#around = around;
  }

  /** Why it ended; settles when it has. */
  get ended(): Promise<string> {
    return this.#ended.promise;
  }

  get #name(): string {
    return this.#around.name ?? "the Python host";
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async start(): Promise<void> {
    const { file, args, cwd, env } = this.#around;
    const channel = await startLineChannel(file, args, {
      cwd,
      env,
      onLine: (line) => this.#heard(line),
      onOutput: (text, stream) => this.#printed(text, stream),
    });
    this.#channel = channel;
    this.#hello.promise.catch(() => undefined); // `start` itself waits for it
    const late = after(helloLimitMs, () => this.#hello.reject(new Error(`${file} did not start in time`)), true);
    void channel.exit.then(({ code, signal }) => this.#end(code, signal));
    try {
      await this.#hello.promise;
    } catch (error) {
      void channel.kill();
      throw error;
    } finally {
      late();
    }
    channel.keepAlive(false);
  }

  /** Rejects with a `PythonError` for what Python raised, with another error where the host ended or `signal` aborted. */
  call(message: string, options: CallOptions = {}): Promise<unknown> {
    const channel = this.#channel;
    if (channel === undefined || this.#over !== undefined)
      return Promise.reject(new Error(this.#over ?? `${this.#name} is not running`));
    if (channel.waitingBytes > mostWaitingBytes)
      return Promise.reject(new Error(`${this.#name} does not read what it is sent`));
    this.#last += 1;
    const id = this.#last;
    if (!this.#isTicking) this.#tick();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { occasion: occasion(), resolve, reject, options, age: 0, unheard: undefined });
      channel.send(`{"id":${id},${message}}\n`);
    });
  }

  /** While there are calls, and a moment longer. */
  #tick(): void {
    this.#isTicking = true;
    this.#channel?.keepAlive(true);
    const stop = every(tickMs, () => {
      if (this.#waiting.size === 0) {
        stop();
        this.#isTicking = false;
        this.#channel?.keepAlive(false);
        return;
      }
      for (const [id, waiting] of this.#waiting) {
        waiting.age += 1;
        if (waiting.age === 2) this.#listen(id, waiting);
      }
    });
  }

  #listen(id: number, waiting: Waiting): void {
    const { signal } = waiting.options;
    if (signal === undefined) return;
    const abort = (): void => this.#giveUp(id, signal);
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    waiting.unheard = () => signal.removeEventListener("abort", abort);
  }

  /** The channel is closed: Python runs what it has to run at its end, then it is ended. */
  async close(): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined) return;
    channel.keepAlive(true);
    channel.end();
    const late = after(2_000, () => void channel.kill(), true);
    await this.#ended.promise;
    late();
  }

  async kill(): Promise<void> {
    await this.#channel?.kill();
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(id);
    waiting.unheard?.();
    return waiting;
  }

  #giveUp(id: number, signal: AbortSignal): void {
    const waiting = this.#take(id);
    if (waiting === undefined) return;
    waiting.reject(abortedError(signal));
    this.#channel?.send(`{"cancel":${id}}\n`);
    this.#watch();
  }

  /** Whether anybody still reads over there; a process in which nobody does is ended, and started anew when needed. */
  #watch(): void {
    if (this.#pong !== undefined) return;
    const late = after(pongLimitMs, () => {
      this.#around.log("WARNING", "talaria", `${this.#name} is stuck and is replaced`);
      void this.#channel?.kill();
    });
    this.#pong = () => {
      this.#pong = undefined;
      late();
    };
    this.#channel?.send(`{"ping":1}\n`);
  }

  #heard(line: string): void {
    let message: FromPython;
    try {
      message = JSON.parse(line) as FromPython;
    } catch (error) {
      this.#around.log("ERROR", "talaria", `${this.#name} wrote a line that is no JSON: ${String(error)}`);
      return;
    }
    if (message.id !== undefined) this.#answered(message.id, message);
    else if (message.ask !== undefined) void this.#asked(message.ask, message);
    else if (message.log !== undefined) this.#around.log(message.log, message.name ?? "", message.text ?? "");
    else if (message.out !== undefined)
      this.#waiting.get(message.out)?.options.out?.(message.text ?? "", message.stream ?? "stdout");
    else if (message.pong !== undefined) this.#pong?.();
    else if (message.hello !== undefined) this.#hello.resolve();
  }

  #answered(id: number, { ok, error }: FromPython): void {
    const waiting = this.#take(id);
    if (error === undefined) waiting?.resolve(ok);
    else waiting?.reject(new PythonError(error));
  }

  async #asked(number: number, message: FromPython): Promise<void> {
    let answer: { readonly ok?: unknown } | { readonly error: ErrorFact };
    try {
      const inside = message.in === undefined ? undefined : this.#waiting.get(message.in);
      const ask = (): Promise<unknown> => this.#around.answer(message.do ?? "", message.with ?? {}, inside?.options);
      answer = { ok: await onOccasion(inside?.occasion ?? {}, ask) };
    } catch (error) {
      answer = { error: errorFact(error) };
    }
    let text: string;
    try {
      text = JSON.stringify({ re: number, ...answer });
    } catch (error) {
      text = JSON.stringify({ re: number, error: errorFact(error) });
    }
    this.#channel?.send(`${text}\n`);
  }

  #printed(text: string, stream: "stdout" | "stderr"): void {
    if (stream === "stderr") this.#tail = (this.#tail + text).slice(-keptTail);
    this.#around.print(text, stream);
  }

  #end(code: number | null, signal: string | null): void {
    const line = this.#tail.trim().split("\n").at(-1) ?? "";
    const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
    this.#over = `${this.#name} ${how}${line === "" ? "" : `: ${line}`}`;
    const error = new Error(this.#over);
    this.#hello.reject(error);
    this.#pong?.();
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(error);
    this.#ended.resolve(this.#over);
  }
}

function abortedError(signal: AbortSignal): Error {
  const { reason } = signal;
  return reason instanceof Error ? reason : new Error("the call was given up");
}
