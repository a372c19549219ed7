/** Plain data: objects and arrays as JSON has them. Anything else (class instances, functions, buffers) is one indivisible value. */
export type Data = Record<string, unknown>;

/** Deeper than this, data is shared instead of copied and compared by identity. */
const depthLimit = 200;

/** A third of the cost of `isFrozen`, which looks at every key. */
export const isOpen = Object.isExtensible;

export function isPlain(value: unknown): value is Data {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}

/** A JSON object, as tool arguments and request bodies are. */
export const isRecord = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null && !Array.isArray(given);

function freezeValue(value: unknown): void {
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (!isPlain(next) || !isOpen(next)) continue;
    Object.freeze(next);
    for (const key in next) {
      const inner = next[key];
      if (typeof inner === "object" && inner !== null && isOpen(inner)) rest.push(inner);
    }
  }
}

/**
 * Freezes plain data all the way down. What cannot be extended is taken as frozen throughout; accessors of
 * the outermost object are left unread, so that a costly field may be a getter.
 */
export function freeze<T>(value: T): T {
  if (!isOpen(value) || !isPlain(value)) return value;
  Object.freeze(value);
  for (const key in value) {
    const inner: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
    if (typeof inner === "object" && inner !== null && isOpen(inner)) freezeValue(inner);
  }
  return value;
}

/** A working copy: plain data is copied, everything else is shared. */
export function copy<T>(value: T, depth = 0): T {
  if (!isPlain(value) || depth > depthLimit) return value;
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1)) as T;
  const made: Data = {};
  for (const key of Object.keys(value)) define(made, key, copy(value[key], depth + 1));
  return made as T;
}

/** Equal as data. */
export function same(left: unknown, right: unknown, depth = 0): boolean {
  if (Object.is(left, right)) return true;
  if (depth > depthLimit || !isPlain(left) || !isPlain(right) || Array.isArray(left) !== Array.isArray(right))
    return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && same(left[key], right[key], depth + 1))
  );
}

/** The keys in which two values differ; `undefined` where they differ and cannot be told apart by keys. */
export function changedKeys(before: unknown, after: unknown): readonly (string | undefined)[] {
  if (!isPlain(before) || !isPlain(after) || Array.isArray(before) || Array.isArray(after)) {
    return same(before, after) ? [] : [undefined];
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter(
    (key) => Object.hasOwn(before, key) !== Object.hasOwn(after, key) || !same(before[key], after[key]),
  );
}

/** `target` with the given keys as `source` has them; a key that `source` lacks is taken out. */
export function withKeys(target: unknown, source: unknown, keys: readonly (string | undefined)[]): unknown {
  if (!isPlain(target) || !isPlain(source) || keys.includes(undefined)) return source;
  const made: Data = {};
  const wanted = new Set<string | undefined>(keys);
  for (const key of Object.keys(target)) {
    if (!wanted.has(key)) define(made, key, target[key]);
    else if (Object.hasOwn(source, key)) define(made, key, source[key]);
  }
  for (const key of keys) {
    if (key !== undefined && Object.hasOwn(source, key) && !Object.hasOwn(made, key)) define(made, key, source[key]);
  }
  return made;
}

/** The payload with one key replaced; getters stay getters. */
export function replaced(payload: object, key: string, value: unknown): object {
  const made = Object.create(Object.getPrototypeOf(payload), {
    ...Object.getOwnPropertyDescriptors(payload),
    [key]: { value, enumerable: true, writable: true, configurable: true },
  }) as object;
  return made;
}

/** Sets an own key, also one named `__proto__`. */
function define(target: Data, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
