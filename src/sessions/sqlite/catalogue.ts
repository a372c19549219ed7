import { now } from "#host";
import type { Usage } from "#kernel";
import { SessionError } from "../error.ts";
import type { NewSession, SessionQuery, SessionRecord, SessionStore } from "../store.ts";
import type { Database, Sql, SqlValue } from "./database.ts";
import { resultCode } from "./failure.ts";
import { assignments, type SessionChange, sessionRecord } from "./session-row.ts";

type Catalogue = Pick<SessionStore, "create" | "find" | "resolve" | "list" | "update" | "addUsage" | "delete">;

export interface Deletion {
  isRunning(sessionId: string): Promise<boolean>;
  /** Runs after sessions have left the database: their spilled files and transcripts go too. */
  after(sessionIds: readonly string[]): Promise<void>;
}

const CONSTRAINT = 19;

export function sessionCatalogue(database: Database, deletion: Deletion): Catalogue {
  return {
    create: (session) => database.write((sql) => create(sql, session, now())),
    find: (id) => database.read((sql) => find(sql, id)),
    resolve: (reference) => database.read((sql) => resolve(sql, reference)),
    list: (query = {}) => database.read((sql) => list(sql, query)),
    update: (id, change) => database.write((sql) => update(sql, id, change)),
    addUsage: (id, usage) => database.write((sql) => addUsage(sql, id, usage)),
    delete: async (id) => {
      const ids = await database.read((sql) => family(sql, id));
      if (ids.length === 0) return false;
      for (const each of ids) {
        if (!(await deletion.isRunning(each))) continue;
        throw new SessionError("in_use", `Session ${each} has a turn running; stop it before deleting ${id}.`);
      }
      // Children first: when it is cut short, what is left can still be found by its parent.
      for (const each of ids) await database.write((sql) => remove(sql, each));
      await deletion.after(ids);
      return true;
    },
  };
}

function create(sql: Sql, session: NewSession, at: number): SessionRecord {
  const columns =
    "id, source, cwd, model, billing_provider, parent_session_id, system_prompt, started_at, last_activity_at";
  const { id, source, cwd, model, provider, parentSessionId = null, systemPrompt = null } = session;
  if (find(sql, id) !== undefined) throw new SessionError("exists", `There is a session ${id} already.`);
  const values = [id, source, cwd, model, provider, parentSessionId, systemPrompt, at / 1000, at / 1000];
  sql.run(`INSERT INTO sessions (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  return found(sql, id);
}

function find(sql: Sql, id: string): SessionRecord | undefined {
  const row = sql.get("SELECT * FROM sessions WHERE id = ?", id);
  return row && sessionRecord(row);
}

function found(sql: Sql, id: string): SessionRecord {
  const record = find(sql, id);
  if (record === undefined) throw new SessionError("not_found", `There is no session ${id}.`);
  return record;
}

function resolve(sql: Sql, reference: string): SessionRecord | undefined {
  const wanted = reference.trim();
  if (wanted === "") return undefined;
  if (wanted === "last") return list(sql, { limit: 1 })[0];
  const exact = find(sql, wanted);
  if (exact !== undefined) return exact;
  const titled = sql.all(
    "SELECT * FROM sessions WHERE title = ?1 COLLATE NOCASE ORDER BY title = ?1 DESC LIMIT 2",
    wanted,
  );
  const [first] = titled;
  if (first !== undefined && (titled.length === 1 || first["title"] === wanted)) return sessionRecord(first);
  const starting = sql.all(
    "SELECT * FROM sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY last_activity_at DESC LIMIT 6",
    wanted,
  );
  const [only] = starting;
  if (only === undefined) return undefined;
  if (starting.length === 1) return sessionRecord(only);
  const some = starting.slice(0, 5).map((row) => String(row["id"]));
  const more = starting.length > 5 ? ", …" : "";
  throw new SessionError(
    "ambiguous",
    `More than one session begins with ${wanted}: ${some.join(", ")}${more}. Give more of the id.`,
  );
}

function list(sql: Sql, query: SessionQuery): readonly SessionRecord[] {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  if (query.children !== true) conditions.push("parent_session_id IS NULL");
  if (query.source !== undefined) {
    conditions.push("source = ?");
    values.push(query.source);
  }
  if (query.cwd !== undefined) {
    conditions.push("cwd = ?");
    values.push(query.cwd);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const text = `SELECT * FROM sessions ${where} ORDER BY last_activity_at DESC, rowid DESC LIMIT ?`;
  return sql.all(text, ...values, query.limit ?? 50).map(sessionRecord);
}

function update(sql: Sql, id: string, change: SessionChange): void {
  const { text, values } = assignments(change);
  if (text === "") return;
  try {
    const { changes } = sql.run(`UPDATE sessions SET ${text} WHERE id = ?`, ...values, id);
    if (changes === 0) throw new SessionError("not_found", `There is no session ${id} to change.`);
  } catch (error) {
    if (resultCode(error) !== CONSTRAINT) throw error;
    throw new SessionError("title_taken", `Another session has the title "${change.title}" already.`, { cause: error });
  }
}

function addUsage(sql: Sql, id: string, usage: Usage): void {
  const { changes } = sql.run(
    `UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
       cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?,
       reasoning_tokens = reasoning_tokens + ?, api_call_count = api_call_count + 1,
       estimated_cost_usd = CASE WHEN ?6 IS NULL THEN estimated_cost_usd ELSE coalesce(estimated_cost_usd, 0) + ?6 END
     WHERE id = ?7`,
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    usage.reasoningTokens,
    usage.costUsd ?? null,
    id,
  );
  if (changes === 0) throw new SessionError("not_found", `There is no session ${id} to add usage to.`);
}

/** The session and all below it, the lowest first; a circle of parents ends. */
function family(sql: Sql, id: string): readonly string[] {
  const rows = sql.all(
    `WITH RECURSIVE below(id, depth) AS (
       SELECT id, 0 FROM sessions WHERE id = ?
       UNION SELECT child.id, depth + 1 FROM sessions child JOIN below ON child.parent_session_id = below.id WHERE depth < 100
     ) SELECT id, max(depth) AS depth FROM below GROUP BY id ORDER BY depth DESC`,
    id,
  );
  return rows.map((row) => String(row["id"]));
}

function remove(sql: Sql, id: string): void {
  for (const table of ["messages_fts", "messages_fts_trigram"]) {
    sql.run(`DELETE FROM ${table} WHERE rowid IN (SELECT id FROM messages WHERE session_id = ?)`, id);
  }
  for (const table of ["messages", "calls", "claims"]) sql.run(`DELETE FROM ${table} WHERE session_id = ?`, id);
  sql.run("DELETE FROM sessions WHERE id = ?", id);
}
