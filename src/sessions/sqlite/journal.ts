import { now, type ProcessIdentity } from "#host";
import type { CallStart, SessionStore } from "../store.ts";
import type { Database, Sql, SqlRow } from "./database.ts";
import { parsed } from "./message-row.ts";

interface Journal extends Pick<SessionStore, "callStarted" | "openCalls" | "claim" | "release"> {
  /** Whether a living process runs a turn of the session. */
  isRunning(sessionId: string): Promise<boolean>;
}

/** What the journal must know of processes. */
export interface Processes {
  self(): Promise<ProcessIdentity>;
  isAlive(process: ProcessIdentity): Promise<boolean>;
}

interface Claim {
  readonly turnId: string;
  readonly owner: string;
  readonly process: ProcessIdentity;
}

/** Which calls were started, and which process runs a turn of which session. `owner` names this open store among all that ever were. */
export function callJournal(database: Database, processes: Processes, owner: string): Journal {
  const held = new Map<string, string>();

  const isHeld = async (sessionId: string, claim: Claim): Promise<boolean> => {
    if (claim.owner === owner) return held.has(sessionId);
    return processes.isAlive(claim.process);
  };

  return {
    callStarted: (sessionId, call) =>
      database.write((sql) => {
        const columns = "session_id, turn_id, call_id, tool_name, args, started_at";
        const args = JSON.stringify(call.args);
        const values = [sessionId, call.turnId, call.callId, call.toolName, args, now() / 1000];
        sql.run(`INSERT INTO calls (${columns}) VALUES (?, ?, ?, ?, ?, ?)`, ...values);
      }),

    openCalls: async (sessionId) => {
      const [rows, claim] = await database.read((sql) => [
        sql.all("SELECT call_id, turn_id, tool_name, args FROM calls WHERE session_id = ? ORDER BY id", sessionId),
        readClaim(sql, sessionId),
      ]);
      const calls = rows.map(callStart);
      if (calls.length === 0 || claim === undefined || !(await isHeld(sessionId, claim))) return calls;
      return calls.filter((call) => call.turnId !== claim.turnId);
    },

    claim: async (sessionId, turnId) => {
      // Whether a process lives is asked outside of the transaction; the claim it was asked about must still stand inside.
      const { pid, start, boot } = await processes.self();
      for (;;) {
        const found = await database.read((sql) => readClaim(sql, sessionId));
        if (found !== undefined && (await isHeld(sessionId, found))) return false;
        const taken = await database.write((sql) => {
          if (!same(readClaim(sql, sessionId), found)) return false;
          sql.run(
            "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)",
            sessionId,
            turnId,
            owner,
            pid,
            start,
            boot,
            now() / 1000,
          );
          return true;
        });
        if (taken) {
          held.set(sessionId, turnId);
          return true;
        }
      }
    },

    isRunning: async (sessionId) => {
      const claim = await database.read((sql) => readClaim(sql, sessionId));
      return claim !== undefined && (await isHeld(sessionId, claim));
    },

    release: async (sessionId) => {
      // Forgotten here first: a row that cannot be deleted now does not keep the next turn out.
      held.delete(sessionId);
      await database.write((sql) => sql.run("DELETE FROM claims WHERE session_id = ? AND owner = ?", sessionId, owner));
    },
  };
}

function readClaim(sql: Sql, sessionId: string): Claim | undefined {
  const row = sql.get("SELECT turn_id, owner, pid, process_start, boot FROM claims WHERE session_id = ?", sessionId);
  if (row === undefined) return undefined;
  return {
    turnId: String(row["turn_id"]),
    owner: String(row["owner"]),
    process: { pid: Number(row["pid"]), start: String(row["process_start"]), boot: String(row["boot"]) },
  };
}

function same(one: Claim | undefined, other: Claim | undefined): boolean {
  return one?.owner === other?.owner && one?.turnId === other?.turnId;
}

function callStart(row: SqlRow): CallStart {
  const args = parsed(row["args"]);
  return {
    callId: String(row["call_id"]),
    turnId: String(row["turn_id"]),
    toolName: String(row["tool_name"]),
    args: typeof args === "object" && args !== null ? { ...args } : {},
  };
}
