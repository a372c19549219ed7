import type { DatabaseSync } from "node:sqlite";

export interface Note {
  readonly id: number;
  readonly content: string;
  readonly tags: string;
  /** ISO 8601. */
  readonly created: string;
}

/** Notes in one SQLite file, opened when it is first used; several processes may use it at once. */
export interface Notebook {
  /** Keeps a note; one with the same words is not kept twice. */
  add(content: string, tags: string): Note;
  /** Best first; without words the latest. */
  search(query: string, limit: number): readonly Note[];
  remove(id: number): boolean;
  close(): void;
}

const columns = "id, content, tags, created";

export function notebook(file: string): Notebook {
  let open: DatabaseSync | undefined;
  const database = (): DatabaseSync => {
    open ??= opened(file);
    return open;
  };
  return {
    add(content, tags) {
      const created = new Date().toISOString();
      database()
        .prepare(
          "INSERT INTO notes (content, tags, created) VALUES (?, ?, ?) ON CONFLICT (content) DO UPDATE SET tags = excluded.tags",
        )
        .run(content, tags, created);
      return noteOf(database().prepare(`SELECT ${columns} FROM notes WHERE content = ?`).get(content));
    },
    search(query, limit) {
      const words = query.match(/[\p{L}\p{N}_]+/gu) ?? [];
      if (words.length === 0)
        return database().prepare(`SELECT ${columns} FROM notes ORDER BY id DESC LIMIT ?`).all(limit).map(noteOf);
      const match = words
        .slice(0, 50)
        .map((word) => `"${word}"*`)
        .join(" OR ");
      return database()
        .prepare(
          "SELECT n.id, n.content, n.tags, n.created FROM found JOIN notes n ON n.id = found.rowid WHERE found MATCH ? ORDER BY bm25(found), n.id DESC LIMIT ?",
        )
        .all(match, limit)
        .map(noteOf);
    },
    remove: (id) => Number.isInteger(id) && database().prepare("DELETE FROM notes WHERE id = ?").run(id).changes > 0,
    close() {
      open?.close();
      open = undefined;
    },
  };
}

function opened(file: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE, tags TEXT NOT NULL, created TEXT NOT NULL);
    CREATE VIRTUAL TABLE IF NOT EXISTS found USING fts5 (content, tags, content = 'notes', content_rowid = 'id');
    CREATE TRIGGER IF NOT EXISTS note_added AFTER INSERT ON notes BEGIN
      INSERT INTO found (rowid, content, tags) VALUES (new.id, new.content, new.tags);
    END;
    CREATE TRIGGER IF NOT EXISTS note_removed AFTER DELETE ON notes BEGIN
      INSERT INTO found (found, rowid, content, tags) VALUES ('delete', old.id, old.content, old.tags);
    END;
    CREATE TRIGGER IF NOT EXISTS note_changed AFTER UPDATE ON notes BEGIN
      INSERT INTO found (found, rowid, content, tags) VALUES ('delete', old.id, old.content, old.tags);
      INSERT INTO found (rowid, content, tags) VALUES (new.id, new.content, new.tags);
    END;
  `);
  return database;
}

function noteOf(row: unknown): Note {
  const { id, content, tags, created } = { ...(row as object) } as Readonly<Record<string, unknown>>;
  return { id: Number(id), content: String(content), tags: String(tags), created: String(created) };
}
