import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../kernel/index.ts";
import type { ModelRequest } from "../models/index.ts";
import type { StoredMessage } from "../sessions/index.ts";
import { house, listener, type Part, results, testSettings, tool, toolbox } from "./agent-fixture.ts";
import { compactionCut } from "./compaction-cut.ts";
import { paired, unanswered } from "./pairing.ts";
import { summaryMark } from "./summary.ts";

const part = (given: Omit<Part, "slot">): Part => ({ slot: "goal", ...given });

/** A conversation of turns with batches whose results were stored in any order. */
const conversation = fc
  .array(
    fc.record({
      text: fc.string({ maxLength: 40 }),
      batches: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 4 }), shuffle: fc.nat(), note: fc.boolean() }), {
        maxLength: 3,
      }),
    }),
    { maxLength: 8 },
  )
  .map((turns) => {
    const messages: Message[] = [];
    for (const [turn, { text, batches }] of turns.entries()) {
      messages.push({ role: "user", content: text });
      for (const [batch, { calls, shuffle, note }] of batches.entries()) {
        const ids = Array.from({ length: calls }, (_, index) => `c${turn}-${batch}-${index}`);
        messages.push({ role: "assistant", content: "", toolCalls: ids.map((id) => ({ id, name: "t", args: {} })) });
        const order = shuffle % 2 === 0 ? ids : [...ids].reverse();
        for (const id of order) {
          messages.push({ role: "tool", toolCallId: id, toolName: "t", content: "x".repeat(shuffle % 50) });
          if (note) messages.push({ role: "user", synthetic: true, content: "note" });
        }
      }
      messages.push({ role: "assistant", content: "done" });
    }
    return messages.map(
      (message, index): StoredMessage => ({ seq: index + 1, turnId: "t", at: 0, message, active: true }),
    );
  });

const limits = fc.record({
  protectFirst: fc.nat({ max: 5 }),
  protectLast: fc.nat({ max: 8 }),
  tailTokens: fc.nat({ max: 200 }),
});

describe("pairing", () => {
  test("puts every result behind its call in call order, and loses nothing", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const ordered = paired(messages);
        expect([...ordered].sort((left, right) => left.seq - right.seq)).toEqual(messages);
        let expected: string[] = [];
        for (const { message } of ordered) {
          if (message.role === "tool") expect(message.toolCallId).toBe(expected.shift());
          else {
            expect(expected).toEqual([]);
            expected = message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [];
          }
        }
      }),
    );
  });
});

