import { type Draft, type Given, readAnswer } from "./answer.ts";
import { OwnCall } from "./call.ts";
import { copy, type Data, isThenable, replaced } from "./data.ts";
import { enter, type Line, leave } from "./engine.ts";
import { isKernelError } from "./failure.ts";
import { Fold } from "./fold.ts";
import { Gathering, type Outcome } from "./parallel.ts";
import type { Step } from "./part.ts";
import { askPlain, reentered, skipReason } from "./step.ts";
import { poolSize, type Wait, type Waiter } from "./wait.ts";

/** What a firing without an answer answers. Without a prototype, where a promise would look for `then`. */
export const noAnswer: object = Object.freeze(Object.create(null) as object);

/**
 * One firing of a tell or ask row, from its first handler that answered, failed or is pending: walks the
 * array it began with, and once more over those who have to judge the settled value again. Pooled.
 */
export class Firing implements Waiter {
  private line: Line;
  private context: unknown;
  private readonly fold: Fold;
  private index = 0;
  /** Where this pass ends. */
  private until = 0;
  /** No drafts, no second pass, on nobody's behalf: `plain` steps need nothing but their condition. */
  private simple = true;
  private draft: Draft | undefined = undefined;
  private started: number | undefined = undefined;
  private kept: Wait | undefined = undefined;
  private resolve: ((value: unknown) => void) | undefined = undefined;
  private readonly capture = (resolve: (value: unknown) => void): void => {
    this.resolve = resolve;
  };

  private constructor(line: Line, payload: object) {
    this.line = line;
    this.fold = new Fold(line, payload);
  }

  static of(line: Line, payload: object, context: unknown, simple = false): Firing {
    const firing = (line.engine.firings.pop() as Firing | undefined) ?? new Firing(line, payload);
    firing.line = line;
    firing.fold.start(line, payload);
    firing.context = context;
    firing.until = line.steps.length;
    firing.simple = simple;
    return firing;
  }

  /** Goes on with what the handler at the index gave. */
  given(index: number, value: unknown): unknown {
    this.index = index;
    return this.accept(this.step(), value, undefined) ? this.promise() : this.begin(index + 1);
  }

  /** Goes on after the handler at the index threw. */
  threw(index: number, error: unknown): unknown {
    this.index = index;
    this.step().active = false;
    this.failed(this.step(), error);
    return this.begin(index + 1);
  }

  /** Walks from the index to the end, or to the first pending handler. */
  begin(index: number): unknown {
    this.index = index;
    if (!this.walk()) return this.promise();
    const answer = this.answer();
    this.release();
    return answer;
  }

  settled(_slot: number, value: unknown, failed: boolean): void {
    if (!failed && value === undefined && this.isLast()) this.conclude(this.answer());
    else this.goOn(value, failed);
  }

  /** Nothing is left to do after the step at the index, if it has no opinion: the usual way of a single handler. */
  private isLast(): boolean {
    const { fold, draft, started } = this;
    return this.index + 1 >= this.until && fold.changer < 0 && draft === undefined && started === undefined;
  }

  private goOn(value: unknown, failed: boolean): void {
    try {
      if (failed) this.failed(this.step(), value);
      else this.received(this.step(), value);
      this.advance();
    } catch (error) {
      this.conclude(Promise.reject(error));
    }
  }

  /** All rules of the parallel group at the index have ended. */
  private gathered(outcomes: readonly Outcome[]): void {
    try {
      this.takeTogether(outcomes);
      this.advance();
    } catch (error) {
      this.conclude(Promise.reject(error));
    }
  }

  /** Goes on after the pending step at the index. Throws what stops the pass. */
  private advance(): void {
    this.started = undefined;
    this.index++;
    if (this.walk()) this.conclude(this.answer());
  }

  private conclude(value: unknown): void {
    const { line, resolve } = this;
    this.release();
    leave(line);
    resolve?.(value);
  }

  private promise(): Promise<unknown> {
    enter(this.line);
    return new Promise(this.capture);
  }

  private answer(): unknown {
    return this.line.row.strategy === "tell" ? undefined : (this.fold.answer ?? noAnswer);
  }

  private release(): void {
    this.fold.reset();
    this.context = undefined;
    this.draft = undefined;
    this.started = undefined;
    this.resolve = undefined;
    const { firings } = this.line.engine;
    if (firings.length < poolSize) firings.push(this);
    else if (this.kept !== undefined) this.line.engine.waits.drop(this.kept);
  }

  private step(): Step {
    return this.line.steps[this.index] as Step;
  }

  /** False when a handler is pending. */
  private walk(): boolean {
    const { fold } = this;
    do {
      while (this.index < this.until && !fold.over) {
        if (this.ask(this.step())) return false;
        this.index++;
      }
    } while (this.judgeAgain());
    return true;
  }

  /** Whoever stood before the last change of the settled field judges its final value, once. */
  private judgeAgain(): boolean {
    const { fold } = this;
    if (fold.over || fold.second || fold.changer < 0) return false;
    fold.second = true;
    this.simple = false;
    this.index = 0;
    // In a parallel group all judged the common base: its other rules stand before the change too.
    this.until = fold.changer + (this.line.steps[fold.changer]?.members === undefined ? 0 : 1);
    return true;
  }

