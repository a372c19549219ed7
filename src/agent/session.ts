import type { Usage } from "#kernel";
import type { ModelRoute, ReasoningEffort } from "#models";
import type { SessionRecord } from "#sessions";
import { compact } from "./compaction.ts";
import type { Delegate, DispatchOptions, TurnContext } from "./context.ts";
import { AgentError, errorText } from "./error.ts";
import { history } from "./history.ts";
import type { AgentRoom } from "./room.ts";
import { endBackground, inbox, type SessionMemory } from "./session-memory.ts";
import type { Surface } from "./surface.ts";
import { guardedSurface, silent } from "./surface-guard.ts";
import { noUsage, textOf } from "./tokens.ts";
import type { Tool } from "./tool.ts";
import { toolShelf } from "./tool-shelf.ts";
import { turnContext } from "./turn-context.ts";
import { startTurn } from "./turn-start.ts";

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

/** A session in memory. One turn at a time; `steer` and `interrupt` act on the running one. */
export interface Session {
  readonly id: string;
  readonly record: SessionRecord;
  readonly route: ModelRoute;
  readonly cwd: string;
  readonly usage: Usage;
  /** What the model would be given now, in the order of the chain. */
  tools(): readonly Tool[];
  /** Changes the model of the following turns. Rejects with `refused` when a hook forbids it. */
  useRoute(route: ModelRoute): Promise<void>;
  /** How hard the model thinks from the next call on; undefined: as its provider does by itself. */
  reasoningEffort: ReasoningEffort | undefined;
  /** A note that the model sees with the next tool result of the running turn, else at the start of the next turn. */
  steer(text: string): void;
  interrupt(reason: string): void;
  /** Summarises the older part now. Resolves with message counts. */
  compact(surface: Surface, instructions?: string): Promise<{ readonly before: number; readonly after: number }>;
  /** Runs a tool between turns, or over the running one; see `Dispatch`. */
  dispatch(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: DispatchOptions & { readonly surface?: Surface },
  ): Promise<string>;
  /** Takes the last turn out of the conversation and returns its user text. */
  undo(): Promise<string | undefined>;
  /** Fires the events of a session's end and frees its state; what hooks have to say goes to the surface. */
  close(reason: string, surface?: Surface): Promise<void>;
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

async function newMemory(room: AgentRoom, options: OpenOptions): Promise<SessionMemory> {
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

/** A context outside any turn, for what happens between turns. */
interface IdleCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly options: DispatchOptions;
  readonly surface: Surface;
}

function idleContext(room: AgentRoom, memory: SessionMemory, surface: Surface, signal: AbortSignal): TurnContext {
  const { ports } = room;
  return turnContext(memory, ports, {
    taskId: "",
    turnId: "",
    apiCalls: () => 0,
    signal,
    surface,
    trace: ports.recorder(memory.id, ""),
    delegate: noDelegate,
    dispatch: (name, args, options) => dispatchIdle(room, memory, name, { args, options, surface }),
  });
}

const noDelegate: Delegate = async () => {
  throw new AgentError("delegation_refused", "Sub-agents can be started inside a turn only.");
};

/** A call between turns: over a turn that has no model and is never stored. */
async function dispatchIdle(
  room: AgentRoom,
  memory: SessionMemory,
  name: string,
  { args, options, surface }: IdleCall,
): Promise<string> {
  const input = { content: "", ...(options.signal === undefined ? {} : { signal: options.signal }) };
  const { turn, flush } = startTurn({ ...room, memory, input, surface, delegateFor: () => noDelegate });
  try {
    return await turn.context.dispatch(name, args, options);
  } finally {
    turn.span.end("ok");
    await flush().catch((error: unknown) => room.ports.log("warning", `a trace was not kept: ${errorText(error)}`));
  }
}

/** Work on a session between turns, under its claim. */
async function between<T>(
  room: AgentRoom,
  memory: SessionMemory,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (memory.running !== undefined)
    throw new AgentError("session_busy", `Session ${memory.id} has a running turn: interrupt it or wait.`);
  const controller = new AbortController();
  const { store } = room.ports;
  const claimed = async () => {
    if (!(await store.claim(memory.id, "")))
      throw new AgentError("session_busy", `Session ${memory.id} is busy in another process.`);
    try {
      await memory.history.refresh();
      return await work(controller.signal);
    } finally {
      await store.release(memory.id);
    }
  };
  // Marked as running before the first wait, so that no turn begins beside it.
  const done = claimed().finally(() => {
    memory.running = undefined;
  });
  memory.running = { interrupt: (reason) => controller.abort(reason), done };
  return done;
}

async function compactNow(room: AgentRoom, memory: SessionMemory, given: Surface, instructions?: string) {
  const count = memory.history.messages.length;
  if (!memory.stored) return { before: count, after: count };
  return between(room, memory, async (signal) => {
    const surface = guardedSurface(given, room.ports.log);
    const context = idleContext(room, memory, surface, signal);
    const settings = room.settings.compaction;
    const job = { memory, ports: room.ports, settings, context, surface, trigger: "manual" as const, forced: false };
    const done = await compact({ ...job, instructions });
    const now = memory.history.messages.length;
    return typeof done === "string" ? { before: now, after: now } : { before: done.before, after: done.after };
  });
}

async function undoLast(room: AgentRoom, memory: SessionMemory): Promise<string | undefined> {
  if (!memory.stored) return undefined;
  return between(room, memory, async () => {
    const { messages } = memory.history;
    const start = messages.findLastIndex(({ message }) => message.role === "user" && message.synthetic !== true);
    const last = messages[start];
    if (last === undefined) return undefined;
    const gone = messages.filter((stored, index) => index >= start || stored.turnId === last.turnId);
    await memory.history.deactivate(gone.map(({ seq }) => seq));
    return textOf(last.message.content);
  });
}

async function switchRoute(room: AgentRoom, memory: SessionMemory, route: ModelRoute): Promise<void> {
  // A running turn ends with the model that it began with.
  await memory.running?.done.catch(() => undefined);
  const from = memory.route.current;
  const to = route.current;
  const context = idleContext(room, memory, silent, memory.ending.signal);
  const exchange = {
    fromModel: from.id,
    toModel: to.id,
    requestedModel: to.id,
    source: "command" as const,
    contextTokens: memory.history.tokens,
    promptCacheWarm: memory.usage.cacheReadTokens > 0,
    cacheTtl: "5m" as const,
    estimatedCacheWriteUsd: 0,
    pricing: "default" as const,
  };
  const before = await context.plan.on.pre_model_switch?.(exchange, context);
  const verdict = before?.verdict?.decision;
  if (verdict === "deny" || verdict === "ask" || before?.halt !== undefined) {
    const reason = before?.verdict?.reason ?? before?.halt ?? "a hook refused it";
    throw new AgentError("refused", `The model was not changed to ${to.provider}/${to.id}: ${reason}`);
  }
  memory.route = route;
  if (from.id !== to.id || from.provider !== to.provider) memory.systemPrompt = undefined;
  memory.record = { ...memory.record, model: to.id, provider: to.provider };
  if (memory.stored) await room.ports.store.update(memory.id, { model: to.id, provider: to.provider });
  const after = await context.plan.on.post_model_switch?.(exchange, context);
  for (const text of after?.reminder ?? [])
    inbox(context).push({ text: `<system-reminder>\n${text}\n</system-reminder>` });
}

/** Claude's words for why a session ends. */
function claudeReason(reason: string): string {
  const known = ["clear", "resume", "logout", "prompt_input_exit", "other"];
  if (known.includes(reason)) return reason;
  if (reason === "shutdown") return "prompt_input_exit";
  return reason === "session_boundary" || reason === "new_session" ? "clear" : "other";
}

async function closeSession(room: AgentRoom, memory: SessionMemory, reason: string, given: Surface): Promise<void> {
  if (memory.closed) return;
  memory.closed = true;
  const { running } = memory;
  running?.interrupt(reason);
  await running?.done.catch(() => undefined);
  const surface = guardedSurface(given, room.ports.log);
  const context = idleContext(room, memory, surface, new AbortController().signal);
  await endBackground(memory, room.ports.after, reason);
  if (!memory.opened) return;
  const facts = { sessionId: memory.id, platform: memory.record.source, reason };
  const end = { sessionId: memory.id, reason: claudeReason(reason), model: context.model };
  try {
    await context.plan.on.on_session_finalize?.(facts, context);
    const told = await context.plan.on.session_end?.(end, context);
    for (const text of told?.notice ?? []) surface.emit({ type: "notice", level: "warning", text });
  } catch (error) {
    room.ports.log("warning", `the end of session ${memory.id} was not told everywhere: ${errorText(error)}`);
  }
  memory.slots.clear();
}

async function tellReset(room: AgentRoom, memory: SessionMemory, oldSessionId: string): Promise<void> {
  const context = idleContext(room, memory, silent, memory.ending.signal);
  const facts = { platform: memory.record.source, reason: "new_session", oldSessionId, newSessionId: memory.id };
  try {
    await context.plan.on.on_session_reset?.({ sessionId: memory.id, ...facts }, context);
  } catch (error) {
    room.ports.log("warning", `the new session ${memory.id} was not told everywhere: ${errorText(error)}`);
  }
}

export async function openSession(
  room: AgentRoom,
  options: OpenOptions,
): Promise<{ readonly session: Session; readonly memory: SessionMemory }> {
  const memory = await newMemory(room, options);
  if (options.replaces !== undefined) await tellReset(room, memory, options.replaces);
  const session: Session = {
    id: memory.id,
    get record() {
      return memory.record;
    },
    get route() {
      return memory.route;
    },
    get cwd() {
      return memory.cwd;
    },
    get usage() {
      return memory.usage;
    },
    tools: () => [...toolShelf(idleContext(room, memory, silent, memory.ending.signal), memory.allows).tools.values()],
    useRoute: (route) => switchRoute(room, memory, route),
    get reasoningEffort() {
      return memory.reasoningEffort;
    },
    set reasoningEffort(effort) {
      memory.reasoningEffort = effort;
    },
    steer: (text) => {
      if (text.trim() !== "") memory.steering.push(text);
    },
    interrupt: (reason) => memory.running?.interrupt(reason),
    compact: (surface, instructions) => compactNow(room, memory, surface, instructions),
    undo: () => undoLast(room, memory),
    dispatch: (name, args, { surface = silent, ...options }) =>
      memory.turn === undefined
        ? dispatchIdle(room, memory, name, { args, options, surface })
        : memory.turn.context.dispatch(name, args, options),
    close: (reason, surface = silent) => closeSession(room, memory, reason, surface),
  };
  return { session, memory };
}
