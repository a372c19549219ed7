import type { ModelRoute } from "#models";
import type { SessionRecord } from "#sessions";
import { history } from "./history.ts";
import type { AgentRoom } from "./room.ts";
import type { SessionMemory } from "./session-memory.ts";
import { noUsage } from "./tokens.ts";

export interface OpenOptions {
  /** Continue this stored session. */
  readonly resume?: SessionRecord;
  readonly cwd: string;
  /** `cli`, `run`, a platform's name. */
  readonly source: string;
  readonly route: ModelRoute;
  readonly senderId?: string;
  /** The session in whose place a new one is opened (`/new`, `/clear`): `on_session_reset` fires, and `session_start` says `clear`. */
  readonly replaces?: string;
}

function newRecord(id: string, options: OpenOptions, now: number): SessionRecord {
  return {
    id,
    source: options.source,
    cwd: options.cwd,
    model: options.route.current.id,
    provider: options.route.current.provider,
    parentSessionId: undefined,
    title: undefined,
    systemPrompt: undefined,
    startedAt: now,
    lastActiveAt: now,
    endedAt: undefined,
    endReason: undefined,
    messageCount: 0,
    usage: noUsage,
  };
}

/** The prompt stays the same from turn to turn, and over a resume with the same model. */
function storedPrompt({ resume, route }: OpenOptions): string | undefined {
  const same = resume?.model === route.current.id && resume.provider === route.current.provider;
  return same ? resume?.systemPrompt : undefined;
}

/** What the loop keeps of a session that is opened: a new one, or a stored one with its conversation. */
export async function newMemory(room: AgentRoom, options: OpenOptions): Promise<SessionMemory> {
  const { ports } = room;
  const { resume } = options;
  const id = resume?.id ?? ports.id("session");
  const record = resume ?? newRecord(id, options, ports.now());
  const talk = await history(id, ports, resume !== undefined);
  return {
    id,
    record,
    stored: resume !== undefined,
    whole: false,
    opened: false,
    route: options.route,
    reasoningEffort: room.settings.reasoningEffort,
    cwd: options.cwd,
    usage: record.usage,
    accounting: Promise.resolve(),
    senderId: options.senderId ?? "",
    depth: 0,
    identity: undefined,
    layer: ports.layer,
    slots: new Map(),
    treeSlots: new Map(),
    history: talk,
    steering: [],
    openingReminders: [],
    allows: room.settings.allows ?? (() => true),
    startSource: resume !== undefined ? "resume" : options.replaces === undefined ? "startup" : "clear",
    begun: talk.messages.length > 0 || resume?.systemPrompt !== undefined,
    systemPrompt: storedPrompt(options),
    running: undefined,
    turn: undefined,
    background: new Map(),
    ending: new AbortController(),
    closed: false,
  };
}
