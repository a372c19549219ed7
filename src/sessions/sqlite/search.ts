import { sleep } from "#host";
import type { Message } from "#kernel";
import { isSessionError, type SessionErrorCode } from "../error.ts";
import type { SearchHit } from "../store.ts";
import type { Database, Sql, SqlRow, SqlValue } from "./database.ts";
import { likePattern, type SearchPlan, searchPlan, snippet } from "./search-query.ts";

export interface SessionSearch {
  search(
    text: string,
    options?: { readonly limit?: number; readonly sessionId?: string },
  ): Promise<readonly SearchHit[]>;
  /** Takes stored messages into the indexes, in short pieces; stops when told to or when all are in. */
  index(stopped?: () => boolean): Promise<void>;
}

const bearable: readonly SessionErrorCode[] = ["read_only", "full", "busy"];
/** Characters of one message that can be found. */
const SEARCHABLE = 32_768;
/** One piece of indexing keeps the database for about 20 ms. */
const PIECE = { rows: 200, characters: 60_000 };
/** Messages compared in one go where no index helps. */
const COMPARED = 4_000;

/**
 * Full-text search. Messages are indexed after they are stored, not while a turn waits;
 * what is not indexed yet is found by comparison.
 */
export function sessionSearch(database: Database): SessionSearch {
  const index = async (stopped: () => boolean = () => false): Promise<void> => {
    while (!stopped() && (await database.write(indexPiece))) await sleep(0);
  };
  const indexIfPossible = async (): Promise<void> => {
    if (database.readOnly) return;
    try {
      await index();
    } catch (error) {
      // What is not indexed is compared instead.
      if (!isSessionError(error) || !bearable.includes(error.code)) throw error;
    }
  };
  return {
    index,
    search: async (text, options = {}) => {
      const plan = searchPlan(text);
      if (plan === undefined) return [];
      const limit = Math.max(0, Math.trunc(options.limit ?? 20));
      await indexIfPossible();
      const wanted = { plan, limit, sessionId: options.sessionId };
      const indexed = await database.read(readWatermark);
      const indexable = plan.words !== undefined || plan.pieces !== undefined;
      const fresh = await compare(wanted, indexable ? indexed : 0);
      if (!indexable || fresh.length >= limit) return fresh;
      const rest = await database.read((sql) => lookUp(sql, { ...wanted, limit: limit - fresh.length }, indexed));
      return [...fresh, ...rest];
    },
  };

  async function compare(wanted: Wanted, after: number): Promise<readonly SearchHit[]> {
    const hits: SearchHit[] = [];
    let before = await database.read(
      (sql) => Number(sql.get("SELECT max(id) AS last FROM messages")?.["last"] ?? 0) + 1,
    );
    while (before > after + 1 && hits.length < wanted.limit) {
      const from = Math.max(after + 1, before - COMPARED);
      const range = { from, before };
      const rest = { ...wanted, limit: wanted.limit - hits.length };
      hits.push(...(await database.read((sql) => compared(sql, rest, range))));
      before = from;
      await sleep(0);
    }
    return hits;
  }
}

interface Wanted {
  readonly plan: SearchPlan;
  readonly limit: number;
  readonly sessionId: string | undefined;
}

function readWatermark(sql: Sql): number {
  return Number(sql.get("SELECT value FROM state_meta WHERE key = 'indexed_messages'")?.["value"] ?? 0);
}

/** True when more may be left. */
function indexPiece(sql: Sql): boolean {
  const after = readWatermark(sql);
  const rows = sql.arrays(
    `SELECT id, substr(content, 1, ${SEARCHABLE}), tool_name, substr(tool_calls, 1, ${SEARCHABLE}) FROM messages WHERE id > ? ORDER BY id LIMIT ${PIECE.rows}`,
    after,
  );
  let characters = 0;
  let last = after;
  for (const row of rows) {
    sql.run("INSERT INTO messages_fts (rowid, content, tool_name, tool_calls) VALUES (?, ?, ?, ?)", ...row);
    sql.run("INSERT INTO messages_fts_trigram (rowid, content, tool_name, tool_calls) VALUES (?, ?, ?, ?)", ...row);
    last = Number(row[0]);
    characters += String(row[1] ?? "").length + String(row[3] ?? "").length;
    if (characters > PIECE.characters) break;
  }
  if (last === after) return false;
  sql.run("INSERT OR REPLACE INTO state_meta (key, value) VALUES ('indexed_messages', ?)", String(last));
  return true;
}

const shown = "m.id, m.session_id, m.role, m.timestamp, m.content, m.tool_calls, m.tool_name";
const likeAny = "(m.content LIKE ? ESCAPE '\\' OR m.tool_calls LIKE ? ESCAPE '\\')";

function lookUp(sql: Sql, wanted: Wanted, indexed: number): readonly SearchHit[] {
  const { plan, sessionId } = wanted;
  const conditions: string[] = ["m.id <= ?"];
  const values: SqlValue[] = [indexed];
  const source = plan.words === undefined ? "messages_fts_trigram" : "messages_fts";
  conditions.push(`${source} MATCH ?`);
  values.push(plan.words ?? plan.pieces ?? "");
  if (plan.words !== undefined && plan.pieces !== undefined) {
    conditions.push("m.id IN (SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ?)");
    values.push(plan.pieces);
  }
  restrict(conditions, values, plan.patterns, sessionId);
  const text = `SELECT ${shown} FROM ${source} JOIN messages m ON m.id = ${source}.rowid WHERE ${conditions.join(" AND ")} ORDER BY ${source}.rank, m.id DESC LIMIT ?`;
  return sql.all(text, ...values, wanted.limit).map((row) => hit(row, plan.terms));
}

function compared(
  sql: Sql,
  wanted: Wanted,
  range: { readonly from: number; readonly before: number },
): readonly SearchHit[] {
  const conditions = ["m.id >= ?", "m.id < ?"];
  const values: SqlValue[] = [range.from, range.before];
  restrict(conditions, values, wanted.plan.terms.map(likePattern), wanted.sessionId);
  const text = `SELECT ${shown} FROM messages m WHERE ${conditions.join(" AND ")} ORDER BY m.id DESC LIMIT ?`;
  return sql.all(text, ...values, wanted.limit).map((row) => hit(row, wanted.plan.terms));
}

function restrict(
  conditions: string[],
  values: SqlValue[],
  patterns: readonly string[],
  sessionId: string | undefined,
): void {
  for (const pattern of patterns) {
    conditions.push(likeAny);
    values.push(pattern, pattern);
  }
  if (sessionId === undefined) return;
  conditions.push("m.session_id = ?");
  values.push(sessionId);
}

function hit(row: SqlRow, terms: readonly string[]): SearchHit {
  const content = String(row["content"] ?? "");
  const calls = String(row["tool_calls"] ?? "");
  const inContent = terms.some((term) => content.toLowerCase().includes(term.toLowerCase()));
  return {
    sessionId: String(row["session_id"]),
    seq: Number(row["id"]),
    role: String(row["role"]) as Message["role"],
    at: Math.round(Number(row["timestamp"]) * 1000),
    snippet: snippet(inContent || calls === "" ? content : calls, terms),
  };
}
