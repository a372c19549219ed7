import type { ChildResult, ChildTask, Tool, ToolOutcome, ToolRun, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { type Arguments, booleanArgument, listArgument, textArgument, textListArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";

export interface SubAgentSettings {
  /** Agents at this depth may not spawn further ones. */
  readonly maxSpawnDepth: number;
  readonly ticks: () => number;
}

const taskProperties = {
  goal: { type: "string", description: "What the sub-agent is to reach, and how you will know that it has." },
  context: {
    type: "string",
    description: "All it needs to know: paths, facts, constraints. It sees nothing of this conversation.",
  },
  toolsets: {
    type: "array",
    items: { type: "string" },
    description: "Limits its tools to these sets, such as terminal, file, web. Absent: all of yours.",
  },
  role: {
    type: "string",
    enum: ["leaf", "orchestrator"],
    description: "orchestrator: it may delegate in turn where depth allows. Default leaf.",
  },
} as const;

/** `delegate_task`: one task or a batch for sub-agents with a conversation of their own. See docs/reference/tools.md. */
export function subAgent(settings: SubAgentSettings): Middleware<TurnContext> {
  const tool: Tool = {
    name: "delegate_task",
    toolset: "delegation",
    description:
      "Gives work to sub-agents, each with a fresh conversation and its own budget; several tasks run side by side. Use it for searches and chores that would fill this conversation, and for parts that do not depend on each other. Give `goal` for one task or `tasks` for several. Only their summaries come back: ask for what you need to know, and check what matters.",
    parameters: {
      type: "object",
      properties: {
        ...taskProperties,
        tasks: {
          type: "array",
          description: "Several tasks at once, instead of goal.",
          items: { type: "object", properties: taskProperties, required: ["goal"] },
        },
        background: {
          type: "boolean",
          description: "Do not wait: its result comes later as a note. One task only.",
        },
      },
    },
    available: (context) => context.depth < settings.maxSpawnDepth,
    summary: (args) => textArgument(args, "goal") ?? `${listArgument(args, "tasks")?.length ?? 0} tasks`,
    run: (args, run) => delegate(args, run, settings),
  };
  return { slot: "sub-agent", tools: () => [tool] };
}

async function delegate(args: Arguments, run: ToolRun, settings: SubAgentSettings): Promise<ToolOutcome> {
  const { context, callId, signal } = run;
  const tasks = tasksOf(args);
  if (typeof tasks === "string") return failure(tasks);
  const started = settings.ticks();
  const background = booleanArgument(args, "background") === true;
  try {
    const results = await context.delegate(tasks, { callId, signal, ...(background ? { background } : {}) });
    if ("dispatched" in results) return answer({ status: "dispatched", delegation_id: results.dispatched });
    const seconds = Math.round((settings.ticks() - started) / 10) / 100;
    return answer({ results: results.map(resultForModel), total_duration_seconds: seconds });
  } catch (error) {
    if (signal.aborted) throw error;
    return failure(error instanceof Error ? error.message : String(error));
  }
}

/** The tasks asked for, or what is wrong with them. */
function tasksOf(args: Arguments): readonly ChildTask[] | string {
  const list = listArgument(args, "tasks");
  if (list === undefined && args["tasks"] !== undefined && args["tasks"] !== null)
    return "tasks must be a list of objects, each with a goal";
  if (list === undefined || list.length === 0) {
    const task = taskOf(args);
    return task === undefined ? "give goal, or tasks with a goal each" : [task];
  }
  const tasks: ChildTask[] = [];
  for (const [index, item] of list.entries()) {
    const task = typeof item === "string" ? taskOf({ goal: item }) : taskOf(item);
    if (task === undefined) return `task ${index} has no goal`;
    tasks.push(task);
  }
  return tasks;
}

function taskOf(item: unknown): ChildTask | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const args = item as Arguments;
  const goal = textArgument(args, "goal")?.trim();
  if (goal === undefined || goal === "") return undefined;
  const context = textArgument(args, "context");
  const toolsets = textListArgument(args, "toolsets");
  const role = textArgument(args, "role");
  return {
    goal,
    ...(context === undefined ? {} : { context }),
    ...(toolsets.length === 0 ? {} : { toolsets }),
    ...(role === "leaf" || role === "orchestrator" ? { role } : {}),
  };
}

const resultForModel = (result: ChildResult): Readonly<Record<string, unknown>> => ({
  task_index: result.taskIndex,
  status: result.status,
  summary: result.summary ?? null,
  api_calls: result.apiCalls,
  duration_seconds: result.durationSeconds,
  model: result.model,
  exit_reason: result.exitReason,
  tokens: result.tokens,
  tool_trace: result.toolTrace,
  ...(result.error === undefined ? {} : { error: result.error }),
});
