import type { DatabaseSync } from "node:sqlite";
import { SessionError } from "../error.ts";

/** `TALA`: in the header of every database of ours, where Hermes's have 0. */
const APPLICATION_ID = 0x54414c41;

/**
 * `sessions` and `messages` have the columns of Hermes's tables under their names, then ours,
 * so that hooks which read a Hermes database read this one; docs/reference/sessions.md lists them.
 */
const first = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  user_id TEXT,
  model TEXT,
  model_config TEXT,
  system_prompt TEXT,
  parent_session_id TEXT,
  started_at REAL NOT NULL,
  ended_at REAL,
  end_reason TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cwd TEXT,
  billing_provider TEXT,
  billing_base_url TEXT,
  billing_mode TEXT,
  estimated_cost_usd REAL,
  actual_cost_usd REAL,
  cost_status TEXT,
  cost_source TEXT,
  pricing_version TEXT,
  title TEXT,
  api_call_count INTEGER NOT NULL DEFAULT 0,
  handoff_state TEXT,
  handoff_platform TEXT,
  handoff_error TEXT,
  rewind_count INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  last_activity_at REAL NOT NULL DEFAULT 0
);
CREATE INDEX sessions_activity ON sessions(last_activity_at DESC);
CREATE INDEX sessions_source ON sessions(source, id);
CREATE INDEX sessions_parent ON sessions(parent_session_id);
CREATE UNIQUE INDEX sessions_title ON sessions(title) WHERE title IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL,
  content TEXT,
  tool_call_id TEXT,
  tool_calls TEXT,
  tool_name TEXT,
  timestamp REAL NOT NULL,
  token_count INTEGER,
  finish_reason TEXT,
  reasoning TEXT,
  reasoning_content TEXT,
  reasoning_details TEXT,
  codex_reasoning_items TEXT,
  codex_message_items TEXT,
  platform_message_id TEXT,
  observed INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1,
  compacted INTEGER NOT NULL DEFAULT 0,
  turn_id TEXT,
  position INTEGER,
  extra TEXT
);
CREATE INDEX messages_session ON messages(session_id, id);
CREATE INDEX messages_active ON messages(session_id, coalesce(position, id), id) WHERE active = 1;

CREATE VIRTUAL TABLE messages_fts USING fts5(content, tool_name, tool_calls, content='', contentless_delete=1);
CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(content, tool_name, tool_calls, content='', contentless_delete=1, tokenize='trigram');

CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  args TEXT NOT NULL,
  started_at REAL NOT NULL
);
CREATE INDEX calls_session ON calls(session_id, call_id);

CREATE TABLE claims (
  session_id TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL,
  boot TEXT NOT NULL,
  claimed_at REAL NOT NULL
);

CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
`;

/** Only ever appended to: the number of a migration is its place, counted from 1. */
const migrations: readonly string[] = [first];

/** Brings the schema up to date; several processes may do so at once. With `readOnly` it only checks that it can be read. */
export function migrate(connection: DatabaseSync, file: string, readOnly = false): void {
  const known = migrations.length;
  const before = check(connection, file);
  if (before === known) return;
  if (readOnly) {
    if (before > 0) return;
    throw new SessionError("cannot_open", `${file} holds no sessions yet and may only be read.`);
  }
  connection.exec("BEGIN IMMEDIATE");
  try {
    for (let version = check(connection, file); version < known; version++) {
      connection.exec(migrations[version] ?? "");
    }
    connection.exec("CREATE TABLE IF NOT EXISTS talaria_schema (version INTEGER NOT NULL)");
    connection.exec("DELETE FROM talaria_schema");
    connection.prepare("INSERT INTO talaria_schema VALUES (?)").run(known);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec("COMMIT");
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

function check(connection: DatabaseSync, file: string): number {
  const names = connection.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('talaria_schema', 'sessions')",
  );
  const tables = names.all().map((row) => row["name"]);
  if (!tables.includes("talaria_schema")) {
    if (tables.length === 0) return 0;
    throw new SessionError(
      "foreign",
      `${file} was made by another program (a Hermes home?) and is left alone. Name another home with TALARIA_HOME.`,
    );
  }
  const version = Number(
    connection.prepare("SELECT max(version) AS version FROM talaria_schema").get()?.["version"] ?? 0,
  );
  if (version <= migrations.length) return version;
  throw new SessionError(
    "newer_schema",
    `${file} was written by a newer Talaria (schema ${version}; this one knows ${migrations.length}). Update this Talaria, or use another home.`,
  );
}

/** Whether the first 100 bytes of a `state.db` say that it is ours and not Hermes's. */
export function isTalariaDatabase(header: Uint8Array): boolean {
  if (header.length < 72) return false;
  return new DataView(header.buffer, header.byteOffset).getUint32(68) === APPLICATION_ID;
}
