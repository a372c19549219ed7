import {
  type Call,
  decodeNative,
  decodePython,
  type Entry,
  type EventName,
  type HookGroup,
  type Layer,
  nativeView,
  type Question,
  rows,
} from "#kernel";
import { hookEvent, middlewareEvent } from "./context/hooks.ts";
import { thrownText } from "./error.ts";
import { onOccasion } from "./occasion.ts";
import type { HookCallback, HookMoment, MiddlewareCallback, Owner, Registered } from "./registration.ts";
import type { Registry } from "./registry.ts";

/** What a hook group needs of the context that the loop hands to every handler. */
export interface MomentContext {
  readonly sessionId: string;
  readonly agentId?: string;
  readonly cwd: string;
  readonly platform: string;
  readonly signal: AbortSignal;
}

/** Behind managed policy, before shell hooks: see the ranks of hook sources. */
const firstRank = 10_000;
const defaultLimitSeconds = 60;

type Callback = Registered<"hook"> | Registered<"middleware">;

export interface HookGroups {
  /** Takes one plugin's callbacks out at once; settles when none of them runs (5 s at most). Its owner's signal is aborted next. */
  remove(key: string): Promise<void>;
  /** Brings the groups in step with the registry now instead of a moment later. */
  refresh(): void;
  /** Leaves the groups as they are until the undo is called, which brings them in step: many plugins come at once. */
  hold(): () => void;
  close(): Promise<void>;
}

interface Placed {
  readonly callbacks: readonly Callback[];
  readonly undo: () => Promise<void>;
}

/** Keeps one hook group for each plugin in the layer, so that a change of one disturbs no other. */
export function hookGroups<C extends MomentContext>(
  layer: Layer<C>,
  registry: Registry,
  log: (level: "debug" | "warning", message: string) => void,
): HookGroups {
  const placed = new Map<string, Placed>();
  let isHeld = false;
  const refresh = (): void => {
    if (isHeld) return;
    const callbacks = [...registry.of("hook"), ...registry.of("middleware")];
    const wanted = byOwner(callbacks.filter(({ owner }) => !owner.signal.aborted));
    for (const [key, callbacks] of wanted) {
      const before = placed.get(key);
      if (before !== undefined && sameCallbacks(before.callbacks, callbacks)) continue;
      placed.set(key, { callbacks, undo: layer.add(groupOf<C>(key, callbacks, log)) });
      void before?.undo();
    }
    for (const key of [...placed.keys()]) if (!wanted.has(key)) void take(key);
  };
  const take = async (key: string): Promise<void> => {
    const before = placed.get(key);
    placed.delete(key);
    await before?.undo();
  };
  const stop = registry.onChange((kinds) => {
    if (kinds.has("hook") || kinds.has("middleware")) refresh();
  });
  return {
    refresh,
    remove: take,
    hold() {
      isHeld = true;
      return () => {
        isHeld = false;
        refresh();
      };
    },
    async close() {
      stop();
      await Promise.all([...placed.keys()].map(take));
    },
  };
}

function byOwner(callbacks: readonly Callback[]): Map<string, Callback[]> {
  const found = new Map<string, Callback[]>();
  for (const callback of callbacks) {
    const { key } = callback.owner;
    const known = found.get(key);
    if (known === undefined) found.set(key, [callback]);
    else known.push(callback);
  }
  return found;
}

const sameCallbacks = (one: readonly Callback[], other: readonly Callback[]): boolean =>
  one.length === other.length && one.every((callback, index) => callback === other[index]);

type Log = (level: "debug" | "warning", message: string) => void;

function groupOf<C extends MomentContext>(key: string, callbacks: readonly Callback[], log: Log): HookGroup<C> {
  const entries = callbacks.flatMap((callback): readonly Entry<C>[] => {
    const event = callback.kind === "hook" ? hookEvent(callback.value.name) : middlewareEvent(callback.value.kind);
    return event === undefined ? [] : [entryOf<C>(callback, event, log)];
  });
  return { slot: "hook", name: `plugin:${key}`, parallel: false, entries };
}

function entryOf<C extends MomentContext>(callback: Callback, event: EventName, log: Log): Entry<C> {
  const { owner, sequence, value } = callback;
  const wraps = rows[event].strategy === "wrap";
  const entry = {
    event,
    owner: `plugin:${owner.key}`,
    rank: [firstRank + owner.place, sequence],
    consider: () => undefined,
    run: wraps ? wrapper(callback as Registered<"middleware">, event, log) : handler(callback, event, log),
    call: true,
    limitMs: (value.timeoutSeconds ?? defaultLimitSeconds) * 1000,
    onFailure: ("onFailure" in value ? value.onFailure : undefined) ?? "continue",
    mode: "enforce",
    rejudge: true,
  };
  // Which handler goes with which event is known by the table alone.
  return entry as unknown as Entry<C>;
}

/** Whose moment it is; the signal is made when it is looked at. */
class Moment implements HookMoment {
  readonly #context: MomentContext;
  readonly #call: Call;
  readonly #owner: Owner;

