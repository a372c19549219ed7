import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Message } from "#kernel";
import type { StoredMessage } from "./store.ts";
import { transcripts } from "./transcript.ts";
import type { TranscriptFacts } from "./transcript-line.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "transcripts-"));
});
afterEach(() => rm(folder, { recursive: true }));

const usage = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 10, reasoningTokens: 0 };
const turn: readonly Message[] = [
  { role: "user", content: "fix it" },
  {
    role: "assistant",
    content: "Looking.",
    model: "m-1",
    usage,
    finishReason: "tool-calls",
    reasoning: [{ text: "hm", providerData: { signature: "sig" } }],
    toolCalls: [{ id: "c1", name: "terminal", args: { command: "ls" } }],
  },
  { role: "tool", toolCallId: "c1", toolName: "terminal", content: "a.ts", isError: true },
  { role: "assistant", content: "Done: 中文", model: "m-1", usage, finishReason: "stop" },
];

function stored(messages: readonly Message[], from = 1): readonly StoredMessage[] {
  return messages.map((message, index) => ({
    seq: from + index,
    turnId: "t",
    at: 1_700_000_000_000,
    message,
    active: true,
  }));
}

/** Transcripts over a log that is kept here. */
function setUp(log: StoredMessage[], facts: TranscriptFacts = { cwd: "/work", gitBranch: "main" }) {
  const warnings: string[] = [];
  const writer = transcripts({
    folder: join(folder, "deep", "transcripts"),
    version: "1.0.0",
    facts: () => facts,
    stored: async (_session, after) => log.filter(({ seq }) => seq > after).slice(0, 500),
    tools: {
      call: (name, args) => ({ name: name === "terminal" ? "Bash" : name, input: args }),
      response: (_name, args, result) => ({ stdout: result, ran: args["command"] }),
    },
    warn: (message) => warnings.push(message),
  });
  const add = (messages: readonly StoredMessage[]) => {
    log.push(...messages);
    writer.add("s1", messages);
  };
  // biome-ignore lint/suspicious/noExplicitAny: read as the wire has it
  const read = async (): Promise<any[]> => {
    const text = await readFile(writer.path("s1"), "utf8");
    expect(text === "" || text.endsWith("\n")).toBe(true);
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  };
  return { writer, add, read, warnings };
}

test("each content block has its line, with the id and usage of its message repeated", async () => {
  const { writer, add, read } = setUp([]);
  add(stored(turn));
  await writer.flush("s1");
  const lines = await read();
  expect(lines.map((line) => [line.type, line.message.content[0]?.type ?? line.message.content])).toEqual([
    ["user", "fix it"],
    ["assistant", "thinking"],
    ["assistant", "text"],
    ["assistant", "tool_use"],
    ["user", "tool_result"],
    ["assistant", "text"],
  ]);
  const [user, thinking, , call, result, last] = lines;
  expect(user).toEqual({
    parentUuid: null,
    uuid: expect.any(String),
    isSidechain: false,
    userType: "external",
    cwd: "/work",
    sessionId: "s1",
    version: "1.0.0",
    gitBranch: "main",
    timestamp: "2023-11-14T22:13:20.000Z",
    type: "user",
    message: { role: "user", content: "fix it" },
  });
  expect(thinking.message).toEqual({
    id: expect.stringMatching(/^msg_/),
    type: "message",
    role: "assistant",
    model: "m-1",
    content: [{ type: "thinking", thinking: "hm", signature: "sig" }],
    stop_reason: "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 30, cache_creation_input_tokens: 10, cache_read_input_tokens: 60, output_tokens: 7 },
  });
  expect(call.message.id).toBe(thinking.message.id);
  expect(call.requestId).toBe(thinking.requestId);
  expect(last.message.id).not.toBe(call.message.id);
  expect(call.message.content).toEqual([{ type: "tool_use", id: "c1", name: "Bash", input: { command: "ls" } }]);
  expect(result.message.content).toEqual([{ tool_use_id: "c1", type: "tool_result", content: "a.ts", is_error: true }]);
  expect(result.toolUseResult).toEqual({ stdout: "a.ts", ran: "ls" });
  expect(last.message.stop_reason).toBe("end_turn");
  lines.slice(1).forEach((line, index) => {
    expect(line.parentUuid).toBe(lines[index].uuid);
  });
  expect(new Set(lines.map((line) => line.uuid)).size).toBe(lines.length);
});

