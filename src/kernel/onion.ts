import { closedAnswer } from "./answer.ts";
import { OwnCall } from "./call.ts";
import { freeze, isPlain, isThenable, same } from "./data.ts";
import { enter, type Line, leave } from "./engine.ts";
import { isKernelError, KernelError } from "./failure.ts";
import type { Step } from "./part.ts";
import { reentered, skipReason } from "./step.ts";
import type { Wait, Waiter } from "./wait.ts";

export type Core = (payload: object) => PromiseLike<unknown>;
export type Changed = (payload: object) => PromiseLike<object>;

/** Who is told how what lies inside ended, before anybody who awaits it goes on. */
interface Outside {
  returned(value: unknown, failed: boolean): void;
}

const ignore = (): undefined => undefined;

let resolvePromise: (value: unknown) => void = ignore;
let rejectPromise: (error: unknown) => void = ignore;
const capture = (resolve: (value: unknown) => void, reject: (error: unknown) => void): void => {
  resolvePromise = resolve;
  rejectPromise = reject;
};

const mostOnStack = 100;

/** One firing of a wrap row: its wrappers, the first one outermost, around the core. */
export class Onion implements Outside {
  readonly line: Line;
  readonly context: unknown;
  private readonly core: Core;
  private readonly changed: Changed;
  private running = 0;

  constructor(line: Line, core: Core, context: unknown, changed: Changed) {
    this.line = line;
    this.core = core;
    this.context = context;
    this.changed = changed;
  }

  fire(payload: object): Promise<unknown> {
    return this.descend(0, payload, this);
  }

  /** The outermost has nobody to tell: its promise is what the firing gave. */
  returned(): void {
    return;
  }

  /** A wrapper may return before what it started: an undo waits for all of them. */
  hold(): void {
    if (this.running++ === 0) enter(this.line);
  }

  release(): void {
    if (--this.running === 0) leave(this.line);
  }

  /** Runs the next wrapper that is considered, or the core. */
  descend(index: number, payload: object, outside: Outside): Promise<unknown> {
    // However many wrappers there are, they do not fill the stack.
    if (index === 0 || index % mostOnStack !== 0) return this.descendAtOnce(index, payload, outside);
    const later: Outside = {
      returned: (value, failed) => void Promise.resolve().then(() => outside.returned(value, failed)),
    };
    return Promise.resolve().then(() => this.descendAtOnce(index, payload, later));
  }

  private descendAtOnce(index: number, payload: object, outside: Outside): Promise<unknown> {
    const { steps } = this.line;
    for (let at = index; at < steps.length; at++) {
      const step = steps[at] as Step;
      const frame = new Frame(this, step, { index: at, payload, outside });
      try {
        if (this.runs(step, payload)) return frame.begin();
      } catch (error) {
        return frame.refuse(error);
      }
    }
    return this.act(payload, outside);
  }

  /** A payload that a wrapper changed goes back to be judged before anything below sees it. */
  judged(payload: object): PromiseLike<object> {
    return this.changed(payload);
  }

  private runs(step: Step, payload: object): boolean {
    const reason = skipReason(step, payload, this.context);
    if (reason === reentered) this.line.engine.report("re-entered", step.owner, this.line.row.event, undefined);
    return reason === undefined;
  }

  private act(payload: object, outside: Outside): Promise<unknown> {
    let acting: Promise<unknown>;
    try {
      acting = Promise.resolve(this.core(payload));
    } catch (error) {
      acting = Promise.reject(error);
    }
    acting.then(
      (value) => outside.returned(value, false),
      (error: unknown) => outside.returned(error, true),
    );
    return acting;
  }
}

interface Place {
  readonly index: number;
  readonly payload: object;
  readonly outside: Outside;
}

/** One wrapper of one firing. The rules are in docs/reference/kernel.md, "The onion". */
class Frame implements Waiter, Outside {
  private readonly onion: Onion;
  private readonly step: Step;
  private readonly place: Place;
  private resolve: (value: unknown) => void = ignore;
  private reject: (error: unknown) => void = ignore;
  private promise: Promise<unknown> | undefined = undefined;
  private wait: Wait | undefined = undefined;
  private open = true;
  private held = false;
  private calls = 0;
  /** Calls of `next` that have not returned. */
  private inside = 0;
  private success: { readonly value: unknown } | undefined = undefined;
  private downError: { readonly error: unknown } | undefined = undefined;
  /** How the wrapper itself ended while something inside still ran. */
  private ending: (() => void) | undefined = undefined;

  constructor(onion: Onion, step: Step, place: Place) {
    this.onion = onion;
    this.step = step;
    this.place = place;
  }

  begin(): Promise<unknown> {
    const { step, onion } = this;
    const promise = this.make();
    onion.hold();
    this.held = true;
    const call = step.call ? new OwnCall(step, onion.context) : undefined;
    try {
      const { run } = step;
      step.active = step.entry !== undefined;
      const value = run(this.place.payload, this.next, onion.context, call);
      step.active = false;
      if (isThenable(value)) {
        this.wait = onion.line.engine.waits.start(value, this, step, call);
        this.wait.paused = this.inside > 0;
      } else {
        this.close(value);
      }
    } catch (error) {
      step.active = false;
      this.fail(error);
    }
    return promise;
  }

