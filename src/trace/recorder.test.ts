import { expect, test } from "vitest";
import { type RecorderOptions, turnRecorder } from "./recorder.ts";
import type { Span } from "./span.ts";

function setUp(more: Partial<RecorderOptions> = {}) {
  let time = 1000;
  const batches: (readonly Span[])[] = [];
  const recorder = turnRecorder({
    sessionId: "s",
    turnId: "t",
    redact: (text) => text.replaceAll(/sk-\w+/g, "***"),
    sinks: [
      async (spans) => {
        batches.push(spans);
      },
    ],
    now: () => time,
    ...more,
  });
  return {
    recorder,
    batches,
    pass: (ms: number) => {
      time += ms;
    },
  };
}
const names = (spans: readonly Span[]) => spans.map((span) => span.name);

test("a span has its times, status and attributes once it has ended, and later calls change nothing", () => {
  const { recorder, pass } = setUp();
  const span = recorder.start("tool", "terminal", { attributes: { callId: "c1" } });
  pass(250);
  span.set({ exitCode: 1 });
  span.end("error");
  pass(100);
  span.set({ exitCode: 2 });
  span.end("ok");
  expect(recorder.spans()).toMatchObject([
    { kind: "tool", startedAt: 1000, endedAt: 1250, status: "error", attributes: { callId: "c1", exitCode: 1 } },
  ]);
});

test("a span without a named parent hangs below the latest open one that can hold it", () => {
  const { recorder } = setUp();
  const turn = recorder.start("turn", "turn");
  const one = recorder.start("tool", "one");
  const two = recorder.start("tool", "two");
  const event = recorder.start("event", "pre_tool_call");
  const handler = recorder.start("handler", "guard");
  two.end();
  const named = recorder.start("event", "post_tool_call", { parent: one });
  recorder.record("handler", "late", { startedAt: 1, endedAt: 2, parent: named, status: "blocked" });
  const parents = Object.fromEntries(recorder.spans().map((span) => [span.name, span.parentId]));
  expect(parents).toEqual({
    turn: undefined,
    one: turn.id,
    two: turn.id,
    pre_tool_call: two.id,
    guard: event.id,
    post_tool_call: one.id,
    late: named.id,
  });
  expect(handler.id).toMatch(/^[0-9a-f]{16}$/);
});

test("handlers that were recorded before their event hang below it", () => {
  const { recorder } = setUp();
  const turn = recorder.start("turn", "turn");
  const event = { event: "stop" };
  recorder.record("handler", "of another firing", { startedAt: 5, endedAt: 6, attributes: event });
  recorder.record("handler", "a", { startedAt: 10, endedAt: 11, attributes: event });
  recorder.record("handler", "other", { startedAt: 10, endedAt: 11, attributes: { event: "pre_llm_call" } });
  recorder.record("event", "stop", { startedAt: 10, endedAt: 12 });
  const [, before, a, other, stop] = recorder.spans();
  expect([before, a, other, stop].map((span) => span?.parentId)).toEqual([turn.id, stop?.id, turn.id, turn.id]);
});

test("a flush hands on what has ended, each span once", async () => {
  const { recorder, batches } = setUp();
  const turn = recorder.start("turn", "turn");
  recorder.start("model", "m").end();
  await recorder.flush();
  await recorder.flush();
  turn.end();
  await recorder.flush();
  expect(batches.map(names)).toEqual([["m"], ["turn"]]);
});

test("a long turn is handed on in between, by number and by time", async () => {
  const { recorder, batches, pass } = setUp();
  for (let count = 0; count < 300; count++) recorder.start("event", "e").end();
  pass(11_000);
  recorder.start("event", "slow").end();
  await Promise.resolve().then(() => undefined);
  await recorder.flush();
  expect(batches.map((batch) => batch.length)).toEqual([256, 45]);
});

test("texts are redacted before they are cut, and attributes are bounded", () => {
  const { recorder } = setUp();
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]));
  const secret = `${"x".repeat(500)}sk-abcdefghijklmnop`;
  const odd = { function: () => undefined, nan: Number.NaN, list: [1] } as unknown as Record<string, string>;
  recorder.start("tool", "n".repeat(1000), { attributes: { secret, ...odd, ...many } }).end();
  const [span] = recorder.spans();
  expect(Object.keys(span?.attributes ?? {})).toHaveLength(32);
  expect(span?.attributes["secret"]).toBe(`${"x".repeat(500)}***`);
  expect(span?.attributes).not.toHaveProperty("list");
  expect(span?.name).toHaveLength(200);
});

test("neither a failing redaction nor a failing sink reaches the caller", async () => {
  const told: string[] = [];
  const { recorder } = setUp({
    redact: () => {
      throw new Error("bad pattern");
    },
    sinks: [() => Promise.reject(new Error("disk full"))],
    warn: (message) => told.push(message),
  });
  recorder.start("tool", "x", { attributes: { text: "sk-secret" } }).end();
  await recorder.flush();
  expect(recorder.spans()[0]?.attributes["text"]).toBe("[not shown]");
  expect(told).toEqual([expect.stringContaining("disk full")]);
});

test("spans beyond the limit are counted, not kept", () => {
  const { recorder } = setUp();
  const turn = recorder.start("turn", "turn");
  for (let count = 0; count < 10_005; count++) recorder.start("event", "e").end();
  turn.end();
  const spans = recorder.spans();
  expect(spans).toHaveLength(10_000);
  expect(spans[0]?.attributes["droppedSpans"]).toBe(6);
});
