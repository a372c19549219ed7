import { after } from "#host";
import type { MaybePromise } from "#kernel";
import { PluginError, thrownText } from "./error.ts";
import type { Owner, RegistrationKind, Registrations } from "./registration.ts";
import type { Registry, Undo } from "./registry.ts";

/** Milliseconds that an unload waits for calls in flight, and for one undo of the plugin. */
const patienceMs = 5_000;

/** All that one life of a plugin has registered. It counts from `commit` on, and is undone in reverse by `close`. */
export interface PluginScope {
  readonly owner: Owner;
  add<K extends RegistrationKind>(kind: K, value: Registrations[K]): Undo;
  onUnload(undo: () => MaybePromise<void>): void;
  /** What was added until now counts at once, and all that follows as it comes. */
  commit(): void;
  /** `close` waits for it. */
  track<T>(call: Promise<T>): Promise<T>;
  /** Aborts the signal at once, waits for calls in flight (5 s at most), undoes in reverse. Never rejects. */
  close(drained?: Promise<void>): Promise<void>;
}

interface Held {
  undo: () => MaybePromise<void>;
  /** Puts it into the registry. */
  readonly place: (() => void) | undefined;
}

export function pluginScope(
  facts: Omit<Owner, "signal">,
  registry: Registry,
  warn: (message: string) => void,
): PluginScope {
  const controller = new AbortController();
  const owner: Owner = { ...facts, signal: controller.signal };
  const held: Held[] = [];
  const pending = new Set<Promise<unknown>>();
  let state: "staged" | "live" | "closed" = "staged";
  let closing: Promise<void> | undefined;

  const refuse = (): void => {
    if (state === "closed" || controller.signal.aborted)
      throw new PluginError("unloaded", `the plugin ${owner.key} was unloaded: it can register nothing any more`);
  };
  return {
    owner,
    add(kind, value) {
      refuse();
      const nothing = (): void => undefined;
      const entry: Held = {
        undo: nothing,
        place: () => {
          entry.undo = registry.add(kind, owner, value);
        },
      };
      held.push(entry);
      if (state === "live") entry.place?.();
      return () => {
        const at = held.indexOf(entry);
        if (at < 0) return;
        held.splice(at, 1);
        void entry.undo();
      };
    },
    onUnload(undo) {
      refuse();
      held.push({ undo, place: undefined });
    },
    commit() {
      refuse();
      state = "live";
      for (const { place } of [...held]) place?.();
    },
    track(call) {
      pending.add(call);
      const done = (): boolean => pending.delete(call);
      call.then(done, done);
      return call;
    },
    close(drained) {
      closing ??= (async () => {
        controller.abort(new PluginError("unloaded", `the plugin ${owner.key} is unloaded`));
        await inTime(Promise.allSettled([...pending, drained]));
        state = "closed";
        for (let entry = held.pop(); entry !== undefined; entry = held.pop()) await undone(entry, owner, warn);
      })();
      return closing;
    },
  };
}

async function undone({ undo }: Held, owner: Owner, warn: (message: string) => void): Promise<void> {
  try {
    const inside = undo();
    if (inside === undefined) return;
    if (!(await inTime(Promise.resolve(inside)))) warn(`plugin ${owner.key}: what it does at unload takes too long`);
  } catch (error) {
    warn(`plugin ${owner.key}: what it does at unload failed: ${thrownText(error)}`);
  }
}

/** False when it takes longer than an unload waits. */
async function inTime(work: Promise<unknown>): Promise<boolean> {
  let stop = (): void => undefined;
  const late = new Promise<boolean>((resolve) => {
    stop = after(patienceMs, () => resolve(false), true);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    stop();
  }
}