  /** Ends the wrapper without a run of it: its condition threw. */
  refuse(error: unknown): Promise<unknown> {
    const promise = this.make();
    this.fail(error);
    return promise;
  }

  settled(_slot: number, value: unknown, failed: boolean): void {
    this.wait = undefined;
    if (failed) this.fail(value);
    else this.close(value);
  }

  /** What lies inside has ended. */
  returned(value: unknown, failed: boolean): void {
    if (failed) this.downError = { error: value };
    else this.success = { value };
    if (--this.inside > 0) return;
    if (this.wait !== undefined) this.wait.paused = false;
    this.ending?.();
  }

  private make(): Promise<unknown> {
    this.promise = new Promise(capture);
    this.resolve = resolvePromise;
    this.reject = rejectPromise;
    return this.promise;
  }

  private readonly next = (given?: object): Promise<unknown> => {
    const { step, onion, place } = this;
    const refusal = this.refusal(given);
    if (refusal !== undefined) return Promise.reject(refusal);
    this.calls++;
    this.inside++;
    if (this.wait !== undefined) this.wait.paused = true;
    const payload = step.shadow || given === undefined ? place.payload : freeze({ ...place.payload, ...given });
    const active = step.active;
    // What happens inside happens for the call, not for the wrapper.
    step.active = false;
    try {
      if (same(payload, place.payload)) return onion.descend(place.index + 1, place.payload, this);
      return this.changed(payload);
    } finally {
      step.active = active;
    }
  };

  private async changed(payload: object): Promise<unknown> {
    const { onion, place } = this;
    let judged: object;
    try {
      judged = freeze(await onion.judged(payload));
    } catch (error) {
      this.returned(error, true);
      throw error;
    }
    return onion.descend(place.index + 1, judged, this);
  }

  private refusal(given: unknown): KernelError | undefined {
    const { step, onion } = this;
    const { owner } = step;
    if (!this.open) return new KernelError("next-late", owner, `${owner} called next() after it had ended.`);
    if (this.calls > 0 && (step.shadow || !onion.line.row.many)) {
      return new KernelError("next-twice", owner, `${owner} called next() more than once; what lies inside runs once.`);
    }
    if (given === undefined || given === null || isPlain(given)) return undefined;
    return new KernelError("nonsense", owner, `${owner} called next() with something that is no payload.`);
  }

  /** The wrapper has returned. */
  private close(value: unknown): void {
    this.open = false;
    if (this.step.shadow) {
      this.report("shadow", value);
      this.afterwards(() => this.concludeShadow());
    } else {
      this.done(value);
    }
    this.release();
  }

  private fail(error: unknown): void {
    this.open = false;
    this.afterwards(() => (this.step.shadow ? this.concludeShadow(error) : this.conclude(error)));
    this.release();
  }

  private release(): void {
    if (this.held) this.onion.release();
    this.held = false;
  }

  /** At once, or when what runs inside has ended: its outcome decides. */
  private afterwards(ending: () => void): void {
    if (this.inside === 0) ending();
    else this.ending = ending;
  }

  private conclude(error: unknown): void {
    if (this.downError?.error !== error) this.report("failed", error);
    if (this.success !== undefined) this.done(this.success.value);
    else if (this.downError !== undefined) this.throw(isRemoval(error) ? this.downError.error : error);
    else this.concludeBefore(error);
  }

  /** It failed and had not called `next`. */
  private concludeBefore(error: unknown): void {
    const { step, onion } = this;
    const { row } = onion.line;
    const closed = closedAnswer(row, error);
    if (step.entry === undefined && !isRemoval(error)) this.throw(error);
    else if (!step.blocks || row.closed === "never") this.pass();
    else if (closed !== undefined) this.done(closed);
    else this.throw(closedError(step, row.event, error));
  }

  private concludeShadow(error?: unknown): void {
    if (error !== undefined) this.report("failed", error);
    if (this.success !== undefined) this.done(this.success.value);
    else if (this.downError !== undefined) this.throw(this.downError.error);
    else this.pass();
  }

  /** As if the wrapper were not there. */
  private pass(): void {
    const { onion, place } = this;
    const outside: Outside = { returned: (value, failed) => (failed ? this.throw(value) : this.done(value)) };
    onion.descend(place.index + 1, place.payload, outside).then(ignore, ignore);
  }

  private done(value: unknown): void {
    this.place.outside.returned(value, false);
    this.resolve(value);
  }

  private throw(error: unknown): void {
    // A wrapper need not await what it started: that is no reason for the process to end.
    this.promise?.then(ignore, ignore);
    this.place.outside.returned(error, true);
    this.reject(error);
  }

  private report(kind: "failed" | "shadow", detail: unknown): void {
    const { engine, row } = this.onion.line;
    const { owner, shadow } = this.step;
    engine.report(kind, owner, row.event, detail);
    const outcome = kind === "failed" ? { failure: detail } : { answer: detail };
    engine.record({ event: row.event, owner, context: this.onion.context, shadow, ...outcome });
  }
}

const closedError = (step: Step, event: string, cause: unknown): KernelError =>
  new KernelError("closed", step.owner, `${step.owner} failed, and its failure blocks ${event}.`, { cause });

const isRemoval = (error: unknown): boolean => isKernelError(error) && error.code === "removed";
