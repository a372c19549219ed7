import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ExportFormat, exportSession } from "./export.ts";
import { openSqliteStore, type SqliteStore } from "./sqlite/store.ts";

let folder: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-"));
  store = await openSqliteStore({ file: join(folder, "state.db") });
  await store.create({ id: "s1", source: "cli", cwd: "/work", model: "m", provider: "p" });
  const stored = await store.append("s1", "t1", [
    { role: "user", content: "my key is sk-secret" },
    {
      role: "assistant",
      content: "",
      reasoning: [{ text: "one\ntwo" }],
      toolCalls: [{ id: "c1", name: "terminal", args: { command: "echo sk-secret", deep: [{ password: "hunter2" }] } }],
    },
    { role: "tool", toolCallId: "c1", toolName: "terminal", content: "```\nfenced\n```\n" },
    { role: "assistant", content: "Done." },
  ]);
  await store.deactivate("s1", [stored[3]?.seq ?? 0]);
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function whole(format: ExportFormat): Promise<string> {
  const redact = (text: string, key: string) => (key === "password" ? "***" : text.replaceAll("sk-secret", "***"));
  const pieces: string[] = [];
  for await (const piece of exportSession(store, "s1", { format, redact })) pieces.push(piece);
  const text = pieces.join("");
  expect(text).not.toMatch(/sk-secret|hunter2/);
  return text;
}

test("JSON holds the session and all messages, inactive ones marked", async () => {
  const read = JSON.parse(await whole("json"));
  expect(read.session).toMatchObject({ id: "s1", cwd: "/work", messageCount: 4 });
  expect(read.session.startedAt).toMatch(/^\d{4}-.*Z$/);
  expect(read.messages.map((message: { role: string; active: boolean }) => [message.role, message.active])).toEqual([
    ["user", true],
    ["assistant", true],
    ["tool", true],
    ["assistant", false],
  ]);
  expect(read.messages[1].toolCalls[0].args).toEqual({ command: "echo ***", deep: [{ password: "***" }] });
});

test("JSONL has one line for the session and one for each message", async () => {
  const lines = (await whole("jsonl"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.type)).toEqual(["session", "message", "message", "message", "message"]);
});

test("Markdown reads as a conversation", async () => {
  const text = (await whole("markdown")).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE");
  expect(text).toBe(`# Session s1

- **Session:** s1
- **Source:** cli
- **Model:** p/m
- **Folder:** /work
- **Started:** DATE
- **Messages:** 4
- **Tokens:** 0 in, 0 out

## User · DATE

my key is ***

## Assistant · DATE

> one
> two

**Calls terminal** (c1)

\`\`\`json
{
  "command": "echo ***",
  "deep": [
    {
      "password": "***"
    }
  ]
}
\`\`\`

## Result of terminal · DATE

\`\`\`\`
\`\`\`
fenced
\`\`\`
\`\`\`\`

## Assistant · DATE · no longer in the conversation

Done.
`);
});

test("many messages come in pieces, in order and without a gap", async () => {
  for (let count = 0; count < 1200; count++) await store.append("s1", "t", [{ role: "user", content: `n${count}` }]);
  const pieces: string[] = [];
  for await (const piece of exportSession(store, "s1", { format: "jsonl", redact: (text) => text })) pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(3);
  const numbers = pieces.join("").match(/"n\d+"/g);
  expect(numbers).toEqual(Array.from({ length: 1200 }, (_, index) => `"n${index}"`));
});

test("a session that is not there is refused by name", async () => {
  const pieces = exportSession(store, "none", { format: "json", redact: (text) => text });
  await expect(pieces.next()).rejects.toThrow("no session none");
});
