import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { now, sleep } from "#host";
import { isSessionError, SessionError } from "../error.ts";
import { failure, isBusy, isUnwritable } from "./failure.ts";
import { migrate } from "./migrations.ts";

export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Statements inside one piece of work; each SQL text is compiled once per database. */
export interface Sql {
  run(text: string, ...values: SqlValue[]): { readonly changes: number; readonly lastId: number };
  get(text: string, ...values: SqlValue[]): SqlRow | undefined;
  all(text: string, ...values: SqlValue[]): readonly SqlRow[];
  /** Rows as arrays, one at a time: four times as fast as objects, and a row is garbage when the next one comes. */
  arrays(text: string, ...values: SqlValue[]): Iterable<readonly SqlValue[]>;
}

/** One open SQLite file. Work is synchronous and short, may be called again when the file was locked, and changes nothing but the database. */
export interface Database {
  readonly file: string;
  readonly readOnly: boolean;
  read<T>(work: (sql: Sql) => T): Promise<T>;
  /** In one transaction, in the order of the calls. Durable against a killed process when it resolves. */
  write<T>(work: (sql: Sql) => T): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Absolute; its folder exists. */
  readonly file: string;
  /** Never writes, not even a migration. A file that may only be read is opened so by itself. */
  readonly readOnly?: boolean;
  /** Told of what works but not as well as it could. */
  readonly warn?: (message: string) => void;
  /** Milliseconds for which a locked file is tried again; 10,000. */
  readonly patienceMs?: number;
}

/** SQLite's own wait blocks the whole process, so it is short and the rest of the patience is spent asleep. */
const BLOCKING_WAIT_MS = 15;

/** Rejects with `cannot_open`, `corrupt`, `newer_schema`, `foreign`, `busy` or `full`. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const retry = patience(options);
  let unwritable: unknown;
  if (options.readOnly !== true) {
    try {
      return database(await retry(() => openWritable(options)), options, false);
    } catch (error) {
      if (!isUnwritable(error)) throw failure(options.file, error);
      unwritable = error;
    }
  }
  try {
    return database(await retry(() => openReadable(options)), options, true);
  } catch (error) {
    const told = failure(options.file, error);
    // What kept it from being written says more than how the last way of reading it failed.
    throw unwritable === undefined || isSessionError(told, "corrupt") || error === told
      ? told
      : failure(options.file, unwritable);
  }
}

function openWritable(options: DatabaseOptions): DatabaseSync {
  return opened(new DatabaseSync(options.file, { timeout: BLOCKING_WAIT_MS }), (connection) => {
    // Before the log: whose file it is has to stand in its own head, however the first process ends.
    migrate(connection, options.file);
    const mode = connection.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
    if (mode === "wal") connection.exec("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 67108864");
    else if (mode !== "memory")
      options.warn?.(`${options.file}: this file system cannot share a write-ahead log; using a slower journal.`);
  });
}

function openReadable(options: DatabaseOptions): DatabaseSync {
  try {
    return opened(new DatabaseSync(options.file, { readOnly: true, timeout: BLOCKING_WAIT_MS }), (connection) =>
      migrate(connection, options.file, true),
    );
  } catch (error) {
    if (!isUnwritable(error)) throw error;
  }
  // Where the log's index cannot be made, SQLite reads only a file that it is told nobody changes.
  const address = new URL(`${pathToFileURL(options.file).href}?mode=ro&immutable=1`);
  return opened(new DatabaseSync(address, { readOnly: true }), (connection) => migrate(connection, options.file, true));
}

function opened(connection: DatabaseSync, prepare: (connection: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function patience(options: DatabaseOptions): <T>(work: () => T) => Promise<T> {
  return async (work) => {
    const deadline = now() + (options.patienceMs ?? 10_000);
    for (let wait = 2; ; wait = Math.min(wait * 1.6, 60)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || now() >= deadline) throw error;
      }
      await sleep(wait * (0.5 + Math.random()));
    }
  };
}

function database(connection: DatabaseSync, options: DatabaseOptions, readOnly: boolean): Database {
  const { file } = options;
  const retry = patience(options);
  const sql = statements(connection);
  let queue: Promise<unknown> = Promise.resolve();
  let closed = false;

  const usable = (): void => {
    if (closed) throw new SessionError("failed", `${file} has been closed.`);
  };
  const transaction = <T>(work: (sql: Sql) => T): T => {
    usable();
    connection.exec("BEGIN IMMEDIATE");
    try {
      const result = work(sql);
      connection.exec("COMMIT");
      return result;
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (connection.isTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  };
  const settle = async <T>(work: () => T): Promise<T> => {
    try {
      return await retry(work);
    } catch (error) {
      throw failure(file, error);
    }
  };

  return {
    file,
    readOnly,
    read: (work) =>
      settle(() => {
        usable();
        return work(sql);
      }),
    write: (work) => {
      const result = queue.then(() => settle(() => transaction(work)));
      queue = result.then(ignore, ignore);
      return result;
    },
    close: async () => {
      await queue;
      if (closed) return;
      closed = true;
      connection.close();
    },
  };
}

function ignore(): void {
  // The caller of the write gets its outcome; the queue only needs its end.
}

function statements(connection: DatabaseSync): Sql {
  const compiled = new Map<string, StatementSync>();
  const statement = (text: string, arrays: boolean): StatementSync => {
    const key = arrays ? `a${text}` : `o${text}`;
    let found = compiled.get(key);
    if (found === undefined) {
      found = connection.prepare(text);
      found.setReturnArrays(arrays);
      compiled.set(key, found);
    }
    return found;
  };
  return {
    run: (text, ...values) => {
      const { changes, lastInsertRowid } = statement(text, false).run(...values);
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    },
    get: (text, ...values) => statement(text, false).get(...values) as SqlRow | undefined,
    all: (text, ...values) => statement(text, false).all(...values) as unknown as readonly SqlRow[],
    arrays: (text, ...values) =>
      statement(text, true).iterate(...values) as Iterable<unknown> as Iterable<readonly SqlValue[]>,
  };
}
