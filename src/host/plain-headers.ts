/*
 * The first `Headers`, `Response` or `fetch` of a process loads Node's whole web client, which takes longer than all of
 * our own start. These do as much of the same as one exchange with a server needs.
 */

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function checkedName(name: string): string {
  if (!token.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a header`);
  return name.toLowerCase();
}

function checkedValue(name: string, value: unknown): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  if (/[\0\r\n]|[^\0-\xff]/.test(text))
    throw new TypeError(`the value of the header ${name} holds a character that no header can hold`);
  return text;
}

type Pairs = Iterable<readonly [string, string]>;

/** `Headers` without their guard, and without cookies, of which no model server knows. */
export class PlainHeaders {
  private readonly values = new Map<string, string>();

  constructor(init?: Pairs | Readonly<Record<string, unknown>> | null) {
    const pairs = init == null ? [] : Symbol.iterator in init ? (init as Pairs) : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value as string);
  }

  /** True for those of the system too. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && "append" in value && "forEach" in value && "get" in value;
  }

  append(name: string, value: string): void {
    const key = checkedName(name);
    const before = this.values.get(key);
    this.values.set(key, before === undefined ? checkedValue(key, value) : `${before}, ${checkedValue(key, value)}`);
  }

  delete(name: string): void {
    this.values.delete(checkedName(name));
  }

  get(name: string): string | null {
    return this.values.get(checkedName(name)) ?? null;
  }

  has(name: string): boolean {
    return this.values.has(checkedName(name));
  }

  set(name: string, value: string): void {
    const key = checkedName(name);
    this.values.set(key, checkedValue(key, value));
  }

  forEach(call: (value: string, name: string, headers: this) => void, self?: unknown): void {
    for (const [name, value] of this) call.call(self, value, name, this);
  }

  *entries(): IterableIterator<[string, string]> {
    yield* [...this.values].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this) yield name;
  }

  *[Symbol.iterator](): IterableIterator<[string, string]> {
    yield* this.entries();
  }
}
