import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "#kernel";

/**
 * Where plugin code runs just now. Whoever calls into a plugin (`register`, a hook, a tool, a command) does it through
 * `onOccasion`, so that what the plugin asks of the house later is known to be on that behalf (docs/reference/plugins-in-use.md).
 */
export interface Occasion {
  /** The plugin's key; absent where no plugin but the house itself is at work. */
  readonly plugin?: string;
  /** The house of the running program; what the manager's functions of the plugin door act on. */
  readonly house?: object;
  /** The context of the turn, where there is one: the agent's, whose shape this room does not know. */
  readonly context?: object;
  /** Takes what the plugin prints, where it is to be shown as it is: its command of the program runs. */
  readonly write?: (text: string, stream?: "stdout" | "stderr") => void;
  /** The hook's or middleware's call on whose behalf the code runs. */
  readonly call?: Call;
}

// A plugin may bring a copy of this package of its own: both must mean the same occasion.
const place = Symbol.for("talaria.plugin-occasion");
const known = globalThis as { [place]?: AsyncLocalStorage<Occasion> };
known[place] ??= new AsyncLocalStorage<Occasion>();
const storage = known[place];

/** Is told when code of a plugin is entered and left by this thread. */
export interface EntryMarks {
  /** The answer is given to `left`. */
  entered(plugin: string, session: string | undefined): number;
  left(before: number): void;
}

let marks: EntryMarks | undefined;

/** One at a time; returns its undo. */
export function markEntries(given: EntryMarks): () => void {
  marks = given;
  return () => {
    if (marks === given) marks = undefined;
  };
}

/** Runs plugin code; what is not said is inherited from the occasion around it. */
export function onOccasion<T>(occasion: Occasion, run: () => T): T {
  const inside = { ...storage.getStore(), ...occasion };
  const watching = marks;
  if (watching === undefined || occasion.plugin === undefined) return storage.run(inside, run);
  const { sessionId } = (inside.context ?? {}) as { readonly sessionId?: string };
  const before = watching.entered(occasion.plugin, sessionId);
  try {
    return storage.run(inside, run);
  } finally {
    watching.left(before);
  }
}

/** The occasion of the code that asks; empty outside of all. */
export function occasion(): Occasion {
  return storage.getStore() ?? {};
}
