import type { ModelRoute } from "#models";
import { buildChild, type Child, runChild } from "./child.ts";
import { pooled } from "./concurrency.ts";
import type { ChildResult, ChildTask, Delegate } from "./context.ts";
import { AgentError, errorText } from "./error.ts";
import type { AgentRoom } from "./room.ts";
import { deliver, type RunningTurn, settled } from "./running-turn.ts";
import { inbox } from "./session-memory.ts";

type Options = Parameters<Delegate>[1];

function refuse(text: string): never {
  throw new AgentError("delegation_refused", text);
}

function check(turn: RunningTurn, tasks: readonly ChildTask[], options: Options): void {
  const { maxSpawnDepth, maxConcurrentChildren, maxBackgroundChildren } = turn.settings.delegation;
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
  if (turn.memory.background.size >= maxBackgroundChildren)
    refuse(
      `${turn.memory.background.size} sub-agents are already working in the background (delegation.max_async_children). Wait for one to end.`,
    );
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

/** Nobody waits for the hooks that tell a person. */
async function tellCompleted({ memory, ports, context }: RunningTurn, id: string): Promise<void> {
  const message = `The sub-agent ${id} has ended its work in the background`;
  try {
    const payload = { sessionId: memory.id, message, notificationType: "agent_completed" };
    await context.plan.on.notification?.(payload, context);
  } catch (error) {
    ports.log("warning", `the end of the sub-agent ${id} was not told everywhere: ${errorText(error)}`);
  }
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
  const finish = (results: readonly ChildResult[]) => {
    background.delete(id);
    inbox(turn.context).push({ text: backgroundNote(id, results[0]) });
    void tellCompleted(turn, id);
  };
  const work = together(team, ending.signal).then(finish, (error: unknown) => {
    turn.ports.log("warning", `the sub-agent ${id} failed: ${errorText(error)}`);
    finish([]);
  });
  background.set(id, work);
  return { dispatched: id };
}

async function childRoute({ ports }: AgentRoom, { memory }: RunningTurn): Promise<ModelRoute> {
  try {
    return (await ports.childRoute?.(memory.route)) ?? memory.route;
  } catch (error) {
    refuse(`The model of sub-agents cannot be used (delegation.model, delegation.provider): ${errorText(error)}`);
  }
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
    const route = await childRoute(room, turn);
    const children = await Promise.all(tasks.map((task, index) => buildChild(room, turn, { task, route, index })));
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
