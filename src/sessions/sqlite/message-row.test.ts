import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Message } from "#kernel";
import { openSqliteStore, type SqliteStore } from "./store.ts";

let folder: string;
let file: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rows-"));
  file = join(folder, "state.db");
  store = await openSqliteStore({ file });
  await store.create({ id: "s", source: "cli", cwd: "/work", model: "m", provider: "p" });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "null", "{}", "[1]", "a\0b", "中文", "\u2028"),
);
const json = fc.dictionary(
  fc.string().filter((key) => key !== "__proto__"),
  fc.jsonValue(),
);
const part = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record({ type: fc.constant("image" as const), data: text, mediaType: text }),
);
const content = fc.oneof(text, fc.array(part));
const call = fc.oneof(
  fc.record({ id: text, name: text, args: json }),
  fc.record({ id: text, name: text, args: fc.constant({}), malformed: text }),
);
const count = fc.nat();
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record(
    { role: fc.constant("user" as const), content, synthetic: fc.constant(true as const) },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record(
    {
      role: fc.constant("tool" as const),
      content,
      toolCallId: text,
      toolName: text,
      isError: fc.constant(true as const),
    },
    { requiredKeys: ["role", "content", "toolCallId", "toolName"] },
  ),
  fc.record(
    {
      role: fc.constant("assistant" as const),
      content: text,
      toolCalls: fc.array(call),
      reasoning: fc.array(fc.record({ text, providerData: json }, { requiredKeys: ["text"] })),
      finishReason: text,
      model: text,
      usage: fc.record({
        inputTokens: count,
        outputTokens: count,
        cacheReadTokens: count,
        cacheWriteTokens: count,
        reasoningTokens: count,
      }),
    },
    { requiredKeys: ["role", "content"] },
  ),
);

test("any message comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
      const stored = await store.append("s", "t", messages);
      const read = await store.messages("s", { afterSeq: (stored[0]?.seq ?? 0) - 1 });
      // JSON has no -0.
      expect(JSON.stringify(read)).toBe(
        JSON.stringify(read.map((each, index) => ({ ...each, message: order(messages[index], each.message) }))),
      );
    }),
    { numRuns: 100 },
  );
});

/** The expected message with its keys in the order in which they were read. */
function order(expected: Message | undefined, read: Message): object {
  expect(Object.keys(read).toSorted()).toEqual(Object.keys(expected ?? {}).toSorted());
  return Object.fromEntries(
    Object.keys(read).map((key) => [key, (expected as unknown as Record<string, unknown>)[key]]),
  );
}

test("queries that hooks make of a Hermes database are answered", async () => {
  await store.append("s", "t", [
    { role: "user", content: "hello" },
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: "c1", name: "terminal", args: { command: "ls" } }],
      reasoning: [{ text: "hm" }],
      finishReason: "tool_calls",
      usage: { inputTokens: 9, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    },
    { role: "tool", toolCallId: "c1", toolName: "terminal", content: [{ type: "text", text: "out" }] },
  ]);
  await store.addUsage("s", {
    inputTokens: 9,
    outputTokens: 4,
    cacheReadTokens: 2,
    cacheWriteTokens: 1,
    reasoningTokens: 0,
    costUsd: 0.5,
  });
  const reader = new DatabaseSync(file, { readOnly: true });
  const now = Date.now() / 1000;
  const messages = reader
    .prepare(
      "SELECT rowid AS number, role, content, tool_name, tool_call_id, tool_calls, finish_reason, token_count, reasoning, timestamp, active FROM messages WHERE session_id = ? ORDER BY timestamp ASC, id ASC",
    )
    .all("s");
  expect(messages.map((row) => ({ ...row, timestamp: Math.abs(Number(row["timestamp"]) - now) < 60 }))).toMatchObject([
    { number: 1, role: "user", content: "hello", tool_calls: null, active: 1, timestamp: true },
    { role: "assistant", content: "", finish_reason: "tool_calls", token_count: 4, reasoning: "hm", timestamp: true },
    { role: "tool", content: "out", tool_name: "terminal", tool_call_id: "c1", timestamp: true },
  ]);
  expect(JSON.parse(String(messages[1]?.["tool_calls"]))).toEqual([
    { id: "c1", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } },
  ]);
  const [session] = reader
    .prepare("SELECT * FROM sessions WHERE source = 'cli' AND started_at > ? AND archived = 0")
    .all(now - 60);
  expect(session).toMatchObject({
    id: "s",
    user_id: null,
    model: "m",
    parent_session_id: null,
    ended_at: null,
    message_count: 3,
    tool_call_count: 1,
    input_tokens: 9,
    cache_read_tokens: 2,
    estimated_cost_usd: 0.5,
    api_call_count: 1,
    cwd: "/work",
    title: null,
  });
  reader.close();
});

test("messages that another program put there are read, searched and mended as far as they go", async () => {
  await store.append("s", "t", [{ role: "user", content: "ours" }]);
  const writer = new DatabaseSync(file);
  const insert = writer.prepare(
    "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp) VALUES ('s', ?, ?, ?, ?, ?, 1700000000.5)",
  );
  insert.run("system", "be kind", null, null, null);
  insert.run("user", "a heron", null, null, null);
  insert.run("assistant", null, null, '[{"id":"c1","function":{"name":"terminal","arguments":"{broken"}}]', null);
  insert.run("assistant", "x", null, "no json", null);
  insert.run("tool", "out", "c1", null, "terminal");
  writer.close();
  const read = await store.messages("s");
  expect(read.map(({ message }) => message)).toEqual([
    { role: "user", content: "ours" },
    { role: "user", content: "be kind", synthetic: true },
    { role: "user", content: "a heron" },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "terminal", args: {}, malformed: "{broken" }] },
    { role: "assistant", content: "x", toolCalls: [] },
    { role: "tool", toolCallId: "c1", toolName: "terminal", content: "out" },
  ]);
  expect(read[1]).toMatchObject({ at: 1_700_000_000_500, turnId: "", active: true });
  expect(await store.messages("s", { inactive: true, limit: 2, afterSeq: 1 })).toEqual(read.slice(1, 3));
  expect(await store.search("heron")).toHaveLength(1);
});
