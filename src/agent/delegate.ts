import type { AgentRoom, TurnResult } from "./agent.ts";
import { pooled } from "./concurrency.ts";
import type { ChildResult, ChildTask, Delegate } from "./context.ts";
import { AgentError, errorText } from "./error.ts";
import { history } from "./history.ts";
import { deliver, type RunningTurn, settled } from "./running-turn.ts";
import { inbox, type SessionMemory } from "./session-memory.ts";
import type { Surface, TurnEvent } from "./surface.ts";
import { noUsage } from "./tokens.ts";
import type { Tool } from "./tool.ts";

type Options = Parameters<Delegate>[1];
type Role = "leaf" | "orchestrator";

/** Tools that a sub-agent never has; an orchestrator gets the first one back. */
const blockedTools = ["delegate_task", "clarify", "memory", "send_message", "execute_code"];
/** Slots whose knowledge belongs to the main conversation. */
const hiddenSlots = ["agents-md", "memory"];

interface Child {
  readonly index: number;
  readonly task: ChildTask;
  readonly role: Role;
  readonly agentId: string;
  readonly memory: SessionMemory;
  readonly toolTrace: { readonly tool: string; readonly status: string }[];
}

function refuse(text: string): never {
  throw new AgentError("delegation_refused", text);
}

function check(turn: RunningTurn, tasks: readonly ChildTask[], options: Options): void {
  const { maxSpawnDepth, maxConcurrentChildren } = turn.settings.delegation;
  if (tasks.length === 0) refuse("There is no task: give `goal`, or `tasks` with a goal each.");
  if (tasks.some((task) => task.goal.trim() === "")) refuse("Every task needs a goal.");
  if (turn.memory.depth >= maxSpawnDepth)
    refuse(
      `Sub-agents may be nested ${maxSpawnDepth} deep (delegation.max_spawn_depth), and this agent is at that depth.`,
    );
  if (tasks.length > maxConcurrentChildren)
    refuse(
      `${tasks.length} tasks are more than the ${maxConcurrentChildren} allowed at once (delegation.max_concurrent_children). Nothing was run.`,
    );
  if (options.background !== true) return;
  if (tasks.length > 1) refuse("In the background one task runs at a time per call.");
  if (turn.memory.background.size >= maxConcurrentChildren)
    refuse(`${turn.memory.background.size} sub-agents are already working in the background. Wait for one to end.`);
}

function roleOf(turn: RunningTurn, task: ChildTask): Role {
  const { orchestratorEnabled, maxSpawnDepth } = turn.settings.delegation;
  const may = orchestratorEnabled && turn.memory.depth + 1 < maxSpawnDepth;
  return task.role === "orchestrator" && may ? "orchestrator" : "leaf";
}

function toolFilter(parent: SessionMemory, task: ChildTask, role: Role): (tool: Tool) => boolean {
  const blocked = role === "orchestrator" ? blockedTools.slice(1) : blockedTools;
  const { toolsets } = task;
  const wanted = (tool: Tool) =>
    toolsets === undefined ||
    toolsets.length === 0 ||
    toolsets.includes(tool.toolset) ||
    tool.toolset.startsWith("mcp-") ||
    (role === "orchestrator" && tool.name === "delegate_task");
  return (tool) => parent.allows(tool) && !blocked.includes(tool.name) && wanted(tool);
}

async function childMemory(
  room: AgentRoom,
  parent: SessionMemory,
  parts: { readonly task: ChildTask; readonly role: Role; readonly agentId: string },
): Promise<SessionMemory> {
  const { ports } = room;
  const id = ports.id("session");
  const without = parts.role === "leaf" ? [...hiddenSlots, "sub-agent"] : hiddenSlots;
  const now = ports.now();
  return {
    id,
    record: {
      ...parent.record,
      id,
      source: "subagent",
      parentSessionId: parent.id,
      title: undefined,
      systemPrompt: undefined,
      startedAt: now,
      lastActiveAt: now,
      messageCount: 0,
      usage: noUsage,
    },
    stored: false,
    opened: false,
    route: parent.route,
    cwd: parent.cwd,
    usage: noUsage,
    accounting: Promise.resolve(),
    senderId: parent.senderId,
    depth: parent.depth + 1,
    identity: { agentId: parts.agentId, agentType: parts.role, parentSessionId: parent.id },
    layer: parent.layer.child({ without }),
    slots: new Map(),
    history: await history(id, ports, false),
    steering: [],
    openingReminders: [],
    allows: toolFilter(parent, parts.task, parts.role),
    startSource: undefined,
    begun: false,
    systemPrompt: undefined,
    running: undefined,
    background: new Set(),
    ending: new AbortController(),
    closed: false,
  };
}

