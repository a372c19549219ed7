import { isRecord } from "../data.ts";

/** The arguments of a call, of our own tool or as the other dialect sees them. */
export type Args = Readonly<Record<string, unknown>>;

/** What a translation may need to know besides the arguments. */
export interface Place {
  /** Absolute; relative paths are seen from here. */
  readonly cwd?: string;
  /** What a leading `~` stands for. */
  readonly home?: string;
}

/**
 * Two ways to see one thing. Laws, held by property tests: `get(put(own, seen))` is `seen`, and
 * `put(own, get(own))` is `own`. See docs/reference/dialects.md.
 */
export interface Lens<Own, Seen> {
  readonly get: (own: Own, place?: Place) => Seen;
  readonly put: (own: Own, seen: Seen, place?: Place) => Own;
}

/** How one value looks from the other side. */
export type ValueLens = Lens<unknown, unknown>;

/** Equal as JSON: order of keys does not count. */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
  );
}

/** What the other side left as it saw it stays as it was here: no rounding, no resolving and no order is left behind. */
export const keeping = <Own, Seen>(get: Lens<Own, Seen>["get"], put: Lens<Own, Seen>["put"]): Lens<Own, Seen> => ({
  get,
  put: (own, seen, place) => (same(get(own, place), seen) ? own : put(own, seen, place)),
});

/** Seconds of ours, milliseconds of theirs; anything but a finite number passes as it is. */
export const milliseconds: ValueLens = keeping<unknown, unknown>(
  (own) => (isFiniteNumber(own) ? Number((own * 1000).toPrecision(15)) : own),
  (_own, seen) => (isFiniteNumber(seen) ? seen / 1000 : seen),
);

const isFiniteNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Paths of ours may be relative, theirs are absolute. */
export const absolute: ValueLens = keeping<unknown, unknown>(
  (own, place) => (typeof own === "string" ? absolutePath(own, place) : own),
  (_own, seen) => seen,
);

/** Words of ours against words of theirs; other words pass as they are. */
export function words(table: Readonly<Record<string, string>>): ValueLens {
  const back = Object.fromEntries(Object.entries(table).map(([own, seen]) => [seen, own]));
  const look = (map: Readonly<Record<string, string>>) => (value: unknown) =>
    typeof value === "string" && Object.hasOwn(map, value) ? map[value] : value;
  return { get: look(table), put: (_own, seen) => look(back)(seen) };
}

const isAbsolute = (path: string): boolean =>
  path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);

function absolutePath(path: string, place: Place | undefined): string {
  if (isAbsolute(path)) return path;
  if (place?.home !== undefined && (path === "~" || path.startsWith("~/"))) return place.home + path.slice(1);
  if (place?.cwd === undefined || path.startsWith("~")) return path;
  const separator = place.cwd.includes("\\") ? "\\" : "/";
  const parts = place.cwd.split(separator);
  for (const part of path.split(separator === "\\" ? /[\\/]/ : "/")) {
    if (part === "..") parts.splice(Math.max(1, parts.length - 1), 1);
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join(separator);
}

/** One key of ours under the name, and in the form, that the other side knows. */
export interface Renamed {
  readonly to: string;
  readonly value?: ValueLens;
}

/**
 * Arguments key by key. `hidden` keys of ours are never seen and survive every rewrite; renamed keys vanish when
 * the other side leaves them out; all other keys pass under their own name. Keys that the other side adds under a
 * name that is taken here (a hidden one, or ours of a renamed one) are dropped.
 */
export function record(renamed: Readonly<Record<string, Renamed>>, hidden: readonly string[] = []): Lens<Args, Args> {
  const forth = new Map(Object.entries(renamed));
  const back = new Map(Object.entries(renamed).map(([own, { to, value }]) => [to, { own, value }]));
  const unseen = (key: string) => hidden.includes(key) || (back.has(key) && !forth.has(key));
  const taken = (key: string) => hidden.includes(key) || (forth.has(key) && !back.has(key));
  const show = (key: string, given: unknown, place?: Place): readonly [string, unknown] => {
    const rename = forth.get(key);
    return rename ? [rename.to, rename.value ? rename.value.get(given, place) : given] : [key, given];
  };
  return keeping(
    (own, place) =>
      Object.fromEntries(Object.entries(own).flatMap(([key, given]) => (unseen(key) ? [] : [show(key, given, place)]))),
    (own, seen, place) => {
      const kept = Object.entries(own).filter(([key]) => unseen(key));
      const changed = Object.entries(seen).flatMap(([key, given]) => {
        const rename = back.get(key);
        if (!rename) return taken(key) ? [] : [[key, given] as const];
        const before = Object.hasOwn(own, rename.own) ? own[rename.own] : undefined;
        return [[rename.own, rename.value ? rename.value.put(before, given, place) : given] as const];
      });
      return Object.fromEntries([...kept, ...changed]);
    },
  );
}

/** The arguments without these keys. */
export const without = (args: Args, keys: readonly string[]): Args =>
  Object.fromEntries(Object.entries(args).filter(([key]) => !keys.includes(key)));
