import { sleep, ticks } from "#host";
import { PluginError, thrownText } from "../error.ts";
import type { Candidate } from "../manifest.ts";
import type { PluginContext } from "../plugin-context.ts";
import { printedText } from "../printed-text.ts";
import { type CallOptions, HostLife } from "../python/host-life.ts";
import { levelOf, PythonError, type Values } from "../python/messages.ts";
import { RestartPause } from "../python/restart-pause.ts";
import type { RegistrationKind } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { askedAtOnce, registerTold, type ToldRegistration } from "./told-registration.ts";
import { wire } from "./wire.ts";

export interface IsolationPorts {
  /** The command line of the program that hosts one plugin. `{fd}` stands for the channel's descriptor. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: () => Readonly<Record<string, string>>;
  readonly log: (level: "debug" | "info" | "warning" | "error", message: string) => void;
  /** A line that the plugin printed. */
  readonly printed: (key: string, line: string) => void;
}

type Run = (...given: readonly unknown[]) => unknown;

const unloadLimitMs = 5_000;

/** One plugin in a process of its own. The process is started anew at the next call after it ended (docs/reference/isolated-plugins.md). */
export class IsolatedPlugin {
  readonly #candidate: Candidate;
  readonly #context: PluginContext;
  readonly #ports: IsolationPorts;
  /** Functions of this process that calls in flight have given over there. */
  readonly #kept = new Map<number, Run>();
  readonly #undos = new Map<number, Undo>();
  /** What was registered, in order, and how far a new life has come with it. */
  readonly #marks: string[] = [];
  #again: number | undefined;
  #count = 0;
  #life: Promise<HostLife> | undefined;
  #now: HostLife | undefined;
  readonly #pause = new RestartPause();
  #isClosed = false;

  constructor(candidate: Candidate, context: PluginContext, ports: IsolationPorts) {
    this.#candidate = candidate;
    this.#context = context;
    this.#ports = ports;
  }

  /** Starts the process and runs the plugin's `register` there. Rejects with its error. */
  async load(): Promise<void> {
    try {
      await this.#alive();
    } catch (error) {
      await this.#end();
      throw error instanceof PythonError ? new PluginError("not_loadable", error.message, error) : error;
    }
  }

  async unload(): Promise<void> {
    const life = this.#now;
    this.#isClosed = true;
    if (life !== undefined && !life.isOver)
      await life.call(`"op":"unload"`, { signal: AbortSignal.timeout(unloadLimitMs) }).catch((error: unknown) => {
        this.#say("warning", `what it does at unload failed: ${thrownText(error)}`);
      });
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#isClosed = true;
    const life = this.#now ?? (await this.#life?.catch(() => undefined)); // it never came to life
    await life?.close();
    this.#kept.clear();
  }

