import type { Layer, Usage } from "#kernel";
import type { ModelRoute, ReasoningEffort } from "#models";
import type { SessionRecord } from "#sessions";
import type { TurnContext } from "./context.ts";
import type { History } from "./history.ts";
import { type After, withinMs } from "./interrupt.ts";
import type { Tool } from "./tool.ts";

/** Set for a sub-agent's session. */
export interface ChildIdentity {
  readonly agentId: string;
  readonly agentType: string;
  readonly parentSessionId: string;
  /** The session of the main agent. */
  readonly rootSessionId: string;
}

/** What the loop keeps of one open session. One turn runs at a time. */
export interface SessionMemory {
  readonly id: string;
  record: SessionRecord;
  /** False until the first turn: a session that nobody speaks in leaves nothing in the store. */
  stored: boolean;
  /** The conversation was found or made whole here: nothing a dead turn left open. */
  whole: boolean;
  /** True once a turn was begun since the session was opened here. */
  opened: boolean;
  route: ModelRoute;
  /** How hard the model thinks; undefined: as its provider does by itself. */
  reasoningEffort: ReasoningEffort | undefined;
  cwd: string;
  usage: Usage;
  /** Settles when all usage so far is in the store. */
  accounting: Promise<unknown>;
  readonly senderId: string;
  readonly depth: number;
  readonly identity: ChildIdentity | undefined;
  readonly layer: Layer<TurnContext>;
  readonly slots: Map<string, unknown>;
  /** State that the session has in common with its sub-agents. */
  readonly treeSlots: Map<string, unknown>;
  readonly history: History;
  /** Notes of the person that the model has not seen yet. */
  readonly steering: string[];
  /** What handlers told before the next prompt is stored. */
  readonly openingReminders: string[];
  /** Which tools of the chain this session may use. */
  readonly allows: (tool: Tool) => boolean;
  /** Why `session_start` is to fire at the next turn. */
  startSource: "startup" | "resume" | "clear" | "compact" | undefined;
  /** Whether `on_session_start` has fired for this session, now or in an earlier process. */
  begun: boolean;
  systemPrompt: string | undefined;
  running: { readonly interrupt: (reason: string) => void; readonly done: Promise<unknown> } | undefined;
  /** The running turn, for calls that are made over it from outside. */
  turn: { readonly context: TurnContext } | undefined;
  /** Sub-agents that work in the background, until they have ended. */
  readonly background: Map<string, Promise<void>>;
  /** Aborts when the session is closed. */
  readonly ending: AbortController;
  closed: boolean;
}

/** Milliseconds that work in the background has to end when its session does. */
const backgroundMs = 5_000;

/** Stops what works in the background for a session, and waits until it has told its end. */
export async function endBackground(memory: SessionMemory, after: After, reason: string): Promise<void> {
  memory.ending.abort(reason);
  await withinMs(Promise.all(memory.background.values()), backgroundMs, after);
}

export interface InboxItem {
  readonly text: string;
}

/** Completion notes of background work, told to the model at the next iteration or turn. */
export function inbox(context: Pick<TurnContext, "state">): InboxItem[] {
  return context.state<InboxItem[]>("inbox", () => []);
}

export function stateOf(memory: Pick<SessionMemory, "slots" | "treeSlots">): TurnContext["state"] {
  return <T>(slot: string, create: () => T): T => {
    const slots = slot.startsWith("tree:") ? memory.treeSlots : memory.slots;
    if (slots.has(slot)) return slots.get(slot) as T;
    const made = create();
    slots.set(slot, made);
    return made;
  };
}
