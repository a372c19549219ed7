import { isAlive, ownIdentity, sleep, uuid } from "#host";
import type { SessionStore } from "../store.ts";
import { sessionCatalogue } from "./catalogue.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";
import { callJournal, type Processes } from "./journal.ts";
import { messageLog } from "./log.ts";
import { sessionSearch } from "./search.ts";

export interface SqliteStoreOptions extends DatabaseOptions {
  /** Other than the machine's, for tests. */
  readonly processes?: Processes;
  /** Runs after sessions have left the database: their spilled files and transcripts go too. */
  readonly afterDelete?: (sessionIds: readonly string[]) => Promise<void>;
}

export interface SqliteStore extends SessionStore {
  /** For other rooms' tables in the same file. */
  readonly database: Database;
}

/** Opens or makes the store; see docs/reference/sessions.md. Rejects with a `SessionError` as `openDatabase` does. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const database = await openDatabase(options);
  const { search, index } = sessionSearch(database);
  const journal = callJournal(database, options.processes ?? { self: ownIdentity, isAlive }, uuid());
  let closing = false;
  let indexing: Promise<void> | undefined;

  const indexSoon = (): void => {
    if (indexing !== undefined || closing || database.readOnly) return;
    indexing = sleep(0)
      .then(() => index(() => closing))
      .catch((error: unknown) => options.warn?.(`Messages are not indexed for search yet: ${String(error)}`))
      .finally(() => {
        indexing = undefined;
      });
  };

  return {
    database,
    ...sessionCatalogue(database, {
      isRunning: journal.isRunning,
      after: options.afterDelete ?? (async () => undefined),
    }),
    ...messageLog(database),
    callStarted: journal.callStarted,
    openCalls: journal.openCalls,
    claim: journal.claim,
    release: async (sessionId) => {
      await journal.release(sessionId);
      indexSoon();
    },
    search,
    close: async () => {
      closing = true;
      await indexing;
      await database.close();
    },
  };
}
