import assert from "node:assert/strict";
import { sleep } from "#host";
import type { Message } from "#kernel";
import { isSessionError } from "./error.ts";
import type { SessionStore } from "./store.ts";

/** One place where a store keeps its sessions; empty when it is made. */
export interface StorePlace {
  /** Each call is another store on the same place, as another process would open it. */
  open(): Promise<SessionStore>;
  /** Appends `count` user messages `from elsewhere <n>` to the session, each on its own, from another process. */
  appendElsewhere(sessionId: string, count: number): Promise<void>;
  /** A process that claims the session for a turn, starts the call and is killed. */
  claimAndDie(sessionId: string, turnId: string, callId: string): Promise<void>;
  remove(): Promise<void>;
}

/** A case of the contract: `run` rejects when the store breaks it. For any test runner: `for (const { name, run } of …) test(name, run)`. */
export interface StoreCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

type Body = (store: SessionStore, place: StorePlace) => Promise<void>;

/** What every session store must keep, two writers at once included. */
export function sessionStoreContract(make: () => Promise<StorePlace>): readonly StoreCase[] {
  return Object.entries({ ...catalogueCases, ...logCases, ...journalCases, ...searchCases }).map(([name, body]) => ({
    name,
    run: async () => {
      const place = await make();
      const store = await place.open();
      try {
        await body(store, place);
      } finally {
        await store.close();
        await place.remove();
      }
    },
  }));
}

const session = (id: string, more: object = {}) =>
  ({ id, source: "cli", cwd: "/work", model: "m", provider: "p", ...more }) as const;
const say = (content: string): Message => ({ role: "user", content });
const texts = (messages: readonly { readonly message: Message }[]) => messages.map(({ message }) => message.content);

const everyKind: readonly Message[] = [
  say("hello"),
  { role: "user", content: "noted", synthetic: true },
  {
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "image", data: "AAAA", mediaType: "image/png" },
    ],
  },
  {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "c1", name: "terminal", args: { command: "ls", deep: { list: [1, null, "ü"] } } },
      { id: "c2", name: "terminal", args: {}, malformed: '{"command": ' },
      { id: "c3", name: "terminal", args: {}, malformed: "{}" },
    ],
    reasoning: [{ text: "think", providerData: { signature: "abc" } }, { text: "more" }],
    finishReason: "tool_calls",
    model: "m-1",
    usage: {
      inputTokens: 5,
      outputTokens: 2,
      cacheReadTokens: 1,
      cacheWriteTokens: 0,
      reasoningTokens: 1,
      costUsd: 0.25,
    },
  },
  { role: "tool", toolCallId: "c1", toolName: "terminal", content: "a\0b\n中文 🎉 \u001b[0m" },
  { role: "tool", toolCallId: "c2", toolName: "terminal", content: [{ type: "text", text: "x" }], isError: true },
  { role: "assistant", content: "done", toolCalls: [] },
];

