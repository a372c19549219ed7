import { ask, tell, type Z } from "../event.ts";
import { joined, strongest, universal } from "../field.ts";
import { exampleIds, hermes, programs } from "./view.ts";

const task = (z: Z) =>
  z.object({
    taskId: z.string(),
    taskSubject: z.string(),
    taskDescription: z.string().optional(),
    teammateName: z.string().optional(),
    teamName: z.string().optional(),
  });
const exampleTask = { taskId: "1", taskSubject: "Write the parser", taskDescription: "With tests." };

const told = [
  "parentSessionId",
  "parentTurnId",
  "parentSubagentId",
  "childSessionId",
  "childSubagentId",
  "childRole",
  "childGoal",
] as const;

export const subagentEvents = {
  subagent_start: ask(
    (z: Z) =>
      z.object({
        parentSessionId: z.string(),
        parentTurnId: z.string(),
        parentSubagentId: z.string().nullable(),
        childSessionId: z.string(),
        childSubagentId: z.string(),
        childRole: z.string(),
        childGoal: z.string(),
        agentType: z.string(),
      }),
    {
      about: "A sub-agent is built, before any of its siblings runs.",
      since: "0.1",
      scope: "call",
      matchOn: "agentType",
      answer: { reminder: joined, ...universal },
      views: [
        ...hermes<Pick<Record<string, unknown>, (typeof told)[number]>>("subagent_start", {
          sends: told,
          answers: [],
          matchOn: "none",
        }),
        {
          dialect: "claude",
          name: "SubagentStart",
          keys: { childSubagentId: "agent_id" },
          sends: ["childSubagentId", "agentType"],
          adds: (payload) => ({ subagent_name: payload.agentType }),
          exit2: "user",
          executors: programs,
        },
      ],
      example: {
        parentSessionId: exampleIds.sessionId,
        parentTurnId: exampleIds.turnId,
        parentSubagentId: null,
        childSessionId: "20260101_120001_ef56ab",
        childSubagentId: "sa-0-1a2b3c4d",
        childRole: "leaf",
        childGoal: "Find all callers of parse()",
        agentType: "general-purpose",
      },
    },
  ),
  subagent_stop: tell(
    (z: Z) =>
      z.object({
        parentSessionId: z.string(),
        parentTurnId: z.string(),
        childSessionId: z.string(),
        childRole: z.string(),
        childSummary: z.string().nullable(),
        childStatus: z.enum(["completed", "failed", "interrupted", "timeout", "error"]),
        durationMs: z.number().int(),
      }),
    {
      about: "The parent is told of each child of a call, in task order, when all have ended.",
      since: "0.1",
      scope: "call",
      views: hermes("subagent_stop"),
      example: {
        parentSessionId: exampleIds.sessionId,
        parentTurnId: exampleIds.turnId,
        childSessionId: "20260101_120001_ef56ab",
        childRole: "leaf",
        childSummary: "Three callers.",
        childStatus: "completed",
        durationMs: 8200,
      },
    },
  ),
  task_created: ask(task, {
    about: "A task is about to be added to the list.",
    since: "0.1",
    scope: "call",
    answer: { verdict: strongest, notice: joined, terminal: joined },
    closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
    views: [{ dialect: "claude", name: "TaskCreated", exit2: "verdict" }],
    example: exampleTask,
  }),
  task_completed: ask(task, {
    about: "A task is about to be marked as done.",
    since: "0.1",
    scope: "call",
    answer: { verdict: strongest, ...universal },
    closed: "never",
    views: [{ dialect: "claude", name: "TaskCompleted", exit2: "verdict" }],
    example: exampleTask,
  }),
  teammate_idle: ask((z: Z) => z.object({ teammateName: z.string(), teamName: z.string() }), {
    about: "An agent of a team is about to go idle. A deny gives it more to do.",
    since: "0.1",
    scope: "session",
    answer: { verdict: strongest, ...universal },
    closed: "never",
    views: [{ dialect: "claude", name: "TeammateIdle", exit2: "verdict", refusal: "ends-unless-continued" }],
    example: { teammateName: "tester", teamName: "release" },
  }),
};
