import type { Field, Verdict } from "./event.ts";

const rank = { allow: 1, ask: 2, defer: 3, deny: 4 } as const;

/** Deny beats defer beats ask beats allow; of equals the earlier stays, with its reason. A deny ends the event. */
export const strongest: Field<Verdict> = {
  merge: (earlier, later) => (rank[later.decision] > rank[earlier.decision] ? later : earlier),
  ends: (merged) => merged.decision === "deny",
  stale: (given) => (given.decision === "allow" ? undefined : given),
};

/** All texts, in declared order. */
export const joined: Field<readonly string[]> = { merge: (earlier, later) => [...earlier, ...later] };

/** Ends the event and the turn; the first reason stays. */
export const halted: Field<string> = { merge: (earlier) => earlier, ends: () => true };

/** The later value replaces the payload key for all that follow. */
export const threaded =
  <T>() =>
  <const K extends string>(key: K): Field<T, K> => ({ merge: (_earlier, later) => later, threads: key });

/** The first answer wins and ends the event. */
export const claimed = <T>(): Field<T> => ({ merge: (earlier) => earlier, ends: () => true });

/** The last answer in declared order wins. */
export const latest = <T>(): Field<T> => ({ merge: (_earlier, later) => later });

/** All items, in declared order. */
export const collected = <T>(): Field<readonly T[]> => ({ merge: (earlier, later) => [...earlier, ...later] });

/** What any rule of a settings file may answer: a line for the user, the end of the turn, an escape sequence for the terminal. */
export const universal = { notice: joined, halt: halted, terminal: joined } as const;