const catalogueCases: Record<string, Body> = {
  "a session is found as it was made": async (store) => {
    const made = await store.create(session("s1", { systemPrompt: "be kind", parentSessionId: "s0" }));
    assert.deepEqual(await store.find("s1"), made);
    assert.equal(made.parentSessionId, "s0");
    assert.equal(made.messageCount, 0);
    assert.equal(await store.find("s2"), undefined);
  },
  "a second session with one id is refused": async (store) => {
    await store.create(session("s1"));
    await assert.rejects(store.create(session("s1")), (error) => isSessionError(error, "exists"));
  },
  "sessions are listed by their last message, children only when asked for": async (store) => {
    for (const id of ["a", "b", "c"]) await store.create(session(id, { source: id === "c" ? "telegram" : "cli" }));
    await store.create(session("child", { parentSessionId: "a" }));
    await sleep(5);
    await store.append("a", "t", [say("hi")]);
    const ids = async (query = {}) => (await store.list(query)).map(({ id }) => id);
    assert.equal((await ids())[0], "a");
    assert.deepEqual((await ids()).toSorted(), ["a", "b", "c"]);
    assert.ok((await ids({ children: true })).includes("child"));
    assert.deepEqual(await ids({ source: "telegram" }), ["c"]);
    assert.deepEqual(await ids({ limit: 1 }), ["a"]);
    assert.deepEqual(await ids({ cwd: "/elsewhere" }), []);
  },
  "a reference is an id, the beginning of one, a title or `last`": async (store) => {
    await store.create(session("20250101-aa"));
    await store.create(session("20250101-bb"));
    await store.update("20250101-aa", { title: "Fix the lamp" });
    const id = async (reference: string) => (await store.resolve(reference))?.id;
    assert.equal(await id("20250101-bb"), "20250101-bb");
    assert.equal(await id("20250101-a"), "20250101-aa");
    assert.equal(await id("fix the LAMP"), "20250101-aa");
    assert.equal(await id("nothing"), undefined);
    assert.equal(await id("%"), undefined);
    await sleep(5);
    await store.append("20250101-aa", "t", [say("x")]);
    assert.equal(await id("last"), "20250101-aa");
    await assert.rejects(store.resolve("2025"), (error) => isSessionError(error, "ambiguous"));
  },
  "a session is changed, and a title belongs to one session": async (store) => {
    await store.create(session("a"));
    await store.create(session("b"));
    await store.update("a", { title: "one", model: "m2", endedAt: 1_700_000_000_123, endReason: "quit" });
    const changed = await store.find("a");
    assert.equal(changed?.title, "one");
    assert.equal(changed?.model, "m2");
    assert.equal(changed?.endedAt, 1_700_000_000_123);
    await assert.rejects(store.update("b", { title: "one" }), (error) => isSessionError(error, "title_taken"));
    await store.update("a", { title: undefined, endedAt: undefined });
    assert.equal((await store.find("a"))?.title, undefined);
    await store.update("b", { title: "one" });
    await assert.rejects(store.update("none", { title: "x" }), (error) => isSessionError(error, "not_found"));
  },
  "usage is summed, and a cost only where there is one": async (store) => {
    await store.create(session("a"));
    const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 1 };
    await store.addUsage("a", usage);
    assert.equal((await store.find("a"))?.usage.costUsd, undefined);
    await store.addUsage("a", { ...usage, costUsd: 0.5 });
    await store.addUsage("a", usage);
    const sum = (await store.find("a"))?.usage;
    assert.deepEqual(sum, {
      inputTokens: 30,
      outputTokens: 6,
      cacheReadTokens: 9,
      cacheWriteTokens: 12,
      reasoningTokens: 3,
      costUsd: 0.5,
    });
  },
  "deleting takes the children, their messages and what search knows of them": async (store) => {
    await store.create(session("a"));
    await store.create(session("a1", { parentSessionId: "a" }));
    await store.create(session("a2", { parentSessionId: "a1" }));
    await store.create(session("b"));
    for (const id of ["a", "a2", "b"]) await store.append(id, "t", [say("needle")]);
    assert.equal((await store.search("needle")).length, 3);
    assert.equal(await store.delete("a"), true);
    assert.equal(await store.delete("a"), false);
    assert.equal(await store.find("a2"), undefined);
    assert.deepEqual(await store.messages("a2"), []);
    assert.deepEqual(
      (await store.search("needle")).map((hit) => hit.sessionId),
      ["b"],
    );
  },
};

