import { describe, expect, test } from "vitest";
import type { ScriptedStep } from "../testing.ts";
import { house, testSettings, tool, toolbox } from "./agent-fixture.ts";
import type { CompactionEngine } from "./context-engine.ts";

type Json = Readonly<Record<string, unknown>>;

const script: readonly ScriptedStep[] = [
  { calls: [{ id: "c1", name: "echo", args: {} }] },
  { text: "first answer" },
  { text: "second answer" },
  { text: "third answer" },
];

/** Two turns, then a third before which the engine is asked. */
async function third(engine: Partial<CompactionEngine>) {
  const asked: unknown[] = [];
  const whole: CompactionEngine = {
    name: "sieve",
    shouldCompress: (tokens, window) => {
      asked.push([typeof tokens, window]);
      return asked.length > 3;
    },
    compress: async (messages) => messages,
    ...engine,
  };
  const home = await house({ parts: [toolbox(tool("echo"))], script, ports: { contextEngine: () => whole } });
  const session = await home.open();
  await home.turn(session, "one");
  await home.turn(session, "two");
  const result = await home.turn(session, "three");
  const notices = home.seen.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  const request = home.model.requests.at(-1)?.messages ?? [];
  return { home, session, asked, result, notices, request };
}

test("the engine says when, and what it keeps is what the model is sent", async () => {
  const given: unknown[] = [];
  const ran = await third({
    async compress(messages, { currentTokens, focusTopic }) {
      given.push(
        messages.map(({ role }) => role),
        currentTokens > 0,
        focusTopic,
      );
      return [{ role: "user", content: "[notes] one and two" }, ...messages.slice(-1)];
    },
  });
  await using home = ran.home;
  expect(ran.asked[0]).toEqual(["number", 128_000]);
  expect(given).toEqual([["user", "assistant", "tool", "assistant", "user", "assistant", "user"], true, undefined]);
  expect(ran.request.map(({ content }) => content)).toEqual(["[notes] one and two", "three"]);
  expect((await home.messages(ran.session.id)).map(({ message }) => message.content)).toEqual([
    "[notes] one and two",
    "three",
    "third answer",
  ]);
});

test("what the engine leaves as it was stays the very message, and a dropped stretch leaves no trace", async () => {
  const ran = await third({ compress: async (messages) => [...messages.slice(0, 1), ...messages.slice(4)] });
  await using home = ran.home;
  expect(ran.request.map(({ content }) => content)).toEqual(["one", "two", "second answer", "three"]);
  expect((await home.messages(ran.session.id))[0]?.seq).toBe(1);
});

test("a message of the system among those of the engine becomes a note", async () => {
  const ran = await third({
    compress: async (messages) => [{ role: "system", content: "sum" }, ...messages.slice(-1)],
  });
  await using _home = ran.home;
  expect(ran.request[0]).toMatchObject({ role: "user", synthetic: true, content: "sum" });
});

describe("nonsense is told, and the conversation is summarised instead", () => {
  const cases: readonly (readonly [string, (messages: readonly Json[]) => unknown, string])[] = [
    ["a result without its call", (messages) => messages.filter((_message, index) => index !== 1), "without its call"],
    [
      "a call without its result",
      (messages) => messages.filter((_message, index) => index !== 2),
      "left out the result",
    ],
    ["no list", () => "shorter!", "gave no list"],
    ["nothing", () => [], "no message of the person"],
    ["things that are no messages", () => [1, 2], "messages are no objects"],
    ["an unknown role", () => [{ role: "poet", content: "o" }], "unknown role poet"],
    [
      "a throw",
      () => {
        throw new Error("out of ideas");
      },
      "out of ideas",
    ],
  ];
  test.each(cases)("%s", async (_name, compress, said) => {
    const ran = await third({ compress: async (messages) => compress(messages) as Json[] });
    await using _home = ran.home;
    expect(ran.notices.join()).toContain('The context engine "sieve"');
    expect(ran.notices.join()).toContain(said);
    expect(ran.result.outcome).toBe("completed");
  });
});

test("an engine that cannot say whether room is needed leaves it to the threshold", async () => {
  const ran = await third({
    shouldCompress: () => {
      throw new Error("mute");
    },
  });
  await using _home = ran.home;
  expect(ran.notices.join()).toContain("mute");
  expect(ran.result.text).toBe("third answer");
});

test("usage is told after each answer, and a failure there is only logged", async () => {
  const told: Json[] = [];
  const ran = await third({
    updateFromResponse: (usage) => {
      told.push(usage);
      throw new Error("cannot count");
    },
  });
  await using home = ran.home;
  expect(told).toHaveLength(4);
  expect(told[0]).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) });
  expect(home.logs.join()).toContain("cannot count");
  expect(ran.result.outcome).toBe("completed");
});

test("/compress asks the engine with its words, unless the engine has nothing to leave out", async () => {
  const topics: (string | undefined)[] = [];
  let content = true;
  const ran = await third({
    shouldCompress: () => false,
    hasContentToCompress: () => content,
    compress: async (messages, { focusTopic }) => {
      topics.push(focusTopic);
      return messages.slice(-2).map((message, index) => (index === 0 ? { role: "user", content: "sum" } : message));
    },
  });
  await using home = ran.home;
  expect(await ran.session.compact(home.surface, "names")).toEqual({ before: 8, after: 2 });
  content = false;
  expect(await ran.session.compact(home.surface)).toEqual({ before: 2, after: 2 });
  expect(topics).toEqual(["names"]);
});

test("a side model of the configuration sums up; where it cannot be had, the session's own does", async () => {
  const asked: string[] = [];
  await using home = await house({
    script: [{ text: "a" }, { text: "b" }, { text: "c" }, { text: "the summary" }],
    ports: {
      helper: async (task) => {
        asked.push(task);
        throw new Error("no key");
      },
    },
    settings: { compaction: { ...testSettings.compaction, protectLast: 2 } },
  });
  const session = await home.open();
  for (const text of ["one", "two", "three"]) await home.turn(session, text);
  await session.compact(home.surface);
  expect(asked).toEqual(["compression"]);
  expect(home.logs.join()).toContain("no key");
  expect(JSON.stringify(await home.messages(session.id))).toContain("the summary");
});
