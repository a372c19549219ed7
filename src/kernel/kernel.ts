import type { HookGroup, MaybePromise, Middleware } from "./chain.ts";
import type { Answer, EventName, EventOf, Payload, Result } from "./lifecycle.ts";

export type Fire<E extends EventName, C> =
  E extends EventOf<"wrap">
    ? (
        payload: Payload<E>,
        core: (payload: Payload<E>) => Promise<Result<E>>,
        context: C,
        changed: (payload: Payload<E>) => Promise<Payload<E>>,
      ) => Promise<Result<E>>
    : (payload: Payload<E>, context: C) => MaybePromise<Answer<E>>;

/** `plan.on.stop?.({…}, context)`: unheard, it is one property read, and the payload is not built. */
export interface Plan<C> {
  readonly on: { readonly [E in EventName]: Fire<E, C> | undefined };
  readonly chain: readonly (Middleware<C> | HookGroup<C>)[];
  explain<E extends EventName>(
    event: E,
    payload: Payload<E>,
    context: C,
  ): readonly { readonly owner: string; readonly skipped?: string }[];
}

/** process → folder → session → agent. A layer that adds nothing hands out its parent's plan. `plan` is read anew at each firing. */
export interface Layer<C> {
  readonly plan: Plan<C>;
  /** The undo settles when nothing of the part is in flight. */
  add(part: Middleware<C> | HookGroup<C>): () => Promise<void>;
  child(options?: { readonly without?: readonly string[] }): Layer<C>;
}

/** What the probe is told of one firing; `answer` is a wrap's result, `error` what stopped the pass. */
export interface FiringRecord {
  readonly event: EventName;
  /** As it was when the event was fired. */
  readonly payload: object;
  readonly context: unknown;
  readonly started: number;
  /** Handlers that the plan has for the event. */
  readonly handlers: number;
  readonly answer?: unknown;
  readonly error?: unknown;
}

/** Told of a handler only when it was pending (then with `started`), answered, or failed. */
export interface HandlerRecord {
  readonly event: EventName;
  readonly owner: string;
  readonly context: unknown;
  readonly started?: number;
  readonly answer?: unknown;
  readonly failure?: unknown;
  readonly shadow: boolean;
}

export interface Ports {
  /** One timer for all time limits, running only while something is pending. Returns its stop. */
  every(ms: number, tick: () => void): () => void;
  report(
    kind: "failed" | "conflict" | "overridden" | "rewrite-refused" | "re-entered" | "shadow",
    owner: string,
    event: EventName,
    detail: unknown,
  ): void;
  /** Absent: no clock is read at all. */
  readonly probe?: {
    readonly now: () => number;
    readonly firing: (record: FiringRecord) => void;
    readonly handler?: (record: HandlerRecord) => void;
  };
}
