import type { Answer, EventName, EventOf, MethodEvents, Payload, Result } from "./lifecycle.ts";

export type MaybePromise<T> = T | PromiseLike<T>;

/** C is what the embedding program gives every handler: session state, signal, delivery. */
export type Handler<E extends EventName, C> =
  E extends EventOf<"wrap">
    ? (payload: Payload<E>, next: (payload?: Payload<E>) => Promise<Result<E>>, context: C) => MaybePromise<Result<E>>
    : (payload: Payload<E>, context: C) => MaybePromise<Answer<E> | void>;

/** Stateless and shared by all sessions; made by a factory, called without `this`. A throw of its methods stops the pass. */
export type Middleware<C> = {
  readonly slot: string;
  readonly sections?: (context: C) => readonly string[];
  readonly tools?: (context: C) => readonly unknown[];
  readonly on?: { readonly [E in EventName]?: Handler<E, C> };
} & { readonly [M in keyof MethodEvents]?: Handler<MethodEvents[M], C> };

/** One handler of one hook group, as `hooks` and `plugins` compile it. Its failure is an answer, never a throw. */
export interface Entry<C, E extends EventName = EventName> {
  readonly event: E;
  readonly owner: string;
  /** Declared order, never order of arrival. */
  readonly rank: readonly [owner: number, sequence: number];
  /** Why it is skipped, or undefined when it runs; `explain` calls the same. */
  readonly consider: (payload: Payload<E>, context: C) => undefined | string;
  readonly run: Handler<E, C>;
  readonly limitMs: number;
  readonly onFailure: "continue" | "block";
  readonly mode: "enforce" | "shadow";
  readonly rejudge: boolean;
}

/** Slot 4. A parallel group is one entry per event: all its rules run to their end over one base, folded in declared order. */
export interface HookGroup<C> {
  readonly slot: "hook";
  readonly name: string;
  readonly entries: readonly Entry<C>[];
  readonly parallel: boolean;
}
