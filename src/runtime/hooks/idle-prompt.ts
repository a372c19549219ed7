import type { HookContext } from "#hooks";
import { after, type Log } from "#host";
import type { Layer } from "#kernel";

/** Tells hooks that a session waits for the person: `notification` of the type `idle_prompt`. */
export interface IdlePrompt<C> {
  /** The context in which it is told. */
  heard(context: C): void;
  /** Runs a turn, behind which the person is waited for. */
  around<T>(sessionId: string, turn: () => Promise<T>): Promise<T>;
  /** The session is over. */
  forget(sessionId: string): void;
  close(): void;
}

/** `idleMs` after the end of a turn, once; 0: never. */
export function idlePrompt<C extends HookContext>(
  layer: Layer<C>,
  idleMs: number,
  log: Pick<Log, "warning">,
): IdlePrompt<C> {
  const contexts = new Map<string, C>();
  const waiting = new Map<string, () => void>();
  const stop = (sessionId: string): void => {
    waiting.get(sessionId)?.();
    waiting.delete(sessionId);
  };
  const tell = async (sessionId: string): Promise<void> => {
    const context = contexts.get(sessionId);
    if (context === undefined) return;
    const payload = { sessionId, message: "Talaria is waiting for your input", notificationType: "idle_prompt" };
    // The turn is over, and so may be its signal.
    const own = Object.create(context, { signal: { value: new AbortController().signal, enumerable: true } }) as C;
    await layer.plan.on.notification?.(payload, own);
  };
  const wait = (sessionId: string): void => {
    if (idleMs <= 0) return;
    const late = after(idleMs, () => {
      tell(sessionId).catch((error: unknown) =>
        log.warning(`hooks: an idle session was not told of: ${String(error)}`),
      );
    });
    waiting.set(sessionId, late);
  };
  return {
    heard(context) {
      if (context.depth === 0) contexts.set(context.sessionId, context);
    },
    async around(sessionId, turn) {
      stop(sessionId);
      try {
        return await turn();
      } finally {
        wait(sessionId);
      }
    },
    forget(sessionId) {
      stop(sessionId);
      contexts.delete(sessionId);
    },
    close() {
      for (const sessionId of [...waiting.keys()]) stop(sessionId);
      contexts.clear();
    },
  };
}
