import { closedAnswer, type Folded, type Given, goStale, isOver, mergeField, readAnswer } from "./answer.ts";
import { changedKeys, type Data, freeze, replaced, same, withKeys } from "./data.ts";
import type { Line } from "./engine.ts";
import type { Step } from "./part.ts";

const nobody: readonly Step[] = [];

interface Rewrite {
  readonly step: Step;
  readonly value: unknown;
}

/** The state of one firing: what has been answered, and the payload as the next handler sees it. */
export class Fold {
  answer: Folded | undefined = undefined;
  payload: object;
  /** An answer has ended the event. */
  over = false;
  /** The settled value goes round once more; a rewrite is refused now. */
  second = false;
  /** Index of the last step that changed the settled field, or -1. */
  changer = -1;
  private line: Line;
  /** Steps that gave the settled value themselves. */
  private authors: readonly Step[] = nobody;
  private firsts: Map<Step, Given> | undefined = undefined;
  /** Who last changed which key of what is threaded, by field and key. */
  private writers: Map<string, string> | undefined = undefined;

  constructor(line: Line, payload: object) {
    this.line = line;
    this.payload = payload;
  }

  start(line: Line, payload: object): void {
    this.line = line;
    this.payload = payload;
  }

  /** Lets go of everything, so that the fold can serve another firing. */
  reset(): void {
    this.payload = nobody;
    if (this.answer === undefined && this.firsts === undefined) return;
    this.answer = undefined;
    this.over = false;
    this.second = false;
    this.changer = -1;
    this.authors = nobody;
    this.firsts = undefined;
    this.writers = undefined;
  }

  /** Whether a step judges the settled value again. */
  judgesAgain(step: Step): boolean {
    return step.rejudge && !this.authors.includes(step);
  }

  /** Folds what the step at an index answered. */
  take(step: Step, index: number, given: Given): void {
    const { row, engine } = this.line;
    if (step.shadow) engine.report("shadow", step.owner, row.event, Object.fromEntries(given));
    else if (this.second) this.foldAgain(step, given);
    else this.foldFirst(step, index, given);
  }

  /** A failed entry's answer, where its failure blocks. */
  close(step: Step, error: unknown): Given {
    const { row } = this.line;
    const closed = step.blocks && !step.shadow ? closedAnswer(row, error) : undefined;
    const given = closed === undefined ? [] : readAnswer(row, closed, step.owner);
    return given.filter(([name]) => row.fields[name]?.threads === undefined);
  }

  /** Law 5: rewrites compose key by key against the payload that all rules were given. */
  takeTogether(index: number, all: readonly { readonly step: Step; readonly given: Given }[]): void {
    const spoken = all.filter(({ given }) => given.length > 0);
    for (const { step, given } of spoken) if (step.shadow || this.second) this.take(step, index, given);
    if (this.second) return;
    const { row } = this.line;
    const answers = spoken.filter(({ step }) => !step.shadow);
    for (const [name, field] of Object.entries(row.fields)) {
      if (field.threads === undefined) continue;
      const rewrites = answers.flatMap(({ step, given }) =>
        given.filter(([given]) => given === name).map(([, value]) => ({ step, value })),
      );
      if (rewrites.length > 0) this.compose(index, name, field.threads, rewrites);
    }
    for (const { step, given } of answers) {
      const judgedOther = this.changer === index && !this.authors.includes(step);
      this.remember(step, given);
      this.merge(
        given.filter(([name]) => row.fields[name]?.threads === undefined).flatMap(judgedOther ? this.left : itself),
      );
    }
  }

  private readonly left = ([name, value]: Given[number]): Given => {
    const field = this.line.row.fields[name];
    const left: unknown = field?.stale === undefined ? value : field.stale(value);
    return left === undefined ? [] : [[name, left]];
  };

