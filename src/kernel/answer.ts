import { type Data, isPlain, same } from "./data.ts";
import type { Verdict } from "./event.ts";
import { KernelError } from "./failure.ts";
import type { AnyField, EngineRow } from "./row.ts";

/** An answer as a handler gave it: the fields of its row that it filled. */
export type Given = readonly Pair[];
type Pair = readonly [name: string, value: unknown];
/** What all handlers of one firing have answered so far. */
export type Folded = Record<string, unknown>;

const none: Given = [];

/**
 * Reads a handler's answer, each field once. Whatever is no record, and keys that the row does not know, are
 * no opinion; a known field of the wrong type throws. What was changed in place in a draft is an answer too.
 */
export function readAnswer(row: EngineRow, answer: unknown, owner: string, draft?: Draft): Given {
  const given: Pair[] = [];
  if (typeof answer === "object" && answer !== null) {
    for (const name in answer) {
      if (row.fields[name] === undefined) continue;
      const value = (answer as Data)[name];
      if (value !== undefined) given.push([name, accepted(row, name, value, owner)]);
    }
  }
  if (draft !== undefined) readDraft(row, draft, owner, given);
  return given.length === 0 ? none : given;
}

function readDraft(row: EngineRow, draft: Draft, owner: string, given: Pair[]): void {
  for (const { key, field } of row.drafts ?? []) {
    if (given.some(([name]) => name === field)) continue;
    const value = (draft.handed as Data)[key];
    if (!same(value, (draft.base as Data)[key])) given.push([field, accepted(row, field, value, owner)]);
  }
}

/** What a handler of a request row was handed, and what it was copied from. */
export interface Draft {
  readonly handed: object;
  readonly base: object;
}

function accepted(row: EngineRow, name: string, value: unknown, owner: string): unknown {
  const field = row.fields[name];
  if (field?.accepts?.(value) === false) {
    throw new KernelError("nonsense", owner, `${owner} answered ${row.event} with a "${name}" of the wrong type.`);
  }
  return field?.signed === undefined ? value : field.signed(value, owner);
}

export function mergeField(folded: Folded, name: string, field: AnyField, value: unknown): void {
  folded[name] = Object.hasOwn(folded, name) ? field.merge(folded[name], value) : value;
}

/** Leaves of an answer what stays true after the settled field changed. */
export function goStale(folded: Folded, row: EngineRow): void {
  for (const name of Object.keys(folded)) {
    const field = row.fields[name];
    if (field?.stale === undefined) continue;
    const left: unknown = field.stale(folded[name]);
    if (left === undefined) delete folded[name];
    else folded[name] = left;
  }
}

/** True when one of the fields just given ends the event. */
export function isOver(folded: Folded, given: Given, row: EngineRow): boolean {
  for (const [name] of given) {
    if (Object.hasOwn(folded, name) && row.fields[name]?.ends?.(folded[name]) === true) return true;
  }
  return false;
}

/** A failed handler's answer where the row can close, with what failed in the reason; undefined where it cannot. */
export function closedAnswer(row: EngineRow, error: unknown): object | undefined {
  if (!isPlain(row.closed)) return undefined;
  const { verdict } = row.closed as { readonly verdict?: Verdict };
  if (verdict?.reason === undefined || !(error instanceof Error)) return row.closed;
  return { ...row.closed, verdict: { ...verdict, reason: `${verdict.reason}: ${error.message}` } };
}