describe("the cut", () => {
  test("never parts a call from its results, keeps the protected ends, and is one stretch", () => {
    fc.assert(
      fc.property(conversation, limits, (stored, given) => {
        const messages = paired(stored);
        const middle = compactionCut(messages, given);
        if (middle.length === 0) return;
        const start = messages.indexOf(middle[0] as StoredMessage);
        expect(messages.slice(start, start + middle.length)).toEqual(middle);
        expect(start).toBeGreaterThanOrEqual(Math.min(given.protectFirst, messages.length));
        expect(start + middle.length).toBeLessThan(messages.length);
        const rest = messages.filter((message) => !middle.includes(message));
        expect(unanswered(rest)).toEqual([]);
        expect(unanswered(middle)).toEqual([]);
        const calls = new Set(
          rest
            .flatMap(({ message }) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
            .map(({ id }) => id),
        );
        for (const { message } of rest) if (message.role === "tool") expect(calls).toContain(message.toolCallId);
      }),
    );
  });
});

const long = "word ".repeat(800);

/** Calls a tool `count` times and then answers; counts tokens as a provider would, and sums up when asked to. */
function chatty(count: number, counts = true) {
  let asked = 0;
  const step = (request: ModelRequest) => {
    const usage = counts
      ? { input: Math.ceil(JSON.stringify(request.messages).length / 4), output: 10 }
      : { input: 0, output: 0 };
    if (request.system.startsWith("You sum up")) return { text: "The summary.", usage };
    asked += 1;
    if (asked > count) return { text: "Done.", usage };
    return { calls: [{ name: "look", args: { path: `p${asked}` } }], usage };
  };
  return Array.from({ length: count * 3 }, () => step);
}

describe("in a turn", () => {
  test("a conversation that grows past the threshold is summarised, and the request is kept", async () => {
    const events: string[] = [];
    await using home = await house({
      script: [],
      model: { contextWindow: 8_000 },
      parts: [toolbox(tool("look", { run: async () => long })), listener(events)],
    });
    const session = await home.open();
    home.model.push(...chatty(9));
    const result = await home.turn(session, "Look at everything.");
    expect(result).toMatchObject({ outcome: "completed" });
    const compactions = home.seen.filter(({ type }) => type === "compaction");
    expect(compactions.length).toBeGreaterThan(0);
    expect(events.filter((event) => event.endsWith("_compact") || event === "session_start").slice(0, 4)).toEqual([
      "session_start",
      "pre_compact",
      "post_compact",
      "session_start",
    ]);
    const last = home.model.requests.at(-1)?.messages ?? [];
    expect(last[0]?.content).toBe("Look at everything.");
    expect(last.some(({ content }) => String(content).startsWith(summaryMark))).toBe(true);
    const summaries = home.model.requests.filter(({ system }) => system.startsWith("You sum up"));
    expect(summaries.every(({ tools }) => tools.length === 0)).toBe(true);
    const all = await home.store.messages(session.id, { inactive: true });
    expect(results(all)).toHaveLength(9);
    expect(all.filter(({ active }) => !active).length).toBeGreaterThan(0);
  });

  test("a server that counts no tokens does not keep it from being summarised", async () => {
    await using home = await house({
      script: [],
      model: { contextWindow: 8_000 },
      parts: [toolbox(tool("look", { run: async () => long }))],
    });
    home.model.push(...chatty(9, false));
    expect(await home.turn(await home.open(), "Look at everything.")).toMatchObject({ outcome: "completed" });
    expect(home.seen.filter(({ type }) => type === "compaction").length).toBeGreaterThan(0);
  });

  test("a request that is too long is summarised and asked again", async () => {
    await using home = await house({
      script: [],
      model: { contextWindow: 100_000 },
      parts: [toolbox(tool("look"))],
      settings: { compaction: { ...testSettings.compaction, protectLast: 2 } },
    });
    const session = await home.open();
    home.model.push(
      { calls: [{ name: "look", args: { path: "a" } }] },
      { calls: [{ name: "look", args: { path: "b" } }] },
      { error: "context_overflow" },
      { text: "The summary." },
      { text: "Done." },
    );
    expect(await home.turn(session, "Look.")).toMatchObject({ outcome: "completed", text: "Done.", iterations: 3 });
    expect(home.seen.filter(({ type }) => type === "compaction")).toHaveLength(1);
  });

  test("where the summary fails, an overflow still makes room and says so", async () => {
    await using home = await house({
      script: [],
      parts: [toolbox(tool("look"))],
      settings: { compaction: { ...testSettings.compaction, protectLast: 2 } },
    });
    const session = await home.open();
    home.model.push(
      { calls: [{ name: "look", args: { path: "a" } }] },
      { calls: [{ name: "look", args: { path: "b" } }] },
      { error: "context_overflow" },
      { error: "bad_request" },
      { text: "Done." },
    );
    expect(await home.turn(session, "Look.")).toMatchObject({ outcome: "completed" });
    const last = home.model.requests.at(-1)?.messages ?? [];
    expect(last.some(({ content }) => String(content).includes("no summary could be made"))).toBe(true);
  });

  test("context of this turn goes along after its message was summarised", async () => {
    await using home = await house({
      script: [],
      parts: [toolbox(tool("look")), part({ on: { pre_llm_call: () => ({ context: ["It is Monday."] }) } })],
      settings: { compaction: { ...testSettings.compaction, protectFirst: 0, protectLast: 2 } },
    });
    const session = await home.open();
    home.model.push(
      { calls: [{ name: "look", args: { path: "a" } }] },
      { calls: [{ name: "look", args: { path: "b" } }] },
      { error: "context_overflow" },
      { text: "The summary." },
      { text: "Done." },
    );
    await home.turn(session, "Look closely.");
    const last = home.model.requests.at(-1)?.messages ?? [];
    expect(last[0]?.content).toContain(summaryMark);
    expect(last[0]?.content).toContain("word for word:\nLook closely.");
    expect(last[0]?.content).toContain("It is Monday.");
    const stored = await home.messages(session.id);
    expect(stored.some(({ message }) => String(message.content).includes("Monday"))).toBe(false);
  });

  test("a hook may forbid it, and the turn goes on", async () => {
    await using home = await house({
      model: { contextWindow: 4_000 },
      script: [
        { calls: [{ name: "look", args: { path: "a" } }], usage: { input: 2_500 } },
        { calls: [{ name: "look", args: { path: "b" } }], usage: { input: 2_500 } },
        { text: "Done." },
      ],
      parts: [
        toolbox(tool("look")),
        part({ on: { pre_compact: () => ({ verdict: { decision: "deny", reason: "not now" } }) } }),
      ],
      settings: { compaction: { ...testSettings.compaction, protectLast: 1 } },
    });
    expect(await home.turn(await home.open(), "Look.")).toMatchObject({ outcome: "completed" });
    expect(home.seen.some((event) => event.type === "notice" && event.text.includes("not now"))).toBe(true);
  });

  test("by hand it works between turns, keeps the session's id, and reports the counts", async () => {
    await using home = await house({
      script: Array.from({ length: 6 }, (_, index) => ({ text: `answer ${index}` })),
      parts: [toolbox()],
    });
    const session = await home.open();
    for (let index = 0; index < 6; index += 1) await home.turn(session, `question ${index}`);
    home.model.push({ text: "Six questions." }, { text: "Seventh." });
    const counts = await session.compact(home.surface, "mind the numbers");
    expect(counts.before).toBe(12);
    expect(counts.after).toBeLessThan(8);
    expect(home.model.requests.at(-1)?.messages[0]?.content).toContain("mind the numbers");
    expect(await home.turn(session, "question 6")).toMatchObject({ text: "Seventh." });
  });

  test("reminders between the results of one answer do not let it part them", async () => {
    const looks = { calls: [1, 2, 3].map((count) => ({ name: "look", args: { count } })) };
    await using home = await house({
      script: [looks, { text: "one" }, looks, { text: "two" }, { text: "A summary." }, { text: "three" }],
      parts: [toolbox(tool("look")), part({ on: { post_tool_call: () => ({ reminder: ["mind the gap"] }) } })],
      settings: { compaction: { ...testSettings.compaction, protectFirst: 2, protectLast: 4 } },
    });
    const session = await home.open();
    await home.turn(session, "First.");
    await home.turn(session, "Second.");
    await session.compact(home.surface);
    expect(await home.turn(session, "Third.")).toMatchObject({ text: "three" });
    const messages = home.model.requests.at(-1)?.messages ?? [];
    const calls = messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    );
    expect(calls).toHaveLength(3);
    expect(messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []))).toEqual(calls);
    expect((await home.messages(session.id)).filter(({ message }) => message.role === "tool")).toHaveLength(3);
  });

  test("undo takes back the last turn and returns what was asked", async () => {
    await using home = await house({
      script: [{ text: "one" }, { text: "two" }, { text: "three" }],
      parts: [toolbox()],
    });
    const session = await home.open();
    await home.turn(session, "first");
    await home.turn(session, "second");
    expect(await session.undo()).toBe("second");
    await home.turn(session, "third");
    expect(home.model.requests[2]?.messages.map(({ content }) => content)).toEqual(["first", "one", "third"]);
  });
});