  private compose(index: number, name: string, key: string, rewrites: readonly Rewrite[]): void {
    const { row, engine } = this.line;
    const base = (this.payload as Data)[key];
    const writers = new Map<string | undefined, Rewrite>();
    let composed = base;
    for (const rewrite of rewrites) {
      const keys = changedKeys(base, rewrite.value);
      for (const changed of keys) {
        const earlier = writers.get(changed);
        writers.set(changed, rewrite);
        if (earlier === undefined || sameAt(earlier.value, rewrite.value, changed)) continue;
        const detail = { field: name, key: changed, earlier: earlier.step.owner };
        engine.report("conflict", rewrite.step.owner, row.event, detail);
      }
      composed = withKeys(composed, rewrite.value, keys);
    }
    const authors = rewrites.filter(({ value }) => same(value, composed)).map(({ step }) => step);
    const ownerOf = (changed: string | undefined) => writers.get(changed)?.step.owner ?? "";
    this.thread(index, name, composed, { authors, ownerOf });
  }

  private foldFirst(step: Step, index: number, given: Given): void {
    const { row } = this.line;
    for (const [name, value] of given) {
      const field = row.fields[name];
      if (field?.threads === undefined) continue;
      const folded = this.answer !== undefined && Object.hasOwn(this.answer, name);
      const merged: unknown = folded ? field.merge(this.answer?.[name], value) : value;
      this.thread(index, name, merged, { authors: [step], ownerOf: () => step.owner });
    }
    this.remember(step, given);
    this.merge(given.filter(([name]) => row.fields[name]?.threads === undefined));
  }

  /** Replaces what later handlers see, and makes void what was said about the former value. */
  private thread(
    index: number,
    name: string,
    value: unknown,
    by: { readonly authors: readonly Step[]; readonly ownerOf: (key: string | undefined) => string },
  ): void {
    const { row, engine } = this.line;
    const key = row.fields[name]?.threads;
    if (key === undefined) return;
    const changed = changedKeys((this.payload as Data)[key], value);
    if (changed.length === 0) return;
    this.writers ??= new Map();
    for (const at of changed) {
      const place = `${name}\n${at ?? ""}`;
      const earlier = this.writers.get(place);
      const owner = by.ownerOf(at);
      this.writers.set(place, owner);
      if (earlier !== undefined) engine.report("overridden", owner, row.event, { field: name, key: at, earlier });
    }
    this.answer ??= {};
    if (name === row.settles) {
      this.changer = index;
      this.authors = by.authors;
      goStale(this.answer, row);
    }
    this.answer[name] = value;
    this.payload = freeze(replaced(this.payload, key, value));
  }

  private foldAgain(step: Step, given: Given): void {
    const { row, engine } = this.line;
    const before = this.firsts?.get(step) ?? [];
    const news = given.filter(([name, value]) => {
      const field = row.fields[name];
      if (field?.threads !== undefined) {
        const refused = !same((this.payload as Data)[field.threads], value);
        if (refused) engine.report("rewrite-refused", step.owner, row.event, { field: name, value });
        return false;
      }
      const said = before.some(([earlier, was]) => earlier === name && same(was, value));
      return field?.stale !== undefined || !said;
    });
    this.merge(news);
  }

  private remember(step: Step, given: Given): void {
    if (this.line.row.settles === undefined) return;
    this.firsts ??= new Map();
    this.firsts.set(step, given);
  }

  merge(given: Given): void {
    if (given.length === 0) return;
    const { row } = this.line;
    this.answer ??= {};
    for (const [name, value] of given) {
      const field = row.fields[name];
      if (field !== undefined) mergeField(this.answer, name, field, value);
    }
    if (isOver(this.answer, given, row)) this.over = true;
  }
}

const itself = (pair: Given[number]): Given => [pair];

function sameAt(one: unknown, other: unknown, key: string | undefined): boolean {
  if (key === undefined) return same(one, other);
  const [left, right] = [one as Data, other as Data];
  return Object.hasOwn(left, key) === Object.hasOwn(right, key) && same(left[key], right[key]);
}