  /** True when the handler is pending. */
  private ask(step: Step): boolean {
    if (!this.simple || !step.plain)
      return step.members === undefined ? this.askOne(step) : this.askTogether(step.members);
    let value: unknown;
    try {
      value = askPlain(this.line, step, this.fold.payload, this.context);
    } catch (error) {
      step.active = false;
      this.failed(step, error);
      return false;
    }
    return value !== undefined && this.accept(step, value, undefined);
  }

  private askOne(step: Step): boolean {
    let value: unknown;
    let call: OwnCall | undefined;
    try {
      if (!this.runs(step)) return false;
      call = step.call ? new OwnCall(step, this.context) : undefined;
      this.draft = this.drafted();
      const { run } = step;
      step.active = step.entry !== undefined;
      value = run(this.draft?.handed ?? this.fold.payload, this.context, call);
      step.active = false;
    } catch (error) {
      step.active = false;
      this.failed(step, error);
      return false;
    }
    return this.accept(step, value, call);
  }

  private runs(step: Step): boolean {
    if (this.fold.second && !this.fold.judgesAgain(step)) return false;
    const reason = skipReason(step, this.fold.payload, this.context);
    if (reason === reentered) this.line.engine.report("re-entered", step.owner, this.line.row.event, undefined);
    return reason === undefined;
  }

  private accept(step: Step, value: unknown, call: OwnCall | undefined): boolean {
    let pending = false;
    try {
      pending = value instanceof Promise || isThenable(value);
    } catch (error) {
      this.failed(step, error);
      return false;
    }
    if (!pending) this.received(step, value);
    else this.wait(step, value as PromiseLike<unknown>, call);
    return pending;
  }

  private wait(step: Step, promise: PromiseLike<unknown>, call: OwnCall | undefined): void {
    const { engine } = this.line;
    if (engine.probe?.handler !== undefined) this.started = engine.probe.now();
    // One that has expired serves nobody again.
    if (this.kept?.waiter === undefined) this.kept = engine.waits.keep(this);
    engine.waits.arm(this.kept, promise, step, call);
  }

  /** In a row of drafts: the payload with working copies of what is threaded. */
  private drafted(): Draft | undefined {
    const { drafts } = this.line.row;
    if (drafts === undefined) return undefined;
    const base = this.fold.payload;
    let handed = base;
    for (const { key } of drafts) handed = replaced(handed, key, copy((base as Data)[key]));
    return { handed, base };
  }

  private received(step: Step, value: unknown): void {
    if (value === undefined && this.draft === undefined) {
      if (this.started !== undefined) this.record(step, { answer: undefined });
      return;
    }
    let given: Given;
    try {
      given = readAnswer(this.line.row, value, step.owner, this.draft);
      if (given.length > 0) this.fold.take(step, this.index, given);
    } catch (error) {
      this.failed(step, error);
      return;
    }
    if (given.length > 0 || this.started !== undefined) this.record(step, { answer: value });
  }

  /** An entry's failure is its answer; a method's stops the pass. */
  private failed(step: Step, error: unknown): void {
    this.fold.merge(this.failure(step, error));
  }

  private failure(step: Step, error: unknown): Given {
    const { engine, row } = this.line;
    engine.report("failed", step.owner, row.event, error);
    this.record(step, { failure: error });
    const removed = isKernelError(error) && error.code === "removed";
    if (step.entry === undefined && !removed) throw error;
    return this.fold.close(step, error);
  }

  private record(step: Step, outcome: { readonly answer: unknown } | { readonly failure: unknown }): void {
    const { engine, row } = this.line;
    if (engine.probe?.handler === undefined) return;
    const started = this.started === undefined ? {} : { started: this.started };
    engine.record({
      event: row.event,
      owner: step.owner,
      context: this.context,
      shadow: step.shadow,
      ...started,
      ...outcome,
    });
  }

  /** True when one of the rules is pending. */
  private askTogether(members: readonly Step[]): boolean {
    const { engine } = this.line;
    const asked = members.filter((member) => this.considered(member));
    const gathering = new Gathering((outcomes) => this.gathered(outcomes));
    const outcomes = gathering.start(asked, {
      engine,
      context: this.context,
      payload: this.fold.payload,
      draft: () => this.drafted(),
    });
    if (outcomes !== undefined) this.takeTogether(outcomes);
    return outcomes === undefined;
  }

  private considered(member: Step): boolean {
    try {
      return this.runs(member);
    } catch (error) {
      this.failed(member, error);
      return false;
    }
  }

  private takeTogether(outcomes: readonly Outcome[]): void {
    const answers = outcomes.map(({ step, value, failed, draft }) => ({
      step,
      given: failed ? this.failure(step, value) : this.readMember(step, value, draft),
    }));
    this.fold.takeTogether(this.index, answers);
  }

  private readMember(step: Step, value: unknown, draft: Draft | undefined): Given {
    try {
      const given = readAnswer(this.line.row, value, step.owner, draft);
      if (given.length > 0) this.record(step, { answer: value });
      return given;
    } catch (error) {
      return this.failure(step, error);
    }
  }
}
