import type { Message } from "#kernel";
import type { SessionStore, StoredMessage } from "#sessions";
import { errorText } from "./error.ts";
import type { AgentPorts } from "./settings.ts";
import { estimateTokens } from "./tokens.ts";

/** The active part of one session's transcript, in memory beside the store. What is here is stored. */
export interface History {
  readonly messages: readonly StoredMessage[];
  /** Ids of all calls in it. */
  readonly callIds: ReadonlySet<string>;
  /** Tokens of the next request as far as known: the provider's last count and an estimate of what came since. */
  readonly tokens: number;
  /** Takes the provider's own count of everything that is in the history now. */
  measure(tokens: number): void;
  append(turnId: string, messages: readonly Message[]): Promise<readonly StoredMessage[]>;
  /** Puts `replacement` where `seqs` were; the old ones stay in the store, inactive. */
  replace(seqs: readonly number[], replacement: readonly Message[]): Promise<readonly StoredMessage[]>;
  deactivate(seqs: readonly number[]): Promise<void>;
  /** Reads the session again when another process has added to it; true when it had. */
  refresh(): Promise<boolean>;
}

type HistoryPorts = Pick<AgentPorts, "transcript" | "log"> & { readonly store: SessionStore };

/** One thing after another: a reload must not lose what is appended beside it. */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let tail: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = tail.then(work, work);
    tail = next.catch(() => undefined);
    return next;
  };
}

interface Loaded {
  messages: StoredMessage[];
  lastSeq: number;
  /** The provider's count or nothing, and an estimate of each message since. */
  tokens: number;
  readonly callIds: Set<string>;
}

function know(loaded: Loaded, entry: StoredMessage): void {
  loaded.lastSeq = Math.max(loaded.lastSeq, entry.seq);
  loaded.tokens += estimateTokens(entry.message);
  if (entry.message.role !== "assistant") return;
  for (const call of entry.message.toolCalls ?? []) loaded.callIds.add(call.id);
}

/** Reads the active messages of a stored session; a session that is not stored yet begins empty. */
export async function history(sessionId: string, ports: HistoryPorts, stored: boolean): Promise<History> {
  const { store } = ports;
  const loaded: Loaded = { messages: [], lastSeq: 0, tokens: 0, callIds: new Set() };
  const inTurn = oneByOne();

  async function reload() {
    loaded.messages = [...(await store.messages(sessionId))];
    loaded.tokens = 0;
    for (const entry of loaded.messages) know(loaded, entry);
  }

  async function tell(turnId: string, added: readonly StoredMessage[]) {
    try {
      await ports.transcript?.(sessionId, turnId, added);
    } catch (error) {
      ports.log("warning", `the transcript file of session ${sessionId} was not written: ${errorText(error)}`);
    }
  }

  async function append(turnId: string, added: readonly Message[]) {
    if (added.length === 0) return [];
    const saved = await store.append(sessionId, turnId, added);
    for (const entry of saved) {
      loaded.messages.push(entry);
      know(loaded, entry);
    }
    if (ports.transcript !== undefined) await tell(turnId, saved);
    return saved;
  }

  async function replace(seqs: readonly number[], replacement: readonly Message[]) {
    const saved = await store.compact(sessionId, seqs, replacement);
    await reload();
    if (ports.transcript !== undefined) await tell(saved[0]?.turnId ?? "", saved);
    return saved;
  }

  async function deactivate(seqs: readonly number[]) {
    await store.deactivate(sessionId, seqs);
    await reload();
  }

  async function refresh() {
    const news = await store.messages(sessionId, { afterSeq: loaded.lastSeq, inactive: true });
    if (news.length === 0) return false;
    await reload();
    return true;
  }

  if (stored) await reload();
  return {
    get messages() {
      return loaded.messages;
    },
    get tokens() {
      return loaded.tokens;
    },
    callIds: loaded.callIds,
    measure: (tokens) => {
      loaded.tokens = tokens;
    },
    append: (turnId, added) => inTurn(() => append(turnId, added)),
    replace: (seqs, replacement) => inTurn(() => replace(seqs, replacement)),
    deactivate: (seqs) => inTurn(() => deactivate(seqs)),
    refresh: () => inTurn(refresh),
  };
}
