import fc from "fast-check";
import { expect, test } from "vitest";
import { textColumns } from "#host";
import type { Span, SpanKind } from "./span.ts";
import { timeline } from "./view.ts";

const base = Date.UTC(2026, 0, 2, 3, 4, 5);

function span(
  id: string,
  label: `${SpanKind} ${string}`,
  [from, to]: [number, number],
  more: Partial<Span> = {},
): Span {
  const kind = label.slice(0, label.indexOf(" ")) as SpanKind;
  const name = label.slice(label.indexOf(" ") + 1);
  const common = { id, parentId: "1", sessionId: "s", turnId: "t1", status: "ok", attributes: {} } as const;
  return { ...common, kind, name, startedAt: base + from, endedAt: base + to, ...more };
}

const turn: readonly Span[] = [
  span("1", "turn turn", [0, 4000], { parentId: undefined, attributes: { outcome: "completed" } }),
  span("2", "model gpt-x", [0, 2000], {
    attributes: { inputTokens: 12_300, outputTokens: 45, cacheReadTokens: 12_000, costUsd: 0.0123 },
  }),
  span("3", "tool terminal", [2000, 3000]),
  span("4", "event pre_tool_call", [2000, 2010], { parentId: "3" }),
  span("5", "handler rm-guard", [2000, 2008], { parentId: "4", status: "blocked" }),
  span("6", "tool read_file", [2500, 3500]),
  span("7", "event stop", [3500, 3500.1]),
  span("8", "event on_session_end", [3500.2, 3500.3]),
];

test("a turn is drawn as a tree with bars on one axis, verdicts and sums", () => {
  expect(timeline(turn, { width: 80, color: false })).toEqual([
    "2026-01-02 03:04:05 UTC · completed · turn t1",
    "model 2.00 s (1 call) · tool 1.50 s (2 calls) · 1 handler 8.0 ms",
    "12.3k tokens in (12.0k cached), 45 out · $0.0123",
    "",
    "turn                              ███████████████████████    4.00 s",
    "├ model gpt-x                     ███████████▌               2.00 s 12.3k→45",
    "├ tool terminal                              ██████▎         1.00 s",
    "│ └ event pre_tool_call                      ▏                10 ms",
    "│   └ handler rm-guard                       ▏               8.0 ms blocked",
    "├ tool read_file                                ██████▏      1.00 s",
    "└ 2 quick events                                             200 µs",
  ]);
});

test("with `all` nothing is summed up", () => {
  const lines = timeline(turn, { width: 80, color: false, all: true });
  expect(lines.at(-1)).toContain("└ event on_session_end");
  expect(lines).toHaveLength(12);
});

test("without colour there is no control sequence; with colour the text is the same", () => {
  const plain = timeline(turn, { width: 100, color: false });
  const painted = timeline(turn, { width: 100, color: true });
  expect(plain.join("")).not.toMatch(/\p{Cc}/u);
  expect(painted.join("")).toContain("\u001b[31m");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
  expect(painted.map((line) => line.replaceAll(/\u001b\[\d+m/g, "").trimEnd())).toEqual(plain);
});

test("turns come one below the other", () => {
  const second = turn.map((each) => ({
    ...each,
    id: `b${each.id}`,
    parentId: each.parentId && `b${each.parentId}`,
    turnId: "t2",
  }));
  const lines = timeline([...turn, ...second], { width: 80, color: false });
  expect(lines.filter((line) => line.includes(" · turn t"))).toHaveLength(2);
});

test("no line is wider than the terminal, whatever the spans are", () => {
  const anySpan = fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    parentId: fc.option(fc.string({ minLength: 1, maxLength: 3 }), { nil: undefined }),
    sessionId: fc.constant("s"),
    turnId: fc.constantFrom("t", "u"),
    kind: fc.constantFrom<SpanKind[]>(
      "turn",
      "model",
      "tool",
      "event",
      "handler",
      "approval",
      "compaction",
      "delegate",
    ),
    name: fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.constantFrom("读取文件并且运行很长的命令名称", "👩‍👩‍👧‍👦🎉", "\u001b[31mred\n"),
    ),
    startedAt: fc.double({ min: 0, max: 1e12, noNaN: true }),
    endedAt: fc.double({ min: 0, max: 1e12, noNaN: true }),
    status: fc.constantFrom("ok", "error", "blocked", "cancelled"),
    attributes: fc.constantFrom(
      {},
      { verdict: "拒绝执行这个命令因为它很危险而且太长" },
      { inputTokens: 5_000_000, outputTokens: 1 },
    ),
  });
  fc.assert(
    fc.property(fc.array(anySpan, { maxLength: 12 }), fc.integer({ min: 0, max: 200 }), (spans, width) => {
      for (const line of timeline(spans, { width, color: false })) {
        expect(textColumns(line)).toBeLessThanOrEqual(Math.max(60, width));
        expect(line).not.toMatch(/\p{Cc}/u);
      }
    }),
    { numRuns: 300 },
  );
});
