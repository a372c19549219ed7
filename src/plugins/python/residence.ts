import type { PluginContext } from "../plugin-context.ts";
import type { Undo } from "../registry.ts";
import type { CallOptions } from "./host-life.ts";
import { PythonError, type Values } from "./messages.ts";
import type { PythonCalls, PythonHost } from "./python-host.ts";
import { register } from "./registrations.ts";

/** Callbacks of one plugin, counted from its number times this. As in `talaria_host/context.py`. */
const numbersEach = 100_000;

/** A registration that is in effect. */
interface Standing {
  /** As Python told it. */
  readonly values: Values;
  readonly text: string;
  /** Its kind and name, and the how manieth of them it is. */
  readonly mark: string;
  undo: Undo;
  /** The plugin registers it no more. */
  isGone: boolean;
}

/**
 * A plugin that lives in the host, or will. What it registered stands in order: in a new process, and where it was taken
 * from the cache, the same is expected again, and whatever differs takes the place of what stands.
 */
export class Residence {
  readonly context: PluginContext;
  readonly number: number;
  /** Whether anything has taken another's place. */
  hasChanged = false;
  readonly #host: PythonHost;
  readonly #standing: Standing[] = [];
  #at = 0;
  /** How many of them `register` itself has registered. */
  #early = 0;

  constructor(context: PluginContext, number: number, host: PythonHost) {
    this.context = context;
    this.number = number;
    this.#host = host;
  }

  /** What stands at the end of `register`, for the cache. */
  get registrations(): readonly Values[] {
    return this.#standing.slice(0, this.#early).map(({ values }) => rebased(values, -this.number * numbersEach));
  }

  /** Registers what is known from the cache. False, and nothing stands, where something of it is refused. */
  take(known: readonly Values[]): boolean {
    try {
      for (const values of known) this.enrol(rebased(values, this.number * numbersEach));
      this.registered();
    } catch {
      this.#dropFrom(0); // it is loaded as if nothing were known, and what is refused is told then
      this.begin();
      return false;
    }
    return true;
  }

  /** The plugin is about to register everything once more. */
  begin(): void {
    this.#at = 0;
    this.hasChanged = false;
  }

  /** Throws a `PluginError` for what is refused. */
  enrol(values: Values): void {
    const text = JSON.stringify(values);
    const expected = this.#standing[this.#at];
    if (expected?.text === text) {
      this.#at += 1;
      return;
    }
    if (expected !== undefined) this.#dropFrom(this.#at);
    this.hasChanged = true;
    const name = nameOf(values);
    const mark = `${name} ${this.#standing.filter((one) => nameOf(one.values) === name).length}`;
    const standing: Standing = { values, text, mark, undo: () => undefined, isGone: false };
    standing.undo = register(values, this.context, this.#calls(standing));
    this.#standing.push(standing);
    this.#at += 1;
  }

  /** `register` has come to its end: what it did not register again is gone. */
  registered(): void {
    if (this.#at < this.#early) this.#dropFrom(this.#at);
    this.#early = this.#at;
  }

  /** It could not be loaded: nothing of it stands. */
  leave(): void {
    this.#dropFrom(0);
    this.#early = 0;
    this.#at = 0;
  }

  #dropFrom(at: number): void {
    this.hasChanged = true;
    for (const standing of this.#standing.splice(at).reverse()) {
      standing.isGone = true;
      standing.undo();
    }
  }

  /** The way to the callbacks of one registration: to those of its successor where it has meanwhile got one. */
  #calls(standing: Standing): PythonCalls {
    const host = this.#host;
    const successor = () => this.#successorOf(standing);
    const late = async (message: string, options?: CallOptions): Promise<unknown> => {
      await host.wake();
      if (!standing.isGone) return host.call(message, options);
      const now = successor();
      if (now === undefined) return withoutIt(standing, options);
      const number = Number(/^"f":(\d+)/.exec(message)?.[1]);
      return host.call(message.replace(/^"f":\d+/, `"f":${moved(number, standing, now)}`), options);
    };
    return {
      call: (message, options) =>
        host.isUp && !standing.isGone ? host.call(message, options) : late(message, options),
      async operate(name, values, options) {
        await host.wake();
        if (!standing.isGone) return host.operate(name, values, options);
        const now = successor();
        if (now === undefined) return withoutIt(standing, options);
        const object = moved(Number(values["object"]), standing, now);
        return host.operate(name, { ...values, object }, options);
      },
    };
  }

  /** What stands now for what was registered before: of one kind and name the same in number. */
  #successorOf(gone: Standing): Standing | undefined {
    return this.#standing.find(({ mark }) => mark === gone.mark);
  }
}

const nameOf = ({ kind, name, key }: Values): string => JSON.stringify([kind, name ?? key ?? null]);

/** The numbers of a registration's callbacks and object, by where they stand in it. */
function numbersOf({ callback, check, object, callbacks }: Values): ReadonlyMap<string, number> {
  const all = { callback, check, object, ...(callbacks as Values | undefined) };
  return new Map(Object.entries(all).filter((one): one is [string, number] => typeof one[1] === "number"));
}

function moved(number: number, from: Standing, to: Standing): number {
  const [place] = [...numbersOf(from.values)].find(([, one]) => one === number) ?? [];
  const found = place === undefined ? undefined : numbersOf(to.values).get(place);
  if (found === undefined) throw new Error("the plugin has registered this differently: ask again");
  return found;
}

function rebased(values: Values, by: number): Values {
  const moved: Record<string, unknown> = { ...values };
  for (const name of ["callback", "check", "object"]) {
    const number = values[name];
    if (typeof number === "number") moved[name] = number + by;
  }
  const callbacks = values["callbacks"] as Readonly<Record<string, number>> | undefined;
  if (callbacks !== undefined)
    moved["callbacks"] = Object.fromEntries(Object.entries(callbacks).map(([name, number]) => [name, number + by]));
  return moved;
}

/** What a call comes to that was under way to something which the plugin, now that it runs, does not register. */
async function withoutIt({ values }: Standing, options: CallOptions | undefined): Promise<unknown> {
  const { kind } = values;
  if (options?.next !== undefined) {
    const given = (await options.next(undefined)) as { readonly error?: Values };
    if (given.error === undefined) return { same: true };
    const { type, message, token } = given.error;
    throw new PythonError({ type: String(type), message: String(message), downstream: Number(token) });
  }
  if (kind === "hook" || kind === "middleware") return undefined;
  throw new Error(`the plugin does not register this ${String(kind)} any more`);
}
