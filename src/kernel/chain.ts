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

/** One call of an entry that asked for it with `call: true`; handed over as the last argument. */
export interface Call {
  /**
   * Aborts at the time limit, and when the part is taken out and its calls do not end in time.
   * The controller behind it is made at the first read.
   */
  readonly signal: AbortSignal;
  readonly owner: string;
  /** The entry that is being called; compared by identity. */
  readonly entry: object;
  /** On whose behalf this call was made in turn. */
  readonly parent: Call | undefined;
}

/**
 * What a context may carry. Whatever an entry causes (a tool it dispatches) is fired with a context
 * whose `onBehalf` is the entry's `call`: that entry is then never re-entered. See docs/reference/kernel.md.
 */
export interface OnBehalf {
  readonly onBehalf?: Call | undefined;
}

export type CallHandler<E extends EventName, C> =
  E extends EventOf<"wrap">
    ? (
        payload: Payload<E>,
        next: (payload?: Payload<E>) => Promise<Result<E>>,
        context: C,
        call: Call,
      ) => MaybePromise<Result<E>>
    : (payload: Payload<E>, context: C, call: Call) => MaybePromise<Answer<E> | void>;

interface EntryOf<C, E extends EventName> {
  readonly event: E;
  readonly owner: string;
  /** Declared order over all groups, never order of arrival. */
  readonly rank: readonly [owner: number, sequence: number];
  /** Why it is skipped, or undefined when it runs; `explain` calls the same. */
  readonly consider: (payload: Payload<E>, context: C) => undefined | string;
  /** Counted in steps of 50 ms and never early; of a `wrap`, its own time without what runs inside `next`. */
  readonly limitMs: number;
  readonly onFailure: "continue" | "block";
  /** `shadow`: it runs and its answer is recorded, but counts for nothing. */
  readonly mode: "enforce" | "shadow";
  /** False: not asked again when a later handler changed what it judged. */
  readonly rejudge: boolean;
}

/** One handler of one hook group, as `hooks` and `plugins` compile it. Its failure is an answer, never a throw. */
export type Entry<C, E extends EventName = EventName> = {
  [K in E]: EntryOf<C, K> &
    ({ readonly call?: false; readonly run: Handler<K, C> } | { readonly call: true; readonly run: CallHandler<K, C> });
}[E];

/** Slot `hook`. A parallel group is one entry per event: all its rules run to their end over one base, folded in declared order. */
export interface HookGroup<C> {
  readonly slot: "hook";
  readonly name: string;
  readonly entries: readonly Entry<C>[];
  readonly parallel: boolean;
}
