import { isRecord } from "./data.ts";
import type { Field, Verdict } from "./event.ts";

const rank = { allow: 1, ask: 2, defer: 3, deny: 4 } as const;

const isText = (given: unknown): given is string => typeof given === "string";
const isTexts = (given: unknown): boolean => Array.isArray(given) && given.every(isText);
const isVerdict = (given: unknown): boolean =>
  isRecord(given) &&
  isText(given["decision"]) &&
  Object.hasOwn(rank, given["decision"]) &&
  (given["reason"] === undefined || isText(given["reason"]));

/** Deny beats defer beats ask beats allow; of equals the earlier stays, with its reason. A deny ends the event. */
export const strongest: Field<Verdict> = {
  merge: (earlier, later) => (rank[later.decision] > rank[earlier.decision] ? later : earlier),
  ends: (merged) => merged.decision === "deny",
  stale: (given) => (given.decision === "allow" ? undefined : given),
  accepts: isVerdict,
  signed: (given, owner) => (given.by === undefined ? { ...given, by: owner } : given),
};

/** All texts, in declared order. */
export const joined: Field<readonly string[]> = {
  merge: (earlier, later) => [...earlier, ...later],
  accepts: isTexts,
};

/** Ends the event and the turn; the first reason stays. */
export const halted: Field<string> = { merge: (earlier) => earlier, ends: () => true, accepts: isText };

/** The later value replaces the payload key for all that follow; anything but an object is nonsense unless `accepts` says else. */
export const threaded =
  <T>(accepts: (given: unknown) => boolean = isRecord) =>
  <const K extends string>(key: K): Field<T, K> => ({ merge: (_earlier, later) => later, threads: key, accepts });

/** As `threaded`, for texts. */
export const threadedText = threaded<string>(isText);

/** The first answer wins and ends the event. */
export const claimed = <T>(accepts: (given: unknown) => boolean = isRecord): Field<T> => ({
  merge: (earlier) => earlier,
  ends: () => true,
  accepts,
});

/** As `claimed`, for texts. */
export const claimedText: Field<string> = claimed<string>(isText);

/** The last answer in declared order wins. */
export const latest = <T>(accepts: (given: unknown) => boolean): Field<T> => ({
  merge: (_earlier, later) => later,
  accepts,
});
export const latestText: Field<string> = latest<string>(isText);
export const latestFlag: Field<boolean> = latest<boolean>((given) => typeof given === "boolean");
export const latestRecord = <T>(): Field<T> => latest<T>(isRecord);

/** All objects, in declared order. */
export const collected = <T>(): Field<readonly T[]> => ({
  merge: (earlier, later) => [...earlier, ...later],
  accepts: (given) => Array.isArray(given) && given.every(isRecord),
});

/** What any rule of a settings file may answer: a line for the user, the end of the turn, an escape sequence for the terminal. */
export const universal = { notice: joined, halt: halted, terminal: joined } as const;
