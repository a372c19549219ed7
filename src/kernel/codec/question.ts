import type { Dialect, Fields, Row, Schema, View } from "../event.ts";
import { type EventName, lifecycle } from "../lifecycle.ts";
import type { Place } from "../tools/lens.ts";

export type Wire = Readonly<Record<string, unknown>>;

/** A view whose payload type is forgotten; the payload that goes with it is of its row. */
export type AnyView = Omit<View<Wire>, "when" | "adds"> & {
  readonly when?: (payload: never) => boolean;
  readonly adds?: (payload: never, place: Place) => Wire;
};

/** A row whose types are forgotten, for code that walks the table. */
export interface AnyRow {
  readonly strategy: "tell" | "ask" | "wrap";
  readonly payload: Schema;
  readonly method?: string;
  readonly answer?: Fields<string>;
  readonly result?: Schema;
  readonly row: Omit<Row<Schema, string>, "views" | "matchOn" | "example" | "method"> & {
    readonly views: readonly AnyView[];
    readonly matchOn?: string;
    readonly example: Wire;
    readonly queued?: true;
    readonly settles?: string;
    readonly next?: "once" | "many";
  };
}

/** The table by name, for code that walks it. */
export const rows = lifecycle as unknown as Readonly<Record<EventName, AnyRow>>;
export const eventNames = Object.keys(lifecycle) as readonly EventName[];

/** What one handler was asked: the event, under which name, with which payload. */
export interface Question {
  readonly event: EventName;
  readonly view: AnyView;
  readonly payload: object;
  readonly place?: Place;
}

/**
 * What a handler's outcome comes to. `answer` holds fields of the row and may be empty: no opinion. `failed` is for the
 * rule's `onFailure`. Remarks are for `doctor` and the trace: what was said in vain, and where it would have counted.
 */
export type Decoded =
  | { readonly kind: "answer"; readonly answer: Wire; readonly remarks: readonly string[] }
  | { readonly kind: "failed"; readonly reason: string; readonly remarks: readonly string[] };

export const opinion = (answer: Wire, remarks: readonly string[] = []): Decoded => ({
  kind: "answer",
  answer,
  remarks,
});
export const noOpinion = (...remarks: readonly string[]): Decoded => opinion({}, remarks);
export const failure = (reason: string, remarks: readonly string[] = []): Decoded => ({
  kind: "failed",
  reason,
  remarks,
});

/** The answer fields of an event. */
export const fieldsOf = (event: EventName): Fields<string> => rows[event].answer ?? {};

/** Whether a handler under this name may give this field. */
export const allows = ({ event, view }: Pick<Question, "event" | "view">, field: string): boolean =>
  Object.hasOwn(fieldsOf(event), field) && (view.answers === undefined || view.answers.includes(field));

/** The views of an event in one dialect, in the order of the table. */
export const viewsOf = (event: EventName, dialect: Dialect): readonly AnyView[] =>
  rows[event].row.views.filter((view) => view.dialect === dialect);

/** The view under which an event is told now, or undefined when no name of the dialect fits this payload. */
export const viewFor = (event: EventName, dialect: Dialect, payload: object): AnyView | undefined =>
  viewsOf(event, dialect).find((view) => view.when === undefined || view.when(payload as never));

const names = new Map<string, { readonly event: EventName; readonly view: AnyView }>();
for (const event of eventNames)
  for (const view of rows[event].row.views) names.set(`${view.dialect} ${view.name}`, { event, view });

/** The event and view behind a name of a dialect. Families are found by their own name (`command:*`) and by a member's. */
export function named(
  dialect: Dialect,
  name: string,
): { readonly event: EventName; readonly view: AnyView } | undefined {
  const family = `${dialect} ${name.split(":", 1)[0]}:*`;
  return names.get(`${dialect} ${name}`) ?? (name.includes(":") ? names.get(family) : undefined);
}

/** All names of a dialect, in the order of the table. */
export const namesOf = (dialect: Dialect): readonly string[] =>
  [...names.values()].filter(({ view }) => view.dialect === dialect).map(({ view }) => view.name);

export const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const wireNames = new WeakMap<AnyView, Map<string, readonly string[]>>();

/** Under which names a view sends a key; worked out once. */
function namesOfKey(view: AnyView, key: string): readonly string[] {
  const known = wireNames.get(view) ?? new Map<string, readonly string[]>();
  if (known.size === 0) wireNames.set(view, known);
  let names = known.get(key);
  if (names === undefined) {
    const { keys = {} } = view;
    names = [Object.hasOwn(keys, key) ? (keys[key] ?? []) : snakeCase(key)].flat();
    known.set(key, names);
  }
  return names;
}

/** The payload under the names of the view: what it sends, renamed, and what it adds. What is undefined is left out. */
export function project({ view, payload, place }: Question): Record<string, unknown> {
  const given = payload as Wire;
  const wire: Record<string, unknown> = {};
  for (const key of view.sends ?? Object.keys(given)) {
    const value = given[key];
    if (value !== undefined) for (const name of namesOfKey(view, key)) wire[name] = value;
  }
  if (view.adds !== undefined) {
    const added = view.adds(payload as never, place ?? {});
    for (const key in added) if (added[key] !== undefined) wire[key] = added[key];
  }
  return wire;
}
