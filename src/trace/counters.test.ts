import { expect, test } from "vitest";
import { handlerCounters } from "./counters.ts";
import type { Span } from "./span.ts";

function run(name: string, ms: number, more: Partial<Span> = {}): Span {
  const common = { id: "1", parentId: undefined, sessionId: "s", turnId: "t", kind: "handler", status: "ok" } as const;
  return { ...common, name, startedAt: 0, endedAt: ms, attributes: { event: "stop" }, ...more };
}

test("runs of a handler are counted with their median and 95th percentile", () => {
  const times = Array.from({ length: 100 }, (_, index) => index + 1).toReversed();
  const spans = [
    ...times.map((ms) => run("slow", ms)),
    run("guard", 3, { status: "blocked", attributes: { event: "pre_tool_call" } }),
    run("guard", 1, { status: "error", attributes: { event: "pre_tool_call" } }),
    run("no handler", 9, { kind: "event" }),
  ];
  expect(handlerCounters(spans)).toEqual([
    { handler: "slow", events: ["stop"], count: 100, medianMs: 50, p95Ms: 95, blocked: 0, failed: 0 },
    { handler: "guard", events: ["pre_tool_call"], count: 2, medianMs: 1, p95Ms: 3, blocked: 1, failed: 1 },
  ]);
});
