import { engine } from "../src/kernel/engine.ts";
import { ask, tell, wrap, type Z } from "../src/kernel/event.ts";
import { claimed, halted, joined, strongest, threaded } from "../src/kernel/field.ts";
import type { Ports } from "../src/kernel/kernel.ts";
import { PlanLayer } from "../src/kernel/layer.ts";

const base = { about: "x", since: "0", scope: "call", views: [] } as const;
type Args = Record<string, unknown>;
const record = (z: Z) => z.record(z.string(), z.unknown());
const call = (z: Z) => z.object({ name: z.string(), args: record(z) });
const example = { name: "shell", args: { command: "ls" } };

/** One row of each kind, so that the engine is tested apart from the product's table. */
export const smallTable = {
  told: tell((z: Z) => z.object({ n: z.number() }), { ...base, method: "onTold", example: { n: 1 } }),
  queue: tell((z: Z) => z.object({ n: z.number() }), { ...base, queued: true, example: { n: 1 } }),
  judge: ask(call, {
    ...base,
    method: "beforeJudge",
    answer: { verdict: strongest, args: threaded<Args>()("args"), reminder: joined, halt: halted },
    settles: "args",
    closed: { verdict: { decision: "deny", reason: "failed before it decided" } },
    example,
  }),
  request: ask(call, {
    ...base,
    method: "onRequest",
    answer: { args: threaded<Args>()("args") },
    draft: true,
    example,
  }),
  transform: ask((z: Z) => z.object({ text: z.string() }), {
    ...base,
    answer: { text: claimed<string>((given) => typeof given === "string") },
    closed: "never",
    example: { text: "t" },
  }),
  act: wrap(call, { ...base, method: "aroundAct", result: (z: Z) => z.unknown(), next: "once", example }),
  model: wrap(call, { ...base, method: "aroundModel", result: (z: Z) => z.unknown(), next: "many", example }),
} as const;

// biome-ignore lint/suspicious/noExplicitAny: tests hand the engine what a typed caller cannot
type Any = any;
export interface LooseEntry {
  readonly event?: string;
  readonly owner?: string;
  readonly rank?: readonly [number, number];
  readonly consider?: (payload: Any, context: Any) => string | undefined;
  readonly run: (...given: Any[]) => Any;
  readonly limitMs?: number;
  readonly onFailure?: "continue" | "block";
  readonly mode?: "enforce" | "shadow";
  readonly rejudge?: boolean;
  readonly call?: boolean;
}
export interface LoosePlan {
  readonly on: Record<string, ((...given: Any[]) => Any) | undefined>;
  readonly chain: readonly object[];
  explain(event: string, payload: object, context?: unknown): readonly { owner: string; skipped?: string }[];
}
export interface LooseLayer {
  readonly plan: LoosePlan;
  add(part: object): () => Promise<void>;
  child(options?: { readonly without?: readonly string[] }): LooseLayer;
}
export interface Reported {
  readonly kind: string;
  readonly owner: string;
  readonly event: string;
  readonly detail: Any;
}

/** A kernel over the small table, with a timer that the test turns by hand. */
export function smallKernel(ports: Partial<Ports> = {}): {
  readonly root: LooseLayer;
  readonly reports: Reported[];
  /** Lets time pass, 50 ms a tick. */
  readonly pass: (ms: number) => Promise<void>;
  readonly timers: () => number;
} {
  const reports: Reported[] = [];
  const ticks = new Set<() => void>();
  const every = (_ms: number, tick: () => void) => {
    ticks.add(tick);
    return () => void ticks.delete(tick);
  };
  const report = (kind: string, owner: string, event: string, detail: unknown) =>
    void reports.push({ kind, owner, event, detail });
  const made = engine(smallTable, ["first", "second", "hook", "gate", "last"], { every, report, ...ports } as Ports);
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 50) {
      for (const tick of [...ticks]) tick();
      await settle();
    }
  };
  return { root: new PlanLayer(made) as unknown as LooseLayer, reports, pass, timers: () => ticks.size };
}

/** Lets everything that is ready run. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export function entries(
  list: readonly LooseEntry[],
  group: { readonly name?: string; readonly parallel?: boolean; readonly event?: string } = {},
): object {
  const { name = "group", parallel = false, event = "judge" } = group;
  return {
    slot: "hook",
    name,
    parallel,
    entries: list.map((entry, sequence) => ({
      event,
      owner: `h${sequence}`,
      rank: [0, sequence],
      consider: () => undefined,
      limitMs: 60_000,
      onFailure: "continue",
      mode: "enforce",
      rejudge: true,
      ...entry,
    })),
  };
}
