import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore, type SqliteStore } from "#sessions";
import type { Span } from "./span.ts";
import { spanStore } from "./store.ts";

let folder: string;
let sessions: SqliteStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "spans-"));
  sessions = await openSqliteStore({ file: join(folder, "state.db") });
});
afterEach(async () => {
  await sessions.close();
  await rm(folder, { recursive: true });
});

let number = 0;
function span(turnId: string, startedAt: number, more: Partial<Span> = {}): Span {
  const id = String(++number).padStart(16, "0");
  const common = { id, parentId: undefined, sessionId: "s", turnId, kind: "event", name: "e", status: "ok" } as const;
  return { ...common, startedAt, endedAt: startedAt + 1.5, attributes: { n: 1, ok: true, text: "ü" }, ...more };
}

test("the last turns of a session come back as they were", async () => {
  const store = spanStore(sessions.database);
  expect(await store.lastTurns("s")).toEqual([]);
  const at = Date.now();
  const old = [span("t1", at), span("t1", at + 1)];
  const late = [span("t2", at + 50, { parentId: "x", status: "blocked" }), span("t2", at + 51)];
  await store.add([...old, ...late.toReversed(), span("t3", at + 99, { sessionId: "other" })]);
  expect(await store.lastTurns("s")).toEqual(late);
  expect(await spanStore(sessions.database).lastTurns("s", 5)).toEqual([...old, ...late]);
});

test("spans leave by age and by number", async () => {
  const day = 86_400_000;
  const store = spanStore(sessions.database, { days: 2, spans: 3 });
  await store.add([span("old", Date.now() - 3 * day), span("t", Date.now() - day)]);
  expect((await store.lastTurns("s", 9)).map((each) => each.turnId)).toEqual(["t"]);
  const again = spanStore(sessions.database, { days: 2, spans: 3 });
  await again.add(Array.from({ length: 5 }, (_, index) => span(`n${index}`, Date.now() + index)));
  expect((await again.lastTurns("s", 9)).map((each) => each.turnId)).toEqual(["n2", "n3", "n4"]);
});

test("spans of deleted sessions are forgotten, and those of one kind are found", async () => {
  const store = spanStore(sessions.database);
  await store.forget(["s"]);
  await store.add([
    span("t", 1),
    span("t", Date.now(), { kind: "handler" }),
    span("t", Date.now(), { sessionId: "o" }),
  ]);
  expect(await store.ofKind("handler")).toHaveLength(1);
  expect(await store.ofKind("handler", { since: Date.now() + 1000 })).toHaveLength(0);
  await store.forget(["s"]);
  expect(await store.ofKind("handler")).toHaveLength(0);
  expect(await store.lastTurns("o")).toHaveLength(1);
});
