import { now } from "#host";
import type { Message } from "#kernel";
import { SessionError } from "../error.ts";
import type { SessionStore, StoredMessage } from "../store.ts";
import type { Database, Sql } from "./database.ts";
import {
  foreignMessage,
  messageColumns,
  messageValues,
  type Place,
  storedColumns,
  storedMessage,
} from "./message-row.ts";

type Log = Pick<SessionStore, "append" | "messages" | "deactivate" | "compact">;

interface Spot extends Place {
  readonly sessionId: string;
  /** Where a summary stands; null: at the end. */
  readonly position: number | null;
}

const insertion = `INSERT INTO messages (session_id, position, ${messageColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The append-only messages of every session. No statement here changes what a message says. */
export function messageLog(database: Database): Log {
  return {
    append: (sessionId, turnId, messages) =>
      database.write((sql) => insert(sql, { sessionId, turnId, at: now(), position: null }, messages)),

    messages: (sessionId, options = {}) => database.read((sql) => read(sql, sessionId, options)),

    deactivate: (sessionId, seqs) =>
      database.write((sql) => {
        sql.run(retire("active = 0"), sessionId, JSON.stringify(seqs));
        sql.run("UPDATE sessions SET rewind_count = rewind_count + 1 WHERE id = ?", sessionId);
      }),

    compact: (sessionId, seqs, summary) =>
      database.write((sql) => {
        const list = JSON.stringify(seqs);
        const place = sql.get(
          "SELECT min(coalesce(position, id)) AS position, max(id) AS last FROM messages WHERE session_id = ? AND id IN (SELECT value FROM json_each(?))",
          sessionId,
          list,
        );
        const position = typeof place?.["position"] === "number" ? place["position"] : null;
        const last = sql.get("SELECT turn_id FROM messages WHERE id = ?", place?.["last"] ?? null);
        sql.run(retire("active = 0, compacted = 1"), sessionId, list);
        return insert(sql, { sessionId, turnId: String(last?.["turn_id"] ?? ""), at: now(), position }, summary);
      }),
  };
}

function read(
  sql: Sql,
  sessionId: string,
  options: NonNullable<Parameters<SessionStore["messages"]>[1]>,
): readonly StoredMessage[] {
  const active = options.inactive ? "" : "AND active = 1";
  const after = options.afterSeq ?? 0;
  // The plus keeps SQLite from choosing the index of numbers and sorting what the other index has in order.
  const from = (columns: string, id: string) =>
    `SELECT ${columns} FROM messages WHERE session_id = ? AND ${id} > ? ${active}`;
  const rows =
    options.limit === undefined
      ? sql.arrays(`${from(storedColumns, "+id")} ORDER BY coalesce(position, id), id`, sessionId, after)
      : sql.arrays(`${from(storedColumns, "id")} ORDER BY id LIMIT ?`, sessionId, after, options.limit);
  const stored: (StoredMessage | undefined)[] = [];
  const foreign: number[] = [];
  for (const row of rows) {
    const ours = storedMessage(row);
    if (ours === undefined) foreign.push(Number(row[0]));
    stored.push(ours);
  }
  if (foreign.length === 0) return stored as readonly StoredMessage[];
  const others = sql.all(`${from("*", "+id")} AND extra IS NULL`, sessionId, after).map(foreignMessage);
  const bySeq = new Map(others.map((other) => [other.seq, other]));
  const next = foreign.values();
  return stored.flatMap((each) => each ?? bySeq.get(next.next().value ?? 0) ?? []);
}

function retire(change: string): string {
  return `UPDATE messages SET ${change} WHERE session_id = ? AND active = 1 AND id IN (SELECT value FROM json_each(?))`;
}

function insert(sql: Sql, place: Spot, messages: readonly Message[]): readonly StoredMessage[] {
  const { sessionId, turnId, at, position } = place;
  const calls = messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? (message.toolCalls?.length ?? 0) : 0),
    0,
  );
  const { changes } = sql.run(
    "UPDATE sessions SET message_count = message_count + ?, tool_call_count = tool_call_count + ?, last_activity_at = max(last_activity_at, ?) WHERE id = ?",
    messages.length,
    calls,
    at / 1000,
    sessionId,
  );
  if (changes === 0) throw new SessionError("not_found", `There is no session ${sessionId} to add messages to.`);
  return messages.map((message) => {
    const { lastId } = sql.run(insertion, sessionId, position, ...messageValues(message, place));
    if (message.role === "tool") {
      sql.run("DELETE FROM calls WHERE session_id = ? AND call_id = ?", sessionId, message.toolCallId);
    }
    return { seq: lastId, turnId, at, message, active: true };
  });
}