  constructor(context: MomentContext, call: Call, owner: Owner) {
    this.#context = context;
    this.#call = call;
    this.#owner = owner;
  }
  get sessionId(): string {
    return this.#context?.sessionId ?? "";
  }
  get agentId(): string {
    return this.#context?.agentId ?? "";
  }
  get cwd(): string {
    return this.#context?.cwd ?? "";
  }
  get platform(): string {
    return this.#context?.platform ?? "";
  }
  get signal(): AbortSignal {
    const own = [this.#call.signal, this.#owner.signal];
    return AbortSignal.any(this.#context?.signal === undefined ? own : [...own, this.#context.signal]);
  }
}

const observed = { telemetrySchemaVersion: "hermes.observer.v1" };
const wrapped = { ...observed, middlewareSchemaVersion: "hermes.middleware.v1" };
type Told = Readonly<Record<string, unknown>>;

/** The payload with the versions of its contract. What goes to Python gets them on the way, under the names that hold there. */
function versioned(owner: Owner, isMiddleware: boolean): (payload: object) => Told {
  if (owner.language === "python") return (payload) => payload as Told;
  const versions = isMiddleware ? wrapped : observed;
  return (payload) => ({ ...versions, ...payload });
}

/** The same where what is handed over is the handler's own, and what it changes in it counts. */
function versionedDraft(owner: Owner): (payload: object) => Told {
  if (owner.language === "python") return (payload) => payload as Told;
  return (payload) => Object.assign(payload, wrapped);
}

/** A payload that came back with the versions on it, without them. */
function unversioned(given: object | undefined): object | undefined {
  if (typeof given !== "object" || given === null || !("telemetrySchemaVersion" in given)) return given;
  const { telemetrySchemaVersion, middlewareSchemaVersion, ...payload } = given as Told;
  return payload;
}

type Run = (payload: object, context: MomentContext, call: Call) => unknown;

function handler(callback: Callback, event: EventName, log: Log): Run {
  const { owner, value } = callback;
  const view = nativeView(event);
  const decode = owner.language === "python" ? decodePython : decodeNative;
  const isMiddleware = callback.kind === "middleware";
  const isDraft = (rows[event].row as { readonly draft?: true }).draft === true;
  const told = isDraft ? versionedDraft(owner) : versioned(owner, isMiddleware);
  const run = isMiddleware
    ? (payload: object, moment: HookMoment) =>
        (value.callback as MiddlewareCallback)(told(payload), async (given) => given ?? payload, moment)
    : (payload: object, moment: HookMoment) => (value.callback as HookCallback)(told(payload), moment);
  const raised = (error: unknown): Error => new Error(raisedText(callback, error), { cause: error });
  const read = (question: Question, answer: unknown): unknown => {
    if (answer === undefined || answer === null) return undefined;
    const decoded = decode(question, answer);
    for (const remark of decoded.remarks) log("debug", `plugin ${owner.key}: ${event}: ${remark}`);
    if (decoded.kind === "failed") throw raised(new Error(decoded.reason));
    return decoded.answer;
  };
  return (payload, context, call) => {
    let answer: unknown;
    try {
      answer = onOccasion({ plugin: owner.key, context, call }, () => run(payload, new Moment(context, call, owner)));
    } catch (error) {
      throw raised(error);
    }
    if (answer === undefined) return undefined;
    const question: Question = { event, view, payload };
    if (!isThenable(answer)) return read(question, answer);
    return answer.then(
      (settled) => read(question, settled),
      (error: unknown) => {
        throw raised(error);
      },
    );
  };
}

type Next = (payload?: object) => Promise<unknown>;

/** A wrapper's errors stay as they are, since what came from inside has to be told apart from its own. */
function wrapper(callback: Registered<"middleware">, event: EventName, log: Log) {
  const { owner, value } = callback;
  const told = versioned(owner, true);
  return async (payload: object, next: Next, context: MomentContext, call: Call): Promise<unknown> => {
    const inner = new Set<unknown>();
    const watched: Next = (given) => {
      const inside = next(unversioned(given));
      inside.catch((error: unknown) => inner.add(error));
      return inside;
    };
    try {
      const moment = new Moment(context, call, owner);
      const act = (): unknown => value.callback(told(payload), watched as never, moment);
      const result: unknown = await onOccasion({ plugin: owner.key, context, call }, act);
      if (event === "llm_execution" && !isModelResult(result))
        throw new Error("it answered with something that is no result of a model");
      return result;
    } catch (error) {
      if (!inner.has(error)) log("warning", raisedText(callback, error));
      throw error;
    }
  };
}

const isModelResult = (result: unknown): boolean =>
  typeof result === "object" &&
  result !== null &&
  "message" in result &&
  typeof result.message === "object" &&
  result.message !== null;

function raisedText(callback: Callback, error: unknown): string {
  const { callbackName } = callback.value;
  return callback.kind === "hook"
    ? `Hook '${callback.value.name}' callback ${callbackName} raised: ${thrownText(error)}`
    : `Middleware '${callback.value.kind}' callback ${callbackName} raised: ${thrownText(error)}`;
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
