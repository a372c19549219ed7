import type { HookContext } from "../hook-context.ts";

/** What hooks keep of one session; it goes when the session does. */
interface SessionNotes {
  turnId: string;
  /** Milliseconds that hooks have taken of the running turn. */
  usedMs: number;
  /** The person was told that this turn's time is used up. */
  told: boolean;
}

const notesOf = (context: HookContext): SessionNotes =>
  context.state<SessionNotes>("hooks", () => ({ turnId: context.turnId, usedMs: 0, told: false }));

function turnNotes(context: HookContext): SessionNotes {
  const notes = notesOf(context);
  if (notes.turnId === context.turnId) return notes;
  notes.turnId = context.turnId;
  notes.usedMs = 0;
  notes.told = false;
  return notes;
}

/** Rules with `once`, of a session and its sub-agents: running now, or used up. */
const takenOf = (context: HookContext) => context.state("tree:hooks-once", () => new Map<string, "running" | "used">());

/** `once`: a rule is reserved when it starts, used up when it first succeeds, and free again when it fails. */
export const once = {
  isTaken: (context: HookContext, id: string): boolean => takenOf(context).has(id),
  /** False when another firing has it. */
  reserve(context: HookContext, id: string): boolean {
    const taken = takenOf(context);
    if (taken.has(id)) return false;
    taken.set(id, "running");
    return true;
  },
  settle(context: HookContext, id: string, succeeded: boolean): void {
    const taken = takenOf(context);
    if (succeeded) taken.set(id, "used");
    else taken.delete(id);
  },
};

/** Time that hooks have taken of a turn. */
export const turnTime = {
  usedMs: (context: HookContext): number => turnNotes(context).usedMs,
  /** True when this is what used the turn's time up. */
  add(context: HookContext, ms: number, limitMs: number): boolean {
    const notes = turnNotes(context);
    notes.usedMs += ms;
    if (notes.told || notes.usedMs < limitMs) return false;
    notes.told = true;
    return true;
  },
};
