import { now } from "#host";
import type { Attributes, Span } from "./span.ts";

type Value = string | number | null;

/** What of a database the spans need; the store of sessions has it. */
export interface SpanDatabase {
  readonly readOnly: boolean;
  read<T>(work: (sql: SpanSql) => T): Promise<T>;
  write<T>(work: (sql: SpanSql) => T): Promise<T>;
}
export interface SpanSql {
  run(text: string, ...values: Value[]): unknown;
  all(text: string, ...values: Value[]): readonly Readonly<Record<string, unknown>>[];
}

export interface SpanStore {
  /** Writes one batch in one transaction. */
  add(spans: readonly Span[]): Promise<void>;
  /** The spans of the last turns of a session, oldest first, each turn's in order of their start. */
  lastTurns(sessionId: string, count?: number): Promise<readonly Span[]>;
  /** Spans of one kind since a time in epoch milliseconds, newest first; for the counters of handlers. */
  ofKind(kind: Span["kind"], options?: { readonly since?: number; readonly limit?: number }): Promise<readonly Span[]>;
  forget(sessionIds: readonly string[]): Promise<void>;
}

export interface Retention {
  /** Days that spans are kept; 14. */
  readonly days?: number;
  /** Spans that are kept at most; 100,000. */
  readonly spans?: number;
}

const columns = "id, parent_id, session_id, turn_id, kind, name, started_at, ended_at, status, attributes";
const table = `CREATE TABLE IF NOT EXISTS spans (
  id TEXT NOT NULL, parent_id TEXT, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  started_at REAL NOT NULL, ended_at REAL NOT NULL, status TEXT NOT NULL, attributes TEXT NOT NULL
)`;
const indexes = [
  "CREATE INDEX IF NOT EXISTS spans_session ON spans(session_id, started_at)",
  "CREATE INDEX IF NOT EXISTS spans_kind ON spans(kind, started_at)",
  "CREATE INDEX IF NOT EXISTS spans_age ON spans(started_at)",
];
const DAY = 86_400_000;
/** Old spans leave in pieces of this size, one piece every so many batches. */
const PRUNE = { rows: 5_000, batches: 50 };

/** Spans in a table of their own; made when the first one comes. */
export function spanStore(database: SpanDatabase, retention: Retention = {}): SpanStore {
  const keep = { ms: (retention.days ?? 14) * DAY, spans: retention.spans ?? 100_000 };
  let made = false;
  let batches = 0;

  const read = async (text: string, ...values: Value[]): Promise<readonly Span[]> => {
    const known = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'spans'";
    return database.read((sql) => (sql.all(known).length === 0 ? [] : sql.all(text, ...values).map(readSpan)));
  };

  return {
    add: async (spans) => {
      await database.write((sql) => {
        if (!made) for (const statement of [table, ...indexes]) sql.run(statement);
        for (const span of spans) insert(sql, span);
        if (batches % PRUNE.batches === 0) prune(sql, keep);
      });
      made = true;
      batches++;
    },
    lastTurns: (sessionId, count = 1) =>
      read(
        `SELECT ${columns} FROM spans WHERE session_id = ?1 AND turn_id IN (
           SELECT turn_id FROM spans WHERE session_id = ?1 GROUP BY turn_id ORDER BY max(started_at) DESC LIMIT ?2
         ) ORDER BY started_at, rowid`,
        sessionId,
        count,
      ),
    ofKind: (kind, { since = 0, limit = 20_000 } = {}) =>
      read(
        `SELECT ${columns} FROM spans WHERE kind = ? AND started_at >= ? ORDER BY started_at DESC LIMIT ?`,
        kind,
        since,
        limit,
      ),
    forget: async (sessionIds) => {
      await database.write((sql) => {
        for (const statement of [table, ...indexes]) sql.run(statement);
        for (const id of sessionIds) sql.run("DELETE FROM spans WHERE session_id = ?", id);
      });
    },
  };
}

function insert(sql: SpanSql, span: Span): void {
  const { id, parentId = null, sessionId, turnId, kind, name, startedAt, endedAt, status } = span;
  const values = [id, parentId, sessionId, turnId, kind, name, startedAt, endedAt, status];
  sql.run(
    `INSERT INTO spans (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...values,
    JSON.stringify(span.attributes),
  );
}

function prune(sql: SpanSql, keep: { readonly ms: number; readonly spans: number }): void {
  const some = `LIMIT ${PRUNE.rows}`;
  sql.run(`DELETE FROM spans WHERE rowid IN (SELECT rowid FROM spans WHERE started_at < ? ${some})`, now() - keep.ms);
  const newest = "(SELECT max(rowid) FROM spans)";
  sql.run(
    `DELETE FROM spans WHERE rowid IN (SELECT rowid FROM spans WHERE rowid <= ${newest} - ? ${some})`,
    keep.spans,
  );
}

function readSpan(row: Readonly<Record<string, unknown>>): Span {
  return {
    id: String(row["id"]),
    parentId: row["parent_id"] === null ? undefined : String(row["parent_id"]),
    sessionId: String(row["session_id"]),
    turnId: String(row["turn_id"]),
    kind: String(row["kind"]) as Span["kind"],
    name: String(row["name"]),
    startedAt: Number(row["started_at"]),
    endedAt: Number(row["ended_at"]),
    status: String(row["status"]) as Span["status"],
    attributes: readAttributes(String(row["attributes"])),
  };
}

function readAttributes(json: string): Attributes {
  const read: unknown = JSON.parse(json);
  return typeof read === "object" && read !== null ? (read as Attributes) : {};
}
