import { join } from "node:path";
import { appendLine, ensureDirectory, now, redactValue } from "#host";
import type { FiringRecord } from "#kernel";
import { rows } from "#kernel";
import { sessionFolder } from "../session-files.ts";

/** What hooks were told and what came of it, one line of JSON for each event, beside the session's other files. */
export interface RecordedEvent {
  readonly event: string;
  readonly at: number;
  readonly cwd: string;
  /** Null where it was too long to be kept. */
  readonly payload: object | null;
  /** Secrets were taken out: what is here is not what hooks were told. */
  readonly masked: boolean;
  readonly verdict: string | null;
  readonly reason: string | null;
  readonly halt: string | null;
  /** The arguments after all rewrites; null where none was made. */
  readonly args: object | null;
}

export const journalFile = (home: string, sessionId: string): string =>
  join(sessionFolder(home, sessionId), "events.jsonl");

/** Keys that repeat the conversation: it is in the store. */
const repeated = new Set(["conversationHistory", "requestMessages", "request", "originalRequest", "response"]);
const mostCharacters = 256 * 1024;

export interface Journal {
  /** Nothing is written before hooks are in force. */
  enabled: boolean;
  record(firing: FiringRecord): void;
  /** Settles when all lines are written. Never rejects. */
  flush(): Promise<void>;
}

export function eventJournal(home: string, mode: "off" | "masked" | "full", warn: (message: string) => void): Journal {
  let last: Promise<void> = Promise.resolve();
  const write = async (sessionId: string, line: string): Promise<void> => {
    try {
      await ensureDirectory(sessionFolder(home, sessionId), 0o700);
      await appendLine(journalFile(home, sessionId), line);
    } catch (error) {
      warn(`an event of session ${sessionId} could not be recorded: ${String(error)}`);
    }
  };
  return {
    enabled: false,
    record(firing) {
      if (!this.enabled || mode === "off" || !heardByHooks(firing.event)) return;
      const { sessionId, cwd } = firing.context as { readonly sessionId?: string; readonly cwd?: string };
      if (sessionId === undefined || cwd === undefined) return;
      const line = JSON.stringify(recorded(firing, cwd, mode));
      last = last.then(() => write(sessionId, line));
    },
    flush: () => last,
  };
}

const heardByHooks = (event: FiringRecord["event"]): boolean =>
  rows[event].row.views.some(({ dialect }) => dialect === "claude" || dialect === "shell");

function recorded({ event, payload, answer }: FiringRecord, cwd: string, mode: "masked" | "full"): RecordedEvent {
  const { verdict, halt, args } = (answer ?? {}) as {
    readonly verdict?: { readonly decision: string; readonly reason?: string };
    readonly halt?: string;
    readonly args?: object;
  };
  const kept = Object.fromEntries(Object.entries(shallow(payload)).filter(([, value]) => value !== undefined));
  const text = JSON.stringify(kept);
  const masked = mode === "masked" ? redactValue(kept) : kept;
  return {
    event,
    at: now(),
    cwd,
    payload: text.length > mostCharacters ? null : (masked as object),
    masked: mode === "masked" && JSON.stringify(masked) !== text,
    verdict: verdict?.decision ?? null,
    reason: verdict?.reason ?? null,
    halt: halt ?? null,
    args: args ?? null,
  };
}

/** Without reading what is costly to read. */
function shallow(payload: object): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(payload))
    copy[key] = repeated.has(key) ? [] : (payload as Readonly<Record<string, unknown>>)[key];
  return copy;
}
