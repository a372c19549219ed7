type Function = (...given: readonly unknown[]) => unknown;

/** How one side of the channel keeps what cannot go over it, and reaches what the other side keeps. */
export interface WireEnds {
  /** Keeps a function; the id under which the other side calls it. */
  keep(run: Function): string | number;
  /** A function of the other side. */
  reach(id: string | number): Function;
  /** Aborts with the call at hand. */
  signal(): AbortSignal;
}

interface Wire {
  pack(value: unknown, ends: Pick<WireEnds, "keep">): unknown;
  unpack(value: unknown, ends: Pick<WireEnds, "reach" | "signal">): unknown;
}

/** Depth at which a value is taken for one that holds itself. */
const deepest = 64;
const tag = "$talaria";

/**
 * Values as JSON: plain data, bytes, dates, patterns, errors, and functions as numbers. Of an object with a class its methods
 * and values go over, its private parts stay (docs/reference/isolated-plugins.md).
 */
export const wire: Wire = { pack, unpack };

function pack(value: unknown, ends: Pick<WireEnds, "keep">, depth = 0): unknown {
  if (typeof value === "function")
    return tagged("function", ends.keep(value as unknown as Function), { name: value.name });
  if (value === undefined) return tagged("undefined");
  if (typeof value === "bigint") return tagged("bigint", String(value));
  if (typeof value !== "object" || value === null) return value;
  if (depth > deepest) throw new Error("a value that holds itself cannot go to or from an isolated plugin");
  if (Array.isArray(value)) return value.map((one) => pack(one, ends, depth + 1));
  return packedObject(value, ends, depth);
}

function packedObject(value: object, ends: Pick<WireEnds, "keep">, depth: number): unknown {
  if (value instanceof AbortSignal) return tagged("signal");
  if (value instanceof Uint8Array) return tagged("bytes", Buffer.from(value).toString("base64"));
  if (value instanceof RegExp) return tagged("pattern", value.source, { flags: value.flags });
  if (value instanceof Date) return tagged("date", value.toISOString());
  if (value instanceof Error) return tagged("error", value.message, { name: value.name });
  if (value instanceof Map) return tagged("map", pack([...value], ends, depth + 1));
  if (value instanceof Set) return tagged("set", pack([...value], ends, depth + 1));
  const members: [string, unknown][] = [];
  for (const name of membersOf(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined || (typeof member === "function" && left.has(name))) continue;
    const kept = typeof member === "function" ? bound(member as Function, value, name) : member;
    members.push([name, pack(kept, ends, depth + 1)]);
  }
  // Defined, not assigned: `__proto__` is a name like others.
  const packed = Object.fromEntries(members);
  return tag in packed ? tagged("plain", packed) : packed;
}

const tagged = (kind: string, value?: unknown, more: object = {}): object => ({ [tag]: kind, value, ...more });

const bound = (run: Function, owner: object, name: string): Function =>
  Object.defineProperty((...given: readonly unknown[]) => run.apply(owner, [...given]), "name", {
    value: run.name || name,
  });

/** Members that have to answer at once, and are left out since the other side cannot. */
const left: ReadonlySet<string> = new Set(["constructor", "isOpen"]);

/** Names of what an object has, that of its classes included. */
function membersOf(value: object): ReadonlySet<string> {
  const names = new Set(Object.keys(value));
  let from: object | null = Object.getPrototypeOf(value);
  while (from !== null && from !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
    from = Object.getPrototypeOf(from);
  }
  return names;
}

type Tagged = { readonly [tag]: string; readonly value?: unknown; readonly name?: string; readonly flags?: string };

function unpack(value: unknown, ends: Pick<WireEnds, "reach" | "signal">): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => unpack(one, ends));
  if (tag in value) return unpackedTag(value as Tagged, ends);
  return unpackedMembers(value, ends);
}

const unpackedMembers = (value: object, ends: Pick<WireEnds, "reach" | "signal">): object =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unpack(member, ends)]));

function unpackedTag(
  { [tag]: kind, value, name = "", flags }: Tagged,
  ends: Pick<WireEnds, "reach" | "signal">,
): unknown {
  switch (kind) {
    case "function":
      return Object.defineProperty(ends.reach(value as string | number), "name", { value: name });
    case "signal":
      return ends.signal();
    case "bytes":
      return new Uint8Array(Buffer.from(String(value), "base64"));
    case "pattern":
      return new RegExp(String(value), flags);
    case "date":
      return new Date(String(value));
    case "bigint":
      return BigInt(String(value));
    case "error":
      return Object.assign(new Error(String(value)), { name });
    case "map":
      return new Map(unpack(value, ends) as [unknown, unknown][]);
    case "set":
      return new Set(unpack(value, ends) as unknown[]);
    case "plain":
      return unpackedMembers(value as object, ends);
    default:
      return undefined;
  }
}
