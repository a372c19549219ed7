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

export interface Ports {
  /** One timer for all time limits. */
  every(ms: number, tick: () => void): () => void;
  report(
    kind: "failed" | "conflict" | "overridden" | "rewrite-refused" | "re-entered",
    owner: string,
    event: EventName,
    detail: unknown,
  ): void;
  probe?: {
    readonly now: () => number;
    firing(event: EventName, started: number, handlers: number, answer: unknown): void;
  };
}
