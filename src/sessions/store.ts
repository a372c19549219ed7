import type { Message, Usage } from "#kernel";

export interface SessionRecord {
  readonly id: string;
  /** Where it came from: `cli`, `run`, `subagent`, a platform's name, … */
  readonly source: string;
  readonly cwd: string;
  readonly model: string;
  readonly provider: string;
  readonly parentSessionId: string | undefined;
  readonly title: string | undefined;
  readonly systemPrompt: string | undefined;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly lastActiveAt: number;
  readonly endedAt: number | undefined;
  readonly endReason: string | undefined;
  /** All that were stored, inactive ones included. */
  readonly messageCount: number;
  readonly usage: Usage;
}

export interface NewSession {
  readonly id: string;
  readonly source: string;
  readonly cwd: string;
  readonly model: string;
  readonly provider: string;
  readonly parentSessionId?: string;
  readonly systemPrompt?: string;
}

/** A message in the append-only transcript. `seq` grows within a session and is never reused. */
export interface StoredMessage {
  readonly seq: number;
  readonly turnId: string;
  readonly at: number;
  readonly message: Message;
  /** False after `/undo` or compaction: kept, shown in exports, not sent to the model. */
  readonly active: boolean;
}

/** Journal of a tool call, written before it starts, so that a resumed session knows which outcomes are unknown. */
export interface CallStart {
  readonly callId: string;
  readonly turnId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface SessionQuery {
  readonly limit?: number;
  readonly source?: string;
  /** Sub-agents' sessions are hidden unless asked for. */
  readonly children?: boolean;
  readonly cwd?: string;
}

export interface SearchHit {
  readonly sessionId: string;
  readonly seq: number;
  readonly role: Message["role"];
  readonly at: number;
  readonly snippet: string;
}

/**
 * Where sessions live. Several processes may use one store at once. Every method that writes
 * is durable when it resolves; none rewrites a stored message.
 */
export interface SessionStore {
  create(session: NewSession): Promise<SessionRecord>;
  find(id: string): Promise<SessionRecord | undefined>;
  /** Resolves an id, a unique prefix of one, a title, or `last`. Rejects with `ambiguous` when several fit. */
  resolve(reference: string): Promise<SessionRecord | undefined>;
  /** The most recently active first; 50 unless `limit` says otherwise. */
  list(query?: SessionQuery): Promise<readonly SessionRecord[]>;
  update(
    id: string,
    change: Partial<
      Pick<SessionRecord, "title" | "model" | "provider" | "systemPrompt" | "cwd" | "endedAt" | "endReason">
    >,
  ): Promise<void>;

  append(sessionId: string, turnId: string, messages: readonly Message[]): Promise<readonly StoredMessage[]>;
  /**
   * The active messages in order; all of them with `inactive: true`. With `limit`, one page of the log in order of
   * `seq`: a summary then stands where it was written, not where it counts.
   */
  messages(
    sessionId: string,
    options?: { readonly inactive?: boolean; readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly StoredMessage[]>;
  /** Takes messages out of what the model sees, without deleting them. */
  deactivate(sessionId: string, seqs: readonly number[]): Promise<void>;
  /** In one transaction: deactivates `seqs` and inserts a summary where they were (order by `position`, then `seq`). */
  compact(sessionId: string, seqs: readonly number[], summary: readonly Message[]): Promise<readonly StoredMessage[]>;

  callStarted(sessionId: string, call: CallStart): Promise<void>;
  /** Calls that started, have no stored result, and belong to no running turn of a living process. */
  openCalls(sessionId: string): Promise<readonly CallStart[]>;

  /** Claims the session for this process while a turn runs; false when a living process holds it. */
  claim(sessionId: string, turnId: string): Promise<boolean>;
  release(sessionId: string): Promise<void>;

  addUsage(sessionId: string, usage: Usage): Promise<void>;
  search(
    text: string,
    options?: { readonly limit?: number; readonly sessionId?: string },
  ): Promise<readonly SearchHit[]>;
  /** With its children; false when there is no such session. Rejects with `in_use` while a living process runs a turn of it. */
  delete(id: string): Promise<boolean>;
  close(): Promise<void>;
}