  #say(level: "debug" | "info" | "warning" | "error", message: string): void {
    this.#ports.log(level, `plugin ${this.#candidate.key}: ${message}`);
  }

  /** Calls a function over there, in the life that is there now. */
  async #call(id: string | number, given: readonly unknown[]): Promise<unknown> {
    const life = this.#now !== undefined && !this.#now.isOver ? this.#now : await this.#alive();
    const lent: number[] = [];
    const signals: AbortSignal[] = [];
    const keep = (run: Run): number => {
      this.#count += 1;
      lent.push(this.#count);
      this.#kept.set(this.#count, run);
      return this.#count;
    };
    const args = given.map((one) => withSignals(one, signals));
    const options: CallOptions = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
    try {
      const message = `"f":${JSON.stringify(id)},"a":${JSON.stringify(wire.pack(args, { keep }))}`;
      return this.#unpacked(await life.call(message, options));
    } finally {
      for (const number of lent) this.#kept.delete(number);
    }
  }

  #unpacked(packed: unknown): unknown {
    return wire.unpack(packed, {
      reach:
        (id) =>
        (...given) =>
          this.#call(id, given),
      signal: () => this.#context.signal,
    });
  }

  async #alive(): Promise<HostLife> {
    const { key } = this.#candidate;
    if (this.#isClosed) throw new PluginError("unloaded", `the plugin ${key} is unloaded`);
    if (this.#life !== undefined) return this.#life;
    this.#life = this.#begin(this.#pause.rest());
    return this.#life;
  }

  async #begin(pauseMs: number): Promise<HostLife> {
    if (pauseMs > 0) await sleep(pauseMs);
    const { key } = this.#candidate;
    const [file = "node", ...args] = this.#ports.command;
    const text = printedText((line) => this.#ports.printed(key, line));
    const life = new HostLife({
      name: `the process of the plugin ${key}`,
      file,
      args,
      cwd: this.#ports.cwd,
      env: this.#ports.env(),
      answer: (question, values) => this.#answer(question, values),
      log: (level, _logger, said) => this.#say(levelOf(level), said),
      print: text.add,
    });
    const began = ticks();
    void life.ended.then((why) => {
      text.end();
      this.#gone(life, why, ticks() - began);
    });
    try {
      await life.start();
      await this.#bring(life);
      this.#now = life;
      return life;
    } catch (error) {
      void life.kill();
      this.#life = undefined;
      throw error;
    }
  }

  /** Loads the plugin into a life. What it registers has to be what it registered before, since the house goes on with that. */
  async #bring(life: HostLife): Promise<void> {
    const isAgain = this.#marks.length > 0;
    if (isAgain) this.#again = 0;
    const { manifest, key, folder, home, config, settings, environment } = this.#context;
    const facts = { candidate: this.#candidate, manifest, key, folder, home, config, settings, environment };
    const keep = (): number => 0;
    const packed = JSON.stringify(wire.pack(facts, { keep }));
    await life.call(`"op":"load","with":${packed}`, { signal: this.#context.signal });
    if (this.#again !== undefined && this.#again < this.#marks.length)
      this.#say("warning", "it registers less after a restart than before: reload it");
    this.#again = undefined;
  }

  #gone(life: HostLife, why: string, livedMs: number): void {
    if (this.#now === life) this.#now = undefined;
    this.#life = undefined;
    if (this.#isClosed) return;
    this.#pause.begin(livedMs, why);
    this.#say("warning", `${why}; it is started again when it is needed`);
  }

  async #answer(question: string, values: Values): Promise<unknown> {
    if (question === "call") {
      const run = this.#kept.get(Number(values["f"]));
      if (run === undefined) throw new Error("a function was called after the call that it belonged to had ended");
      const given = this.#unpacked(values["a"]) as readonly unknown[];
      return this.#packed(await run(...given));
    }
    const context = this.#context;
    const given = this.#unpacked(values["a"]) as readonly unknown[];
    switch (question) {
      case "register":
        return this.#register(values as unknown as ToldRegistration);
      case "undo":
        return this.#undos.get(Number(values["number"]))?.();
      case "inject":
        return context.injectMessage(...(given as [string, string]));
      case "dispatchTool":
        return context.dispatchTool(...(given as [string, Values]));
      case "llm.complete":
        return this.#packed(await context.llm.complete(...(given as Parameters<typeof context.llm.complete>)));
      case "llm.structured":
        return this.#packed(
          await context.llm.completeStructured(...(given as Parameters<typeof context.llm.completeStructured>)),
        );
      default:
        throw new Error(`there is no answer to ${question}`);
    }
  }

  /** Functions that a result holds are lent for good: there are hardly any. */
  #packed(value: unknown): unknown {
    return wire.pack(value, {
      keep: (run) => {
        this.#count += 1;
        this.#kept.set(this.#count, run);
        return this.#count;
      },
    });
  }

  #register({ number, kind, mark, value, answers }: ToldRegistration): void {
    if (this.#again !== undefined && this.#again < this.#marks.length) {
      const expected = this.#marks[this.#again];
      this.#again += 1;
      if (expected !== mark)
        this.#say("warning", `it registers ${mark} after a restart, and ${expected} before: reload it`);
      return;
    }
    const known = withAnswers(this.#unpacked(value) as object, this.#unpacked(answers) as Values);
    this.#undos.set(number, registerTold(this.#context, kind as RegistrationKind, known));
    this.#marks.push(mark);
  }
}

/** Members that are asked without waiting answer at once what was told of them. */
function withAnswers(value: object, answers: Values): object {
  const inner = "provider" in value ? (value.provider as Record<string, unknown>) : (value as Record<string, unknown>);
  for (const name of askedAtOnce) if (name in answers) inner[name] = () => answers[name];
  return value;
}

/** The same value; signals that it holds go with the call. */
function withSignals(value: unknown, found: AbortSignal[]): unknown {
  if (value instanceof AbortSignal) found.push(value);
  else if (typeof value === "object" && value !== null && "signal" in value && value.signal instanceof AbortSignal)
    found.push(value.signal);
  return value;
}