test("separators are compact and text is not escaped: `grep` and `tail` find the last answer", async () => {
  const { writer, add } = setUp([]);
  add(stored(turn));
  await writer.flush("s1");
  const last = execFileSync("sh", ["-c", `grep '"role":"assistant"' "$1" | tail -1`, "sh", writer.path("s1")], {
    encoding: "utf8",
  });
  expect(last).toContain("Done: 中文");
});

test("a flush makes the file of a session without messages", async () => {
  const { writer, read } = setUp([]);
  await writer.flush("s1");
  expect(await read()).toEqual([]);
});

test.each([1, 7, 200, 400, 700, 1100, 1500, 2000, 2500])(
  "a file cut %i bytes before its end is whole again after the next turn",
  async (cut) => {
    const log: StoredMessage[] = [];
    const before = setUp(log);
    before.add(stored(turn));
    await before.writer.flush("s1");
    const path = before.writer.path("s1");
    const text = await readFile(path);
    const whole = await before.read();
    await writeFile(path, text.subarray(0, Math.max(0, text.length - cut)));

    const after = setUp(log);
    after.add(stored([{ role: "user", content: "more" }], 5));
    await after.writer.flush("s1");
    const lines = await after.read();
    const ids = (some: { uuid: string; parentUuid: string }[]) =>
      some.map(({ uuid, parentUuid }) => [uuid, parentUuid]);
    expect(ids(lines.slice(0, -1))).toEqual(ids(whole));
    expect(lines.at(-1).message.content).toBe("more");
    expect(lines.at(-1).parentUuid).toBe(whole.at(-1).uuid);
  },
);

test("what another process wrote is not written again", async () => {
  const log: StoredMessage[] = [];
  const one = setUp(log);
  one.add(stored(turn.slice(0, 1)));
  await one.writer.flush("s1");
  const other = setUp(log);
  other.add(stored(turn.slice(1, 3), 2));
  await other.writer.flush("s1");
  one.add(stored(turn.slice(3), 4));
  await one.writer.flush("s1");
  const lines = await one.read();
  expect(lines).toHaveLength(6);
  expect(lines.at(-1).parentUuid).toBe(lines.at(-2).uuid);
});

test("a sub-agent's lines carry its parent's session and are marked", async () => {
  const { writer, add, read } = setUp([], { cwd: "/", sidechain: { parentSessionId: "p", agentId: "a1" } });
  add(stored(turn.slice(0, 1)));
  await writer.flush("s1");
  expect(await read()).toMatchObject([{ isSidechain: true, sessionId: "p", agentId: "a1", gitBranch: "" }]);
});

test("a folder that cannot be written is told once, and later all is there", async () => {
  const log: StoredMessage[] = [];
  const { writer, add, read, warnings } = setUp(log);
  await writeFile(join(folder, "deep"), "in the way");
  for (let count = 0; count < 2; count++) {
    add(stored(turn.slice(count, count + 1), count + 1));
    await writer.flush("s1");
  }
  expect(warnings).toHaveLength(1);
  await rm(join(folder, "deep"));
  add(stored(turn.slice(2), 3));
  await writer.flush("s1");
  expect(await read()).toHaveLength(6);
});

test("a line of someone else's at the end repeats nothing", async () => {
  const log: StoredMessage[] = [];
  const one = setUp(log);
  one.add(stored(turn));
  await one.writer.flush("s1");
  await writeFile(one.writer.path("s1"), '{"type":"summary","summary":"x"}\n', { flag: "a" });
  one.add(stored([{ role: "user", content: "more" }], 5));
  await one.writer.flush("s1");
  expect((await one.read()).slice(-2)).toMatchObject([{ type: "summary" }, { type: "user" }]);
  await one.writer.remove(["s1"]);
  await expect(one.read()).rejects.toThrow("ENOENT");
});

test("of a long session that has no file none is written before somebody asks for it, and then all is there", async () => {
  const long = Array.from({ length: 700 }, (_, at): Message => ({ role: "user", content: `note ${at}` }));
  const { writer, add, read } = setUp([...stored(long)]);
  add(stored([{ role: "user", content: "more" }], 701));
  await writer.settled();
  await expect(read()).rejects.toThrow("ENOENT");
  add(stored([{ role: "user", content: "and more" }], 702));
  await writer.flush("s1");
  expect(await read()).toHaveLength(702);
  add(stored([{ role: "user", content: "the last" }], 703));
  await writer.settled();
  expect(await read()).toHaveLength(703);
});
