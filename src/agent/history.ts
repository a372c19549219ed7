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
  /** Takes the provider's own count of everything that is in the history now, `outstanding` messages excepted. */
  measure(tokens: number): void;
  append(turnId: string, messages: readonly Message[]): Promise<readonly StoredMessage[]>;
  /** Puts `replacement` where `seqs` were; the old ones stay in the store, inactive. */
  replace(seqs: readonly number[], replacement: readonly Message[]): Promise<readonly StoredMessage[]>;
  deactivate(seqs: readonly number[]): Promise<void>;
  /** Reads the session again when another process has added to it; true when it had. */
  refresh(): Promise<boolean>;
}

type HistoryPorts = Pick<AgentPorts, "transcript" | "log"> & { readonly store: SessionStore };

/** Reads the active messages of a stored session; a session that is not stored yet begins empty. */
export async function history(sessionId: string, ports: HistoryPorts, stored: boolean): Promise<History> {
  const { store } = ports;
  let messages: StoredMessage[] = stored ? [...(await store.messages(sessionId))] : [];
  let lastSeq = 0;
  const callIds = new Set<string>();
  let measured: { readonly tokens: number; readonly count: number } | undefined;
  let estimated: { readonly tokens: number; readonly count: number } = { tokens: 0, count: 0 };

  const estimateFrom = (from: number) =>
    messages.slice(from).reduce((sum, { message }) => sum + estimateTokens(message), 0);

  function know(entry: StoredMessage) {
    lastSeq = Math.max(lastSeq, entry.seq);
    if (entry.message.role !== "assistant") return;
    for (const call of entry.message.toolCalls ?? []) callIds.add(call.id);
  }
  messages.forEach(know);

  async function reload() {
    messages = [...(await store.messages(sessionId))];
    messages.forEach(know);
    measured = undefined;
    estimated = { tokens: 0, count: 0 };
  }

  // One after another: a reload must not lose what is appended beside it.
  let tail: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = tail.then(work, work);
    tail = next.catch(() => undefined);
    return next;
  }

  async function tell(turnId: string, added: readonly StoredMessage[]) {
    try {
      await ports.transcript?.(sessionId, turnId, added);
    } catch (error) {
      ports.log("warning", `the transcript file of session ${sessionId} was not written: ${errorText(error)}`);
    }
  }

  return {
    get messages() {
      return messages;
    },
    callIds,
    get tokens() {
      if (measured !== undefined) return measured.tokens + estimateFrom(measured.count);
      estimated = { tokens: estimated.tokens + estimateFrom(estimated.count), count: messages.length };
      return estimated.tokens;
    },
    measure(tokens) {
      measured = { tokens, count: messages.length };
    },
    append: (turnId, added) =>
      inTurn(async () => {
        if (added.length === 0) return [];
        const saved = await store.append(sessionId, turnId, added);
        for (const entry of saved) {
          messages.push(entry);
          know(entry);
        }
        if (ports.transcript !== undefined) await tell(turnId, saved);
        return saved;
      }),
    replace: (seqs, replacement) =>
      inTurn(async () => {
        const saved = await store.compact(sessionId, seqs, replacement);
        await reload();
        if (ports.transcript !== undefined) await tell(saved[0]?.turnId ?? "", saved);
        return saved;
      }),
    deactivate: (seqs) =>
      inTurn(async () => {
        await store.deactivate(sessionId, seqs);
        await reload();
      }),
    refresh: () =>
      inTurn(async () => {
        const news = await store.messages(sessionId, { afterSeq: lastSeq, inactive: true });
        if (news.length === 0) return false;
        await reload();
        return true;
      }),
  };
}
