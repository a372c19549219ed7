import type { Agent, Session, Surface } from "#agent";

/** Takes a message that nobody typed; false when it cannot. */
export type MessageTaker = (text: string) => boolean;

interface Talk {
  readonly session: Session;
  surface: Surface | undefined;
  running: number;
}

/** Which conversations are open in this process: where plugins act that no turn has called. */
export interface Talks {
  around(agent: Agent): Agent;
  /** The session of an id, else the one that was used last. */
  find(sessionId?: string): { readonly session: Session; readonly surface: Surface | undefined } | undefined;
  /** Who takes messages while a chat is open. Returns its undo. */
  onMessage(taker: MessageTaker): () => void;
  /** Into the open chat, else into a running turn; false where there is neither. */
  inject(text: string, sessionId?: string): boolean;
}

export function talks(): Talks {
  const open = new Map<string, Talk>();
  const takers = new Set<MessageTaker>();
  let last: Talk | undefined;
  const find = (sessionId?: string): Talk | undefined =>
    (sessionId === undefined ? undefined : open.get(sessionId)) ?? last;
  return {
    find,
    around: (agent) => ({
      async open(options) {
        const session = await agent.open(options);
        const talk: Talk = { session, surface: undefined, running: 0 };
        last = talk;
        open.set(session.id, talk);
        return session;
      },
      async runTurn(session, input, surface) {
        const talk = open.get(session.id);
        if (talk === undefined) return agent.runTurn(session, input, surface);
        last = talk;
        talk.surface = surface;
        talk.running += 1;
        try {
          return await agent.runTurn(session, input, surface);
        } finally {
          talk.running -= 1;
        }
      },
    }),
    onMessage(taker) {
      takers.add(taker);
      return () => takers.delete(taker);
    },
    inject(text, sessionId) {
      for (const taker of takers) if (taker(text)) return true;
      const talk = find(sessionId);
      if (talk === undefined || talk.running === 0) return false;
      talk.session.steer(text);
      return true;
    },
  };
}
