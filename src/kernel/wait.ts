import type { OwnCall } from "./call.ts";
import { KernelError } from "./failure.ts";
import type { Part, Step } from "./part.ts";

const tickMs = 50;
/** How long an undo waits for what is in flight. */
const undoTicks = 5_000 / tickMs;
const poolSize = 1_024;

/** A limit in ticks, rounded up and one more, because the first tick may come at once: never early. 0: none. */
export function limitTicks(limitMs: number): number {
  return Number.isFinite(limitMs) ? Math.max(1, Math.ceil(limitMs / tickMs)) + 1 : 0;
}

/** Who waits for a pending handler. Told exactly once for each wait. */
export interface Waiter {
  settled(slot: number, value: unknown, failed: boolean): void;
}

/** One pending handler: a node of the list that the shared tick walks, pooled. */
export class Wait {
  waiter: Waiter | undefined = undefined;
  step: Step | undefined = undefined;
  call: OwnCall | undefined = undefined;
  slot = 0;
  ticks = 0;
  /** A wrapper's clock stands while what is inside its `next` runs. */
  paused = false;
  /** Set again by a waiter that waits on. */
  armed = false;
  previous: Wait = this;
  next: Wait = this;
  readonly onValue: (value: unknown) => void;
  readonly onError: (error: unknown) => void;

  constructor(waits: Waits) {
    this.onValue = (value) => waits.end(this, value, false);
    this.onError = (error) => waits.end(this, error, true);
  }
}

interface Drain {
  ticks: number;
  readonly part: Part;
}

/** All pending handlers of one kernel, under one timer that runs only while there are any. */
export class Waits {
  private readonly list: Wait;
  private readonly pool: Wait[] = [];
  private readonly drains = new Set<Drain>();
  private readonly every: (ms: number, tick: () => void) => () => void;
  private stop: (() => void) | undefined = undefined;

  constructor(every: (ms: number, tick: () => void) => () => void) {
    this.every = every;
    this.list = new Wait(this);
  }

  /** Waits for a handler's promise, under the step's limit. A late answer is ignored. */
  start(promise: PromiseLike<unknown>, waiter: Waiter, step: Step, call: OwnCall | undefined): Wait {
    const wait = this.pool.pop() ?? new Wait(this);
    wait.waiter = waiter;
    wait.slot = 0;
    const last = this.list.previous;
    wait.previous = last;
    wait.next = this.list;
    last.next = wait;
    this.list.previous = wait;
    if (this.stop === undefined) this.run();
    this.again(wait, promise, step, call);
    return wait;
  }

  /** From within `settled`: waits on, for the next handler. Not for a wait that has expired. */
  again(wait: Wait, promise: PromiseLike<unknown>, step: Step, call: OwnCall | undefined): void {
    wait.step = step;
    wait.call = call;
    wait.ticks = step.limit;
    wait.armed = true;
    // A foreign thenable may answer twice or at once; a promise cannot.
    (promise instanceof Promise ? promise : Promise.resolve(promise)).then(wait.onValue, wait.onError);
  }

  end(wait: Wait, value: unknown, failed: boolean): void {
    const waiter = wait.waiter;
    if (waiter === undefined) return;
    wait.armed = false;
    waiter.settled(wait.slot, value, failed);
    if (wait.armed) return;
    this.leave(wait);
    if (this.pool.length < poolSize) this.pool.push(wait);
  }

  /** Resolves when nothing of the part is in flight; after 5 s what still is gets cut off. */
  drain(part: Part): Promise<void> {
    if (part.pending === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const drain: Drain = { ticks: undoTicks, part };
      this.drains.add(drain);
      part.drained = () => {
        this.drains.delete(drain);
        part.drained = undefined;
        resolve();
      };
      if (this.stop === undefined) this.run();
    });
  }

  private run(): void {
    this.stop = this.every(tickMs, () => this.tick());
  }

  private leave(wait: Wait): void {
    wait.previous.next = wait.next;
    wait.next.previous = wait.previous;
    wait.waiter = undefined;
    wait.step = undefined;
    wait.call = undefined;
    wait.paused = false;
  }

  private tick(): void {
    if (this.list.next === this.list && this.drains.size === 0) {
      this.stop?.();
      this.stop = undefined;
      return;
    }
    const due: Wait[] = [];
    for (let wait = this.list.next; wait !== this.list; wait = wait.next) {
      if (wait.ticks > 0 && !wait.paused && --wait.ticks === 0) due.push(wait);
    }
    for (const wait of due) this.expire(wait, "timed-out");
    for (const drain of this.drains) if (--drain.ticks <= 0) this.cut(drain.part);
  }

  private cut(part: Part): void {
    const held: Wait[] = [];
    for (let wait = this.list.next; wait !== this.list; wait = wait.next) if (wait.step?.part === part) held.push(wait);
    for (const wait of held) this.expire(wait, "removed");
    part.drained?.();
  }

  /** The wait is not pooled again: its promise may still answer, and must find nobody. */
  private expire(wait: Wait, code: "timed-out" | "removed"): void {
    const { waiter, step, call, slot } = wait;
    if (waiter === undefined || step === undefined) return;
    this.leave(wait);
    const message =
      code === "timed-out"
        ? `${step.owner} gave no answer within its time limit.`
        : `${step.owner} was taken out while it was still running.`;
    const error = new KernelError(code, step.owner, message);
    call?.abort(error);
    waiter.settled(slot, error, true);
  }
}
