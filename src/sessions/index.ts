export { isSessionError, SessionError, type SessionErrorCode } from "./error.ts";
export type { Database, DatabaseOptions, Sql, SqlRow, SqlValue } from "./sqlite/database.ts";
export type { Processes } from "./sqlite/journal.ts";
export { isTalariaDatabase } from "./sqlite/migrations.ts";
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from "./sqlite/store.ts";
export type {
  CallStart,
  NewSession,
  SearchHit,
  SessionQuery,
  SessionRecord,
  SessionStore,
  StoredMessage,
} from "./store.ts";
