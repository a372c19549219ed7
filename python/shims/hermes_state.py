"""The sessions of this home, to read."""
import json
import sqlite3
from pathlib import Path

from talaria_host import link


def _default_path():
    home = link.home()
    own = home / "talaria.db"
    return own if own.exists() else home / "state.db"


DEFAULT_DB_PATH = _default_path()


def apply_wal_with_fallback(connection, **_):
    try:
        connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.Error:
        connection.execute("PRAGMA journal_mode=DELETE")


class SessionDB:
    """Reads what the running program writes. Writing is refused: the sessions are Talaria's."""

    def __init__(self, db_path=None, read_only=True, **_):
        self.db_path = Path(db_path) if db_path else _default_path()
        if not self.db_path.exists():
            raise FileNotFoundError("there are no stored sessions yet: %s" % self.db_path)
        self._conn = sqlite3.connect(
            "file:%s?mode=ro" % str(self.db_path).replace("?", "%3f").replace("#", "%23"),
            uri=True,
            check_same_thread=False,
            timeout=5,
        )
        self._conn.row_factory = sqlite3.Row

    def _rows(self, query, values=()):
        return [dict(row) for row in self._conn.execute(query, values)]

    def _columns(self, table):
        return {row["name"] for row in self._rows("SELECT name FROM pragma_table_info(?)", (table,))}

    def get_session(self, session_id):
        rows = self._rows("SELECT * FROM sessions WHERE id = ?", (session_id,))
        return rows[0] if rows else None

    def list_sessions_rich(self, source=None, limit=20, offset=0, **_):
        where, values = ("WHERE source = ?", [source]) if source and "source" in self._columns("sessions") else ("", [])
        order = "started_at" if "started_at" in self._columns("sessions") else "rowid"
        query = "SELECT * FROM sessions %s ORDER BY %s DESC LIMIT ? OFFSET ?" % (where, order)
        return self._rows(query, [*values, limit, offset])

    search_sessions = list_sessions = list_sessions_rich

    def session_count(self, source=None):
        return len(self.list_sessions_rich(source=source, limit=-1))

    def get_messages(self, session_id, **_):
        rows = self._rows("SELECT * FROM messages WHERE session_id = ? ORDER BY rowid", (session_id,))
        for row in rows:
            if isinstance(row.get("tool_calls"), str):
                try:
                    row["tool_calls"] = json.loads(row["tool_calls"])
                except ValueError:
                    row["tool_calls"] = []
        return rows

    def get_messages_as_conversation(self, session_id, **_):
        kept = ("role", "content", "tool_calls", "tool_call_id", "tool_name")
        return [
            {name: row[name] for name in kept if row.get(name) is not None} for row in self.get_messages(session_id)
        ]

    def message_count(self, session_id=None):
        query = "SELECT count(*) AS n FROM messages" + (" WHERE session_id = ?" if session_id else "")
        return self._rows(query, (session_id,) if session_id else ())[0]["n"]

    def search_messages(self, query, limit=20, offset=0, **_):
        pattern = "%" + query.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        return self._rows(
            "SELECT * FROM messages WHERE content LIKE ? ESCAPE '\\' ORDER BY rowid DESC LIMIT ? OFFSET ?",
            (pattern, limit, offset),
        )

    def close(self):
        self._conn.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
