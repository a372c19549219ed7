export { isSessionError, SessionError, type SessionErrorCode } from "./error.ts";
export { type ExportFormat, type ExportOptions, exportSession } from "./export.ts";
export type { Database, DatabaseOptions, Sql, SqlRow, SqlValue } from "./sqlite/database.ts";
export type { Processes } from "./sqlite/journal.ts";
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
export { type TranscriptOptions, type Transcripts, transcripts } from "./transcript.ts";
export type { ClaudeTools, TranscriptFacts } from "./transcript-line.ts";
