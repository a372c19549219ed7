import type { OwnCall } from "./call.ts";
import { KernelError } from "./failure.ts";
import type { Part, Step } from "./part.ts";
import { tickMs } from "./ticks.ts";

/** How long an undo waits for what is in flight. */
const undoTicks = 5_000 / tickMs;
export const poolSize = 1_024;

/** Who waits for a pending handler. Told exactly once for each wait. */
export interface Waiter {
  settled(slot: number, value: unknown, failed: boolean): void;
}

/** A place for one pending handler in the list that the shared tick walks. It stays linked while it is idle or pooled. */
export class Wait {
  /** Undefined: it has expired, or lies in the pool. */
  waiter: Waiter | undefined = undefined;
  /** Undefined: nothing is pending here. */
  step: Step | undefined = undefined;
  call: OwnCall | undefined = undefined;
  slot = 0;
  ticks = 0;
  /** A wrapper's clock stands while what is inside its `next` runs. */
  paused = false;
  /** It belongs to its waiter for good. */
  readonly kept: boolean;
  previous: Wait = this;
  next: Wait = this;
  readonly onValue: (value: unknown) => void;
  readonly onError: (error: unknown) => void;

  constructor(waits: Waits, kept: boolean) {
    this.kept = kept;
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
  private pending = 0;

  constructor(every: (ms: number, tick: () => void) => () => void) {
    this.every = every;
    this.list = new Wait(this, true);
  }

  /** A wait that its waiter keeps and arms again and again, as long as it does not expire. */
  keep(waiter: Waiter): Wait {
    const wait = this.link(new Wait(this, true));
    wait.waiter = waiter;
    return wait;
  }

  drop(wait: Wait): void {
    if (wait.waiter !== undefined) this.unlink(wait);
  }

  /** Waits for a handler's promise once. */
  start(promise: PromiseLike<unknown>, waiter: Waiter, step: Step, call: OwnCall | undefined): Wait {
    const wait = this.pool.pop() ?? this.link(new Wait(this, false));
    wait.waiter = waiter;
    this.arm(wait, promise, step, call);
    return wait;
  }

  /** Waits for a handler's promise, under the step's limit. A late answer is ignored. */
  arm(wait: Wait, promise: PromiseLike<unknown>, step: Step, call: OwnCall | undefined): void {
    wait.step = step;
    wait.call = call;
    wait.ticks = step.limit;
    this.pending++;
    if (this.stop === undefined) this.run();
    // A foreign thenable may answer twice or at once; a promise cannot.
    (promise instanceof Promise ? promise : Promise.resolve(promise)).then(wait.onValue, wait.onError);
  }

  end(wait: Wait, value: unknown, failed: boolean): void {
    const { waiter, slot } = wait;
    if (waiter === undefined) return;
    this.rest(wait);
    if (!wait.kept) this.spare(wait);
    waiter.settled(slot, value, failed);
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

  private link(wait: Wait): Wait {
    const last = this.list.previous;
    wait.previous = last;
    wait.next = this.list;
    last.next = wait;
    this.list.previous = wait;
    return wait;
  }

  private unlink(wait: Wait): void {
    wait.previous.next = wait.next;
    wait.next.previous = wait.previous;
    wait.waiter = undefined;
  }

  private rest(wait: Wait): void {
    this.pending--;
    wait.step = undefined;
    wait.call = undefined;
    wait.ticks = 0;
  }

  private spare(wait: Wait): void {
    wait.waiter = undefined;
    wait.slot = 0;
    wait.paused = false;
    if (this.pool.length < poolSize) this.pool.push(wait);
    else this.unlink(wait);
  }

  private tick(): void {
    if (this.pending === 0 && this.drains.size === 0) {
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

  /** The wait serves nobody again: its promise may still answer, and must find nobody. */
  private expire(wait: Wait, code: "timed-out" | "removed"): void {
    const { waiter, step, call, slot } = wait;
    if (waiter === undefined || step === undefined) return;
    this.rest(wait);
    this.unlink(wait);
    const message =
      code === "timed-out"
        ? `${step.owner} gave no answer within its time limit.`
        : `${step.owner} was taken out while it was still running.`;
    const error = new KernelError(code, step.owner, message);
    call?.abort(error);
    waiter.settled(slot, error, true);
  }
}
