import fc from "fast-check";
import { expect, test } from "vitest";
import { wire } from "./wire.ts";

/** Both ends in one process: what arrives over there. */
function sent(value: unknown): unknown {
  const kept: ((...given: readonly unknown[]) => unknown)[] = [];
  const packed: unknown = JSON.parse(JSON.stringify(wire.pack(value, { keep: (run) => kept.push(run) - 1 })));
  const { signal } = new AbortController();
  return wire.unpack(packed, {
    reach:
      (id) =>
      (...given) =>
        kept[Number(id)]?.(...given),
    signal: () => signal,
  });
}

test("plain data arrives as it was", () => {
  const law = fc.property(fc.jsonValue(), (value) => {
    expect(sent(value)).toEqual(JSON.parse(JSON.stringify(value)));
  });
  fc.assert(law);
});

test.each([
  [new Uint8Array([1, 2, 255])],
  [new Date(12345)],
  [/a+\/b/gi],
  [new Map([["a", new Set([1])]])],
  [12345678901234567890n],
  [undefined],
  [{ $talaria: "function", value: 1 }],
  [JSON.parse('{"__proto__": {"a": 1}}')],
  [[1, undefined, null]],
])("%s arrives as it was", (value) => {
  expect(sent(value)).toEqual(value);
});

test("an object of a class arrives with its methods, which know their object", () => {
  class Counter {
    #count = 0;
    get label(): string {
      return "counter";
    }
    add(by: number): number {
      this.#count += by;
      return this.#count;
    }
  }
  const there = sent(new Counter()) as Counter;
  expect([there.label, there.add(2), there.add(3), there.add.name]).toEqual(["counter", 2, 5, "add"]);
});

test("errors keep their name and message, signals become the one of the call, and what holds itself is refused", () => {
  expect(sent(new TypeError("bad"))).toMatchObject({ name: "TypeError", message: "bad" });
  expect(sent({ signal: AbortSignal.abort() })).toMatchObject({ signal: { aborted: false } });
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => sent(circle)).toThrow("holds itself");
});
