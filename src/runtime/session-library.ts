import { homeFile } from "#config";
import { exists, redact, remove } from "#host";
import { exportSession, openSqliteStore, type SessionStore, type SqliteStore } from "#sessions";
import { type Span, spanStore, timeline } from "#trace";
import { transcriptFile } from "./claude-transcripts.ts";
import { type House, type HouseOptions, openHouse } from "./house.ts";
import { sessionFiles } from "./session-files.ts";

/** Stored sessions and their traces, without an agent. */
export interface SessionLibrary {
  readonly store: SessionStore;
  /** The spans of the last turn. */
  spans(sessionId: string): Promise<readonly Span[]>;
  drawTrace(
    sessionId: string,
    size: { readonly columns: number; readonly colour: boolean },
  ): Promise<readonly string[]>;
  exported(sessionId: string, format: "json" | "jsonl" | "markdown"): AsyncIterable<string>;
  close(): Promise<void>;
}

/** Opens the store of a home for reading, or for deleting. A home without a store is an empty library. */
export async function openSessions(options: HouseOptions): Promise<SessionLibrary> {
  const house = await openHouse(options);
  const readOnly = options.readOnly ?? false;
  const empty = readOnly && !(await exists(homeFile.store(house.home)));
  return sessionLibrary(empty ? await openSqliteStore({ file: ":memory:" }) : await openStore(house, readOnly));
}

/** The one place where the store of a home is opened. */
export async function openStore(house: House, readOnly: boolean): Promise<SqliteStore> {
  const { home, config, log } = house;
  const files = sessionFiles(home.path);
  const store = await openSqliteStore({
    file: homeFile.store(home),
    readOnly,
    warn: (message) => log.warning(message),
    afterDelete: async (ids) => {
      await spanStore(store.database, retention(config)).forget(ids);
      for (const id of ids) await files.forget(id);
      for (const id of ids) await remove(transcriptFile(home.path, id));
    },
  });
  return store;
}

export function retention({ settings }: House["config"]): { readonly days: number } {
  return { days: settings["trace.keep_days"] };
}

export function sessionLibrary(store: SqliteStore): SessionLibrary {
  const kept = spanStore(store.database);
  return {
    store,
    spans: (id) => kept.lastTurns(id, 1),
    async drawTrace(id, { columns, colour }) {
      const spans = await kept.lastTurns(id, 1);
      return spans.length === 0
        ? [`no trace is kept of session ${id}`]
        : timeline(spans, { width: columns, color: colour });
    },
    exported: (id, format) => exportSession(store, id, { format, redact: (text) => redact(text) }),
    close: () => store.close(),
  };
}