const logCases: Record<string, Body> = {
  "every kind of message comes back as it was": async (store, place) => {
    await store.create(session("a"));
    const stored = await store.append("a", "t1", everyKind);
    const other = await place.open();
    const read = await other.messages("a");
    await other.close();
    assert.deepEqual(read, stored);
    assert.deepEqual(
      read.map(({ message }) => message),
      everyKind,
    );
    assert.equal((await store.find("a"))?.messageCount, everyKind.length);
  },
  "numbers grow and are not used again": async (store) => {
    await store.create(session("a"));
    const [one] = await store.append("a", "t", [say("1")]);
    const [two] = await store.append("a", "t", [say("2")]);
    assert.ok(one !== undefined && two !== undefined && two.seq > one.seq);
    await store.deactivate("a", [two.seq]);
    const [three] = await store.append("a", "t", [say("3")]);
    assert.ok(three !== undefined && three.seq > two.seq);
    assert.deepEqual(texts(await store.messages("a")), ["1", "3"]);
    assert.deepEqual(texts(await store.messages("a", { inactive: true })), ["1", "2", "3"]);
    assert.deepEqual(texts(await store.messages("a", { afterSeq: one.seq })), ["3"]);
  },
  "a session that is not there takes no messages": async (store) => {
    await assert.rejects(store.append("none", "t", [say("x")]), (error) => isSessionError(error, "not_found"));
    assert.deepEqual(await store.messages("none"), []);
  },
  "a summary stands where the messages stood, again and again": async (store) => {
    await store.create(session("a"));
    const stored = await store.append("a", "t", ["1", "2", "3", "4", "5"].map(say));
    const seqs = stored.map(({ seq }) => seq);
    const [first] = await store.compact("a", seqs.slice(1, 3), [say("2+3"), say("note")]);
    assert.deepEqual(texts(await store.messages("a")), ["1", "2+3", "note", "4", "5"]);
    await store.append("a", "t", [say("6")]);
    assert.ok(first !== undefined);
    await store.compact("a", [first.seq, first.seq + 1, ...seqs.slice(3, 4)], [say("2+3+4")]);
    assert.deepEqual(texts(await store.messages("a")), ["1", "2+3+4", "5", "6"]);
    const all = await store.messages("a", { inactive: true });
    assert.equal(all.length, 9);
    assert.equal(all.filter(({ active }) => !active).length, 5);
  },
  "the log is read in pages": async (store) => {
    await store.create(session("a"));
    await store.append("a", "t", ["1", "2", "3", "4", "5"].map(say));
    const read: unknown[] = [];
    let afterSeq = 0;
    for (;;) {
      const page = await store.messages("a", { inactive: true, afterSeq, limit: 2 });
      if (page.length === 0) break;
      read.push(...texts(page));
      afterSeq = page.at(-1)?.seq ?? 0;
    }
    assert.deepEqual(read, ["1", "2", "3", "4", "5"]);
  },
  "two writers at once lose nothing and keep their own order": async (store, place) => {
    await store.create(session("a"));
    const elsewhere = place.appendElsewhere("a", 40);
    for (let count = 0; count < 40; count++) await store.append("a", "t", [say(`here ${count}`)]);
    await elsewhere;
    const read = texts(await store.messages("a"));
    const of = (who: string) => read.filter((text) => String(text).startsWith(who));
    assert.deepEqual(
      of("here"),
      Array.from({ length: 40 }, (_, count) => `here ${count}`),
    );
    assert.deepEqual(
      of("from elsewhere"),
      Array.from({ length: 40 }, (_, count) => `from elsewhere ${count}`),
    );
    assert.equal((await store.find("a"))?.messageCount, 80);
  },
};

