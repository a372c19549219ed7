import type { HandlerRecord, Ports } from "./kernel.ts";
import type { EventName } from "./lifecycle.ts";
import type { Part, Step } from "./part.ts";
import type { EngineRow, Table } from "./row.ts";
import { engineRows } from "./row.ts";
import { type Waiter, Waits } from "./wait.ts";

type ReportKind = Parameters<Ports["report"]>[0];

/** What all layers and firings of one kernel share. */
export interface Engine {
  readonly blueprint: readonly string[];
  readonly rows: ReadonlyMap<string, EngineRow>;
  readonly waits: Waits;
  /** Firings that are over, to be used again. */
  readonly firings: Waiter[];
  readonly report: (kind: ReportKind, owner: string, event: string, detail: unknown) => void;
  readonly probe: Ports["probe"];
  readonly record: (record: Omit<HandlerRecord, "event"> & { readonly event: string }) => void;
  /** Rises with every part that comes or goes, anywhere. */
  revision: number;
}

/** One row of one plan: the array that a firing walks to its end. */
export interface Line {
  readonly engine: Engine;
  readonly row: EngineRow;
  readonly steps: readonly Step[];
  /** The parts that have a step here, each once. */
  readonly parts: readonly Part[];
}

// biome-ignore lint/suspicious/noExplicitAny: the fires of all rows stand side by side
export type AnyFire = (...given: any[]) => any;

export function engine(table: Table, blueprint: readonly string[], ports: Ports): Engine {
  return {
    blueprint: [...blueprint],
    rows: engineRows(table),
    waits: new Waits((ms, tick) => ports.every(ms, tick)),
    firings: [],
    report: (kind, owner, event, detail) => ports.report(kind, owner, event as EventName, detail),
    probe: ports.probe,
    record: (record) => ports.probe?.handler?.(record as HandlerRecord),
    revision: 0,
  };
}

/** Marks the parts of a line as in flight, so that their undo waits. */
export function enter({ parts }: Line): void {
  for (let at = 0; at < parts.length; at++) (parts[at] as Part).pending++;
}

export function leave({ parts }: Line): void {
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Part;
    if (--part.pending === 0 && part.drained !== undefined) part.drained();
  }
}
