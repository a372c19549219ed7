import type { ModelRoute } from "#models";
import type { ChildResult, ChildTask } from "./context.ts";
import { errorText } from "./error.ts";
import { history } from "./history.ts";
import type { AgentRoom, TurnResult } from "./room.ts";
import type { RunningTurn } from "./running-turn.ts";
import { endBackground, type SessionMemory } from "./session-memory.ts";
import type { Surface, TurnEvent } from "./surface.ts";
import { noUsage } from "./tokens.ts";
import type { Tool } from "./tool.ts";
import { inToolsets, isOfServer } from "./toolset.ts";

type Role = "leaf" | "orchestrator";

/** Tools that a sub-agent never has; an orchestrator gets the first one back. */
const blockedTools = ["delegate_task", "clarify", "memory", "send_message", "execute_code"];
/** Slots whose knowledge belongs to the main conversation. */
const hiddenSlots = ["agents-md", "memory"];

/** A sub-agent: a session of its own, built and not yet running. */
export interface Child {
  readonly index: number;
  readonly task: ChildTask;
  readonly role: Role;
  readonly agentId: string;
  readonly memory: SessionMemory;
  readonly toolTrace: { readonly tool: string; readonly status: string }[];
}

interface Assignment {
  readonly task: ChildTask;
  readonly route: ModelRoute;
  /** Its place in the call. */
  readonly index: number;
}

function roleOf(turn: RunningTurn, task: ChildTask): Role {
  const { orchestratorEnabled, maxSpawnDepth } = turn.settings.delegation;
  const may = orchestratorEnabled && turn.memory.depth + 1 < maxSpawnDepth;
  return task.role === "orchestrator" && may ? "orchestrator" : "leaf";
}

function toolFilter({ memory: parent, settings }: RunningTurn, task: ChildTask, role: Role): (tool: Tool) => boolean {
  const blocked = role === "orchestrator" ? blockedTools.slice(1) : blockedTools;
  const { toolsets = [] } = task;
  const named = toolsets.length === 0 ? () => true : inToolsets(toolsets);
  const wanted = (tool: Tool) =>
    named(tool) ||
    (settings.delegation.inheritMcpTools && isOfServer(tool)) ||
    (role === "orchestrator" && tool.name === "delegate_task");
  return (tool) => parent.allows(tool) && !blocked.includes(tool.name) && wanted(tool);
}

async function childMemory(
  { ports, settings }: AgentRoom,
  turn: RunningTurn,
  parts: Assignment & { readonly role: Role; readonly agentId: string },
): Promise<SessionMemory> {
  const { memory: parent } = turn;
  const { route } = parts;
  const id = ports.id("session");
  const without = parts.role === "leaf" ? [...hiddenSlots, "sub-agent"] : hiddenSlots;
  const now = ports.now();
  return {
    id,
    record: {
      ...parent.record,
      id,
      source: "subagent",
      model: route.current.id,
      provider: route.current.provider,
      parentSessionId: parent.id,
      title: undefined,
      systemPrompt: undefined,
      startedAt: now,
      lastActiveAt: now,
      messageCount: 0,
      usage: noUsage,
    },
    stored: false,
    whole: false,
    opened: false,
    route,
    reasoningEffort: settings.delegation.reasoningEffort ?? parent.reasoningEffort,
    cwd: parent.cwd,
    usage: noUsage,
    accounting: Promise.resolve(),
    senderId: parent.senderId,
    depth: parent.depth + 1,
    identity: {
      agentId: parts.agentId,
      agentType: parts.role,
      parentSessionId: parent.id,
      rootSessionId: parent.identity?.rootSessionId ?? parent.id,
    },
    layer: parent.layer.child({ without }),
    slots: new Map(),
    treeSlots: parent.treeSlots,
    history: await history(id, ports, false),
    steering: [],
    openingReminders: [],
    allows: toolFilter(turn, parts.task, parts.role),
    startSource: undefined,
    begun: false,
    systemPrompt: undefined,
    running: undefined,
    turn: undefined,
    background: new Map(),
    ending: new AbortController(),
    closed: false,
  };
}

