import { readFileSync, readlinkSync } from "node:fs";
import { openSqliteStore, type SqliteStore } from "./store.ts";

/** What tests open: real clock, real processes (Linux). */
export function openForTest(file: string, more: object = {}): Promise<SqliteStore> {
  return openSqliteStore({
    file,
    now: () => Date.now(),
    pause: (ms) => new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms))),
    owner: crypto.randomUUID(),
    processes: {
      self: { pid: process.pid, start: startOf(process.pid) ?? "", boot: boot() },
      isAlive: ({ pid, start, boot: then }) => then === boot() && startOf(pid) === start,
    },
    ...more,
  });
}

function boot(): string {
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

const [task, file = "", sessionId = "", ...rest] = import.meta.main ? process.argv.slice(2) : [];
if (task === "append") {
  const store = await openForTest(file);
  for (let count = 0; count < Number(rest[0]); count++) {
    await store.append(sessionId, "t", [{ role: "user", content: `from elsewhere ${count}` }]);
  }
  await store.close();
}
if (task === "claim") {
  const store = await openForTest(file);
  const [turnId = "", callId = ""] = rest;
  await store.claim(sessionId, turnId);
  await store.callStarted(sessionId, { callId, turnId, toolName: "terminal", args: {} });
  process.kill(process.pid, "SIGKILL");
}
if (task === "acknowledge") {
  // Prints the number of each message once it is stored, until it is killed.
  const store = await openForTest(file);
  for (let count = 0; ; count++) {
    const stored = await store.append(sessionId, "t", [
      { role: "assistant", content: `n${count}`, toolCalls: [{ id: `c${count}`, name: "x", args: { count } }] },
      { role: "tool", toolCallId: `c${count}`, toolName: "x", content: "y".repeat(3000) },
    ]);
    process.stdout.write(`${stored[0]?.seq}\n`);
  }
}
if (task === "open") {
  const store = await openForTest(file);
  await store.create({ id: `s${process.pid}`, source: "cli", cwd: "/", model: "", provider: "" });
  await store.close();
}
if (task === "read") {
  const store = await openForTest(file);
  const sessions = await store.list();
  const hits = await store.search(rest[0] ?? "");
  const append = await store.append(sessionId, "t", [{ role: "user", content: "x" }]).then(
    () => "stored",
    (error: { code?: string }) => error.code,
  );
  const messages = await store.messages(sessionId);
  process.stdout.write(
    JSON.stringify({ sessions: sessions.length, hits: hits.length, messages: messages.length, append }),
  );
  await store.close();
}
