import { KernelError } from "./failure.ts";
import type { EngineRow } from "./row.ts";
import { limitTicks } from "./ticks.ts";

export type Run = (...given: unknown[]) => unknown;
export type Consider = (payload: object, context: unknown) => string | undefined;

/** One handler as it stands in the arrays of all plans that have it. */
export interface Step {
  readonly owner: string;
  readonly part: Part;
  /** Undefined: a method of a middleware, whose throw stops the pass. */
  readonly entry: object | undefined;
  readonly rank: readonly [number, number];
  readonly limit: number;
  readonly blocks: boolean;
  readonly shadow: boolean;
  readonly rejudge: boolean;
  readonly call: boolean;
  /** The rules of a parallel group. */
  readonly members: readonly Step[] | undefined;
  /** Nothing but `consider` and `run`. */
  readonly plain: boolean;
  consider: Consider | undefined;
  run: Run;
  /** True while its synchronous part runs: whatever fires now is fired on its behalf. */
  active: boolean;
  /** The end of its queue, where nobody awaits the row. */
  tail: PromiseLike<void> | undefined;
}

/** A middleware or hook group that was added to a layer. */
export interface Part {
  readonly source: object;
  readonly name: string;
  /** Its slot's place in the blueprint. */
  readonly place: number;
  readonly slot: string;
  readonly rank: readonly [number, number];
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** Firings in flight over arrays that hold a step of it. */
  pending: number;
  /** Set while its undo waits. */
  drained: (() => void) | undefined;
}

interface Source {
  readonly slot: string;
  readonly name?: string;
  readonly entries?: readonly LooseEntry[];
  readonly parallel?: boolean;
  readonly on?: Readonly<Record<string, Run | undefined>>;
}
interface LooseEntry {
  readonly event: string;
  readonly owner: string;
  readonly rank: readonly [number, number];
  readonly consider: Consider;
  readonly run: Run;
  readonly limitMs: number;
  readonly onFailure: "continue" | "block";
  readonly mode: "enforce" | "shadow";
  readonly rejudge: boolean;
  readonly call?: boolean;
}
type MutablePart = { -readonly [K in keyof Part]: Part[K] };

const first = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as const;

/** Compiles a middleware or group, once for all plans. Throws a KernelError for a slot or event that nobody knows. */
export function compilePart(given: object, blueprint: readonly string[], rows: ReadonlyMap<string, EngineRow>): Part {
  const source = given as Source;
  const place = blueprint.indexOf(source.slot);
  const name = source.name ?? source.slot;
  if (place < 0) throw new KernelError("unknown-slot", name, `${name}: the blueprint has no slot "${source.slot}".`);
  const steps = new Map<string, Step[]>();
  const part: MutablePart = {
    source: given,
    name,
    place,
    slot: source.slot,
    rank: first,
    steps,
    pending: 0,
    drained: undefined,
  };
  if (source.entries !== undefined) addEntries(part, steps, source, rows);
  else addMethods(part, steps, source, rows);
  return part;
}

function known(event: string, owner: string, rows: ReadonlyMap<string, EngineRow>): EngineRow {
  const row = rows.get(event);
  if (row === undefined) throw new KernelError("unknown-event", owner, `${owner}: there is no event "${event}".`);
  return row;
}

function addMethods(
  part: Part,
  steps: Map<string, Step[]>,
  source: Source,
  rows: ReadonlyMap<string, EngineRow>,
): void {
  const methods = source as unknown as Readonly<Record<string, unknown>>;
  const push = (event: string, run: unknown) => {
    if (typeof run !== "function") return;
    steps.set(event, [...(steps.get(event) ?? []), methodStep(part, run as Run)]);
  };
  for (const row of rows.values()) if (row.method !== undefined) push(row.event, methods[row.method]);
  for (const [event, run] of Object.entries(source.on ?? {})) push(known(event, part.name, rows).event, run);
}

function addEntries(
  part: MutablePart,
  steps: Map<string, Step[]>,
  source: Source,
  rows: ReadonlyMap<string, EngineRow>,
): void {
  const entries = [...(source.entries ?? [])].sort((one, other) => byRank(one.rank, other.rank));
  if (entries[0] !== undefined) part.rank = entries[0].rank;
  for (const entry of entries) {
    known(entry.event, entry.owner, rows);
    steps.set(entry.event, [...(steps.get(entry.event) ?? []), entryStep(part, entry)]);
  }
  if (source.parallel !== true) return;
  for (const [event, members] of steps) {
    const together = members.length > 1 && rows.get(event)?.strategy !== "wrap";
    if (together) steps.set(event, [groupStep(part, members)]);
  }
}

export const byRank = (one: readonly [number, number], other: readonly [number, number]): number =>
  compare(one[0], other[0]) || compare(one[1], other[1]);

const compare = (one: number, other: number): number => (one < other ? -1 : one > other ? 1 : 0);

function methodStep(part: Part, run: Run): Step {
  return {
    owner: part.name,
    part,
    entry: undefined,
    rank: first,
    limit: 0,
    blocks: false,
    shadow: false,
    rejudge: true,
    call: false,
    members: undefined,
    plain: true,
    consider: undefined,
    run,
    active: false,
    tail: undefined,
  };
}

function entryStep(part: Part, entry: LooseEntry): Step {
  const shadow = entry.mode === "shadow";
  const call = entry.call === true;
  return {
    owner: entry.owner,
    part,
    entry,
    rank: entry.rank,
    limit: limitTicks(entry.limitMs),
    blocks: entry.onFailure === "block",
    shadow,
    rejudge: entry.rejudge,
    call,
    members: undefined,
    plain: !shadow && !call,
    consider: entry.consider,
    run: entry.run,
    active: false,
    tail: undefined,
  };
}

function groupStep(part: Part, members: readonly Step[]): Step {
  return { ...methodStep(part, nothing), rank: members[0]?.rank ?? first, members, plain: false };
}

const nothing: Run = () => undefined;

/** Makes a part's handlers silent in every plan that somebody may still hold. */
export function silence(part: Part): void {
  for (const steps of part.steps.values()) {
    for (const step of steps) for (const one of [step, ...(step.members ?? [])]) one.consider = () => "taken out";
  }
}