/** A sub-agent for a task. Nothing has been told or run yet. */
export async function buildChild(room: AgentRoom, turn: RunningTurn, assignment: Assignment): Promise<Child> {
  const { task, index } = assignment;
  const role = roleOf(turn, task);
  const agentId = `sa-${index}-${room.ports.id("other").replaceAll("-", "").slice(-8)}`;
  const memory = await childMemory(room, turn, { ...assignment, role, agentId });
  return { index, task, role, agentId, memory, toolTrace: [] };
}

function childSurface(turn: RunningTurn, child: Child): Surface {
  const { approve } = turn.surface;
  return {
    emit(event: TurnEvent) {
      if (event.type === "tool-end") child.toolTrace.push({ tool: event.name, status: event.status });
      turn.surface.emit({ type: "child", agentId: child.agentId, event });
    },
    ...(approve === undefined ? {} : { approve }),
  };
}

function statusOf(result: TurnResult, timedOut: boolean): ChildResult["status"] {
  if (timedOut) return "timeout";
  if (result.outcome === "interrupted") return "interrupted";
  if (result.outcome === "completed" || result.outcome === "limit") return result.text === "" ? "failed" : "completed";
  return "failed";
}

function resultOf(
  child: Child,
  seconds: number,
  rest: Pick<ChildResult, "status" | "summary" | "exitReason"> & {
    readonly error?: string;
    readonly turn?: TurnResult;
  },
): ChildResult {
  const { turn, error, ...facts } = rest;
  return {
    taskIndex: child.index,
    sessionId: child.memory.id,
    ...facts,
    apiCalls: turn?.iterations ?? 0,
    durationSeconds: Math.round(seconds * 100) / 100,
    model: child.memory.route.current.id,
    tokens: { input: turn?.usage.inputTokens ?? 0, output: turn?.usage.outputTokens ?? 0 },
    toolTrace: child.toolTrace,
    ...(error === undefined ? {} : { error }),
  };
}

function prompt(task: ChildTask): string {
  const context = task.context === undefined || task.context.trim() === "" ? "" : `\n\nContext:\n${task.context}`;
  return `${task.goal}${context}`;
}

/** Runs a sub-agent to its end, within its time limit. Never rejects. */
export async function runChild(
  room: AgentRoom,
  turn: RunningTurn,
  child: Child,
  signal: AbortSignal,
): Promise<ChildResult> {
  const { ports, settings } = room;
  const span = turn.recorder.start("delegate", child.agentId, {
    parent: turn.span,
    attributes: { child: child.memory.id },
  });
  const limit = new AbortController();
  const seconds = settings.delegation.childTimeoutSeconds;
  const stop =
    seconds === undefined
      ? undefined
      : ports.after(seconds * 1000, () => limit.abort(`the time limit of ${seconds} s`));
  const startedAt = ports.now();
  const elapsed = () => (ports.now() - startedAt) / 1000;
  try {
    const input = {
      content: prompt(child.task),
      signal: AbortSignal.any([signal, limit.signal]),
      maxIterations: settings.delegation.maxIterations,
    };
    const result = await room.run(child.memory, input, childSurface(turn, child));
    const status = statusOf(result, limit.signal.aborted && result.outcome === "interrupted");
    span.end(status === "completed" ? "ok" : status === "interrupted" ? "cancelled" : "error");
    if (status === "completed")
      return resultOf(child, elapsed(), { status, summary: result.text, exitReason: result.exitReason, turn: result });
    const facts = { status, summary: undefined, exitReason: status === "timeout" ? "timeout" : result.exitReason };
    return resultOf(child, elapsed(), { ...facts, error: result.text, turn: result });
  } catch (error) {
    span.end("error");
    return resultOf(child, elapsed(), {
      status: "error",
      summary: undefined,
      exitReason: "error",
      error: errorText(error),
    });
  } finally {
    stop?.();
    await endBackground(child.memory, ports.after, "the sub-agent has ended");
    child.memory.closed = true;
  }
}