const journalCases: Record<string, Body> = {
  "a call is open until its result is stored": async (store) => {
    await store.create(session("a"));
    const call = { callId: "c1", turnId: "t1", toolName: "terminal", args: { command: "ls" } };
    await store.callStarted("a", call);
    assert.deepEqual(await store.openCalls("a"), [call]);
    assert.deepEqual(await store.openCalls("b"), []);
    await store.append("a", "t1", [{ role: "tool", toolCallId: "c1", toolName: "terminal", content: "ok" }]);
    assert.deepEqual(await store.openCalls("a"), []);
  },
  "one turn at a time holds a session": async (store, place) => {
    await store.create(session("a"));
    const other = await place.open();
    assert.equal(await store.claim("a", "t1"), true);
    assert.equal(await store.claim("a", "t2"), false);
    assert.equal(await other.claim("a", "t3"), false);
    await other.release("a");
    assert.equal(await other.claim("a", "t3"), false);
    await store.release("a");
    assert.equal(await other.claim("a", "t3"), true);
    await other.release("a");
    await other.close();
  },
  "calls of a running turn are not open": async (store) => {
    await store.create(session("a"));
    await store.claim("a", "t1");
    await store.callStarted("a", { callId: "c0", turnId: "t0", toolName: "terminal", args: {} });
    await store.callStarted("a", { callId: "c1", turnId: "t1", toolName: "terminal", args: {} });
    assert.deepEqual(
      (await store.openCalls("a")).map(({ callId }) => callId),
      ["c0"],
    );
    await assert.rejects(store.delete("a"), (error) => isSessionError(error, "in_use"));
    await store.release("a");
    assert.equal((await store.openCalls("a")).length, 2);
  },
  "the claim of a killed process is free and its calls are open": async (store, place) => {
    await store.create(session("a"));
    await place.claimAndDie("a", "t1", "c1");
    assert.deepEqual(
      (await store.openCalls("a")).map(({ callId }) => callId),
      ["c1"],
    );
    assert.equal(await store.claim("a", "t2"), true);
    await store.release("a");
  },
};

const searchCases: Record<string, Body> = {
  "words are found by their beginning, in text, in calls and in Chinese": async (store) => {
    await store.create(session("a"));
    await store.create(session("b"));
    await store.append("a", "t", [
      say("The quick brown fox"),
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c", name: "terminal", args: { command: "make lamp-shade" } }],
      },
      say("我们需要修复数据库的连接"),
    ]);
    await store.append("b", "t", [say("brown bread, 50% off, C++ and Émile")]);
    const found = async (text: string, options = {}) =>
      (await store.search(text, options)).map((hit) => hit.sessionId).toSorted();
    assert.deepEqual(await found("brown"), ["a", "b"]);
    assert.deepEqual(await found("brown", { sessionId: "b" }), ["b"]);
    assert.deepEqual(await found("brown fox"), ["a"]);
    assert.deepEqual(await found('"quick brown"'), ["a"]);
    assert.deepEqual(await found('"brown quick"'), []);
    assert.deepEqual(await found("lamp-sh"), ["a"]);
    assert.deepEqual(await found("数据库"), ["a"]);
    assert.deepEqual(await found("数据"), ["a"]);
    assert.deepEqual(await found("库"), ["a"]);
    assert.deepEqual(await found("数据 连接"), ["a"]);
    assert.deepEqual(await found("邮件"), []);
    assert.deepEqual(await found("50%"), ["b"]);
    assert.deepEqual(await found("C++"), ["b"]);
    assert.deepEqual(await found("emile"), ["b"]);
    assert.equal((await store.search("brown", { limit: 1 })).length, 1);
    assert.match((await store.search("fox"))[0]?.snippet ?? "", /brown fox/);
  },
  "no text breaks a search": async (store) => {
    await store.create(session("a"));
    await store.append("a", "t", [say(`a "quoted" word AND (more) OR NOT near* col:umn -x ' '' ; -- %_\\ ^ {}`)]);
    const odd = [
      '"',
      '""',
      '"unclosed',
      "AND",
      "OR NOT",
      "a AND",
      "NEAR(a b)",
      "col:umn",
      "*",
      "(",
      "^a",
      "-x",
      "'",
      "''",
    ];
    const odder = ["%", "_", "\\", "\0", " ", "", "{}", ";--", "🎉", "\ud800", "x".repeat(100_000), "词".repeat(5_000)];
    for (const text of [...odd, ...odder]) assert.ok(Array.isArray(await store.search(text)), JSON.stringify(text));
    assert.equal((await store.search("AND (more)")).length, 1);
    assert.equal((await store.search("%_\\")).length, 1);
    assert.equal((await store.search("")).length, 0);
  },
};
