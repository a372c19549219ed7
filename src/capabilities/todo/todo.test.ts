import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Payload } from "#kernel";
import { type TurnFixture, turnFixture } from "../turn-fixture.ts";
import { todoResult, todoStatuses, todosOfResult, writeTodos } from "./list.ts";
import { todo } from "./todo.ts";

const slot = todo();
let turn: TurnFixture;
beforeEach(async () => {
  turn = await turnFixture(() => [slot]);
});
afterEach(() => turn.close());

const item = (id: string, status = "pending", content = `do ${id}`) => ({ id, content, status });

test("the list is written, read and counted", async () => {
  const written = await turn.call("todo", { todos: [item("a", "in_progress"), item("b")] });
  expect(written).toEqual({
    todos: [item("a", "in_progress"), item("b")],
    summary: { total: 2, pending: 1, in_progress: 1, completed: 0, cancelled: 0 },
  });
  expect(await turn.call("todo", {})).toEqual(written);
});

test("merge changes known items in the given fields and appends new ones", async () => {
  await turn.call("todo", { todos: [item("a"), item("b")] });
  const { todos } = await turn.call("todo", { todos: [{ id: "a", status: "completed" }, item("c")], merge: true });
  expect(todos).toEqual([item("a", "completed"), item("b"), item("c")]);
});

test("a list sent as JSON text is taken, anything else is refused", async () => {
  expect((await turn.call("todo", { todos: JSON.stringify([item("a")]) }))["summary"]["total"]).toBe(1);
  expect(await turn.call("todo", { todos: "buy milk" })).toMatchObject({ error: expect.stringContaining("list") });
  expect((await turn.call("todo", {}))["summary"]["total"]).toBe(1);
});

test.each([
  ["no id", [{ content: "x" }, { content: "y" }], [item("1", "pending", "x"), item("2", "pending", "y")]],
  ["an unknown status", [item("a", "later")], [item("a")]],
  ["no content", [{ id: "a" }], [item("a", "pending", "(no description)")]],
  ["one id twice", [item("a"), item("a", "completed")], [item("a", "completed")]],
  ["junk in it", [null, 7, "x", item("a")], [item("a")]],
])("items with %s are put right", (_what, given, expected) => {
  expect(writeTodos([], given, false)).toEqual(expected);
});

test("whatever is written, the list is bounded, its ids are unique and its result reads back", () => {
  const entry = fc.record({
    id: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
    content: fc.string(),
    status: fc.constantFrom(...todoStatuses, "odd"),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 300 }), (given) => {
      const items = writeTodos([], given, false);
      expect(items.length).toBeLessThanOrEqual(256);
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
      expect(todosOfResult(todoResult(items))).toEqual(items);
    }),
    { numRuns: 50 },
  );
});

function prompt(conversationHistory: readonly Record<string, unknown>[]): Payload<"pre_llm_call"> {
  return { conversationHistory } as unknown as Payload<"pre_llm_call">;
}

test("a resumed session finds its list in the conversation, in both forms, once", async () => {
  const content = todoResult([{ id: "a", content: "x", status: "pending" }]);
  const later = { role: "tool", toolName: "terminal", content: '{"todos": 1}' };
  await slot.on?.pre_llm_call?.(prompt([{ role: "tool", toolName: "todo", content }, later]), turn.context);
  expect((await turn.call("todo", {}))["summary"]["total"]).toBe(1);
  await turn.call("todo", { todos: [] });
  await slot.on?.pre_llm_call?.(prompt([{ role: "tool", tool_call_id: "c", content }]), turn.context);
  expect((await turn.call("todo", {}))["summary"]["total"]).toBe(0);
});

test("after a compaction the model is told of what is open, and only of that", async () => {
  const compacted = { sessionId: "s-1", trigger: "auto", compactSummary: "", messageCount: 3 } as const;
  await slot.on?.post_compact?.(compacted, turn.context);
  await turn.call("todo", {
    todos: [item("a", "completed"), item("b", "in_progress"), item("c", "cancelled"), item("d")],
  });
  await slot.on?.post_compact?.(compacted, turn.context);
  expect(turn.context.state<{ text: string }[]>("inbox", () => [])).toEqual([
    { text: "[Your task list, kept across the compaction of this conversation]\n- [>] b. do b\n- [ ] d. do d" },
  ]);
});
