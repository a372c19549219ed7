import { openSqliteStore } from "./store.ts";

const [task, file = "", sessionId = "", ...rest] = process.argv.slice(2);
if (task === "append") {
  const store = await openSqliteStore({ file });
  for (let count = 0; count < Number(rest[0]); count++) {
    await store.append(sessionId, "t", [{ role: "user", content: `from elsewhere ${count}` }]);
  }
  await store.close();
}
if (task === "claim") {
  const store = await openSqliteStore({ file });
  const [turnId = "", callId = ""] = rest;
  await store.claim(sessionId, turnId);
  await store.callStarted(sessionId, { callId, turnId, toolName: "terminal", args: {} });
  process.kill(process.pid, "SIGKILL");
}
if (task === "acknowledge") {
  // Prints the number of each message once it is stored, until it is killed.
  const store = await openSqliteStore({ file });
  for (let count = 0; ; count++) {
    const stored = await store.append(sessionId, "t", [
      { role: "assistant", content: `n${count}`, toolCalls: [{ id: `c${count}`, name: "x", args: { count } }] },
      { role: "tool", toolCallId: `c${count}`, toolName: "x", content: "y".repeat(3000) },
    ]);
    process.stdout.write(`${stored[0]?.seq}\n`);
  }
}
if (task === "open") {
  const store = await openSqliteStore({ file });
  await store.create({ id: `s${process.pid}`, source: "cli", cwd: "/", model: "", provider: "" });
  await store.close();
}
if (task === "read") {
  const store = await openSqliteStore({ file });
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
