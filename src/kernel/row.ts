import type { Ask, Field, Tell, Wrap } from "./event.ts";

// biome-ignore lint/suspicious/noExplicitAny: the constraint of a heterogeneous table
export type Table = Readonly<Record<string, Tell<any, any> | Ask<any, any, any> | Wrap<any, any, any>>>;
// biome-ignore lint/suspicious/noExplicitAny: fields of all kinds stand side by side
export type AnyField = Field<any, string>;

/** What the engine reads of a row; it knows no event by name. */
export interface EngineRow {
  readonly event: string;
  readonly strategy: "tell" | "ask" | "wrap";
  readonly method: string | undefined;
  readonly fields: Readonly<Record<string, AnyField>>;
  readonly settles: string | undefined;
  /** Payload keys of which each handler gets a working copy, with the field that each threads. */
  readonly drafts: readonly { readonly key: string; readonly field: string }[] | undefined;
  readonly closed: object | "never" | undefined;
  readonly queued: boolean;
  /** A wrap whose `next` may be called again. */
  readonly many: boolean;
}

export function engineRows(table: Table): ReadonlyMap<string, EngineRow> {
  return new Map(Object.entries(table).map(([event, row]) => [event, engineRow(event, row)]));
}

function engineRow(event: string, { strategy, row, ...verb }: Table[string]): EngineRow {
  const fields: Record<string, AnyField> = Object.assign(Object.create(null), "answer" in verb ? verb.answer : {});
  const drafts = Object.entries(fields).flatMap(([field, { threads }]) =>
    threads !== undefined ? [{ key: threads, field }] : [],
  );
  return {
    event,
    strategy,
    method: row.method,
    fields,
    settles: "settles" in row ? row.settles : undefined,
    drafts: "draft" in row && row.draft === true ? drafts : undefined,
    closed: row.closed,
    queued: "queued" in row && row.queued === true,
    many: "next" in row && row.next === "many",
  };
}