async function build(room: AgentRoom, turn: RunningTurn, task: ChildTask, index: number): Promise<Child> {
  const role = roleOf(turn, task);
  const agentId = `sa-${index}-${room.ports.id("other").replaceAll("-", "").slice(-8)}`;
  const memory = await childMemory(room, turn.memory, { task, role, agentId });
  return { index, task, role, agentId, memory, toolTrace: [] };
}

async function announce(turn: RunningTurn, child: Child): Promise<void> {
  const { context, memory } = turn;
  const payload = {
    parentSessionId: memory.id,
    parentTurnId: turn.turnId,
    parentSubagentId: memory.identity?.agentId ?? null,
    childSessionId: child.memory.id,
    childSubagentId: child.agentId,
    childRole: child.role,
    childGoal: child.task.goal,
    agentType: child.role,
  };
  const answer = await settled(context.plan.on.subagent_start?.(payload, context), turn.signal);
  deliver(turn, answer);
  child.memory.openingReminders.push(...(answer?.reminder ?? []));
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

async function runChild(room: AgentRoom, turn: RunningTurn, child: Child, signal: AbortSignal): Promise<ChildResult> {
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
    child.memory.closed = true;
  }
}

async function tellStops(
  turn: RunningTurn,
  children: readonly Child[],
  results: ReadonlyMap<Child, ChildResult>,
): Promise<void> {
  const context = turn.signal.aborted ? turn.closing : turn.context;
  for (const child of children) {
    const result = results.get(child);
    const payload = {
      parentSessionId: turn.memory.id,
      parentTurnId: turn.turnId,
      childSessionId: child.memory.id,
      childRole: child.role,
      childSummary: result?.summary ?? null,
      childStatus: result?.status ?? ("error" as const),
      durationMs: Math.round((result?.durationSeconds ?? 0) * 1000),
    };
    try {
      await settled(context.plan.on.subagent_stop?.(payload, context), context.signal);
    } catch (error) {
      turn.ports.log("warning", `the end of sub-agent ${child.agentId} was not told everywhere: ${errorText(error)}`);
    }
  }
}

async function announceAll(turn: RunningTurn, children: readonly Child[], told: Child[]): Promise<void> {
  for (const child of children) {
    told.push(child);
    await announce(turn, child);
    if (turn.halt !== undefined) refuse(turn.halt);
  }
}

function backgroundNote(id: string, result: ChildResult | undefined): string {
  const body = result?.summary ?? result?.error ?? "it ended without a result";
  return `[The sub-agent ${id} that worked in the background has ended: ${result?.status ?? "error"}.]\n${body}`;
}

interface Team {
  readonly room: AgentRoom;
  readonly turn: RunningTurn;
  readonly children: readonly Child[];
}

async function together({ room, turn, children }: Team, signal: AbortSignal): Promise<readonly ChildResult[]> {
  const results = new Map<Child, ChildResult>();
  await pooled(children, room.settings.delegation.maxConcurrentChildren, async (child) => {
    results.set(child, await runChild(room, turn, child, signal));
  });
  await tellStops(turn, children, results);
  return children.flatMap((child) => results.get(child) ?? []);
}

function dispatch(team: Team): { readonly dispatched: string } {
  const { turn, children } = team;
  const id = children[0]?.agentId ?? "";
  const { background, ending } = turn.memory;
  background.add(id);
  const finish = (results: readonly ChildResult[]) => {
    background.delete(id);
    inbox(turn.context).push({ text: backgroundNote(id, results[0]) });
  };
  together(team, ending.signal).then(finish, (error: unknown) => {
    turn.ports.log("warning", `the sub-agent ${id} failed: ${errorText(error)}`);
    finish([]);
  });
  return { dispatched: id };
}

/**
 * Sub-agents of one turn: all of a call are built and announced before any runs; they run together, each in a session
 * of its own; `subagent_stop` follows every `subagent_start`, in task order. Rejects with `delegation_refused` before
 * anything was built.
 */
export function delegation(room: AgentRoom): (turn: () => RunningTurn) => Delegate {
  return (current) => async (tasks, options) => {
    const turn = current();
    check(turn, tasks, options);
    const children = await Promise.all(tasks.map((task, index) => build(room, turn, task, index)));
    const told: Child[] = [];
    try {
      await announceAll(turn, children, told);
    } catch (error) {
      await tellStops(turn, told, new Map());
      throw error;
    }
    const team = { room, turn, children };
    return options.background === true
      ? dispatch(team)
      : together(team, AbortSignal.any([turn.signal, options.signal]));
  };
}
