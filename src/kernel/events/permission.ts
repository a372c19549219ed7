import { ask, tell, type Z } from "../event.ts";
import { collected, joined, latestFlag, latestRecord, strongest, threaded, universal } from "../field.ts";
import { data, exampleIds, hermes, ids, mcpServer, programs, texts } from "./view.ts";

type Args = Readonly<Record<string, unknown>>;

const call = (z: Z) => ({
  ...ids(z),
  toolName: z.string(),
  args: data(z),
  toolCallId: z.string(),
  mcpServer: mcpServer(z),
});
const exampleCall = {
  ...exampleIds,
  toolName: "terminal",
  args: { command: "rm -rf build" },
  toolCallId: "call_8s7Xq2",
};

const approval = (z: Z) => ({
  command: z.string(),
  description: z.string(),
  patternKey: z.string(),
  patternKeys: texts(z),
  sessionKey: z.string(),
  surface: z.enum(["cli", "gateway"]),
  turnId: z.string(),
  toolCallId: z.string(),
});
const exampleApproval = {
  command: "rm -rf build",
  description: "recursive delete",
  patternKey: "rm_rf",
  patternKeys: ["rm_rf"],
  sessionKey: exampleIds.sessionId,
  surface: "cli",
  turnId: exampleIds.turnId,
  toolCallId: "call_8s7Xq2",
} as const;

export const permissionEvents = {
  permit: ask(
    (z: Z) =>
      z.object({
        ...call(z),
        judged: z
          .object({
            decision: z.enum(["deny", "defer", "ask", "allow"]),
            reason: z.string().exactOptional(),
            by: z.string().exactOptional(),
          })
          .readonly()
          .optional(),
      }),
    {
      about: "The settled call is permitted or not. Nothing is rewritten here: `edited` goes back to be judged anew.",
      since: "0.1",
      scope: "call",
      method: "permit",
      matchOn: "toolName",
      answer: { verdict: strongest, edited: latestRecord<Args>(), reminder: joined, ...universal },
      closed: { verdict: { decision: "deny", reason: "a permission check failed before it decided" } },
      views: [],
      example: { ...exampleCall, judged: { decision: "ask", reason: "asked for by a hook", by: "plugin:guard" } },
    },
  ),
  permission_request: ask(
    (z: Z) => z.object({ ...call(z), permissionSuggestions: z.array(data(z)).readonly().optional() }),
    {
      about: "Somebody is about to be asked about a call, or it is about to be refused because nobody can be asked.",
      since: "0.1",
      scope: "call",
      matchOn: "toolName",
      answer: { verdict: strongest, args: threaded<Args>()("args"), permissions: collected<Args>(), ...universal },
      closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
      views: [
        {
          dialect: "claude",
          name: "PermissionRequest",
          keys: { args: "tool_input" },
          sends: ["toolName", "args", "permissionSuggestions", "mcpServer"],
          exit2: "none",
          condition: true,
          effort: true,
          refusal: "none",
          executors: [...programs, "prompt"],
        },
      ],
      example: exampleCall,
    },
  ),
  permission_denied: ask((z: Z) => z.object({ ...call(z), reason: z.string() }), {
    about: "A call was refused without a person; a handler may say that the model may try again.",
    since: "0.1",
    scope: "call",
    matchOn: "toolName",
    answer: { retry: latestFlag, ...universal },
    views: [
      {
        dialect: "claude",
        name: "PermissionDenied",
        keys: { args: "tool_input", toolCallId: "tool_use_id" },
        sends: ["toolName", "args", "toolCallId", "reason", "mcpServer"],
        exit2: "none",
        condition: true,
        effort: true,
        refusal: "none",
      },
    ],
    example: { ...exampleCall, reason: "recursive delete is not allowed here" },
  }),
  pre_approval_request: tell((z: Z) => z.object(approval(z)), {
    about: "An approval prompt is about to be shown.",
    since: "0.1",
    scope: "call",
    views: hermes("pre_approval_request"),
    example: exampleApproval,
  }),
  post_approval_response: tell(
    (z: Z) => z.object({ ...approval(z), choice: z.enum(["once", "session", "always", "deny", "timeout"]) }),
    {
      about: "An approval prompt was answered, or nobody answered in time.",
      since: "0.1",
      scope: "call",
      views: hermes("post_approval_response"),
      example: { ...exampleApproval, choice: "once" },
    },
  ),
  pre_skill_shell_command: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        toolName: z.string(),
        args: data(z),
        toolCallId: z.string(),
        commandName: z.string(),
        commandSource: z.string(),
        invokedBy: z.enum(["user", "claude", "other"]),
      }),
    {
      about: "A shell line inside the text of a skill or command is about to run.",
      since: "0.1",
      scope: "call",
      matchOn: "toolName",
      answer: { verdict: strongest, ...universal },
      closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
      views: [
        {
          dialect: "claude",
          name: "PreSkillShellCommand",
          keys: { args: "tool_input", toolCallId: "tool_use_id" },
          sends: ["toolName", "args", "toolCallId", "commandName", "commandSource", "invokedBy"],
          exit2: "verdict",
          executors: programs,
          permission: { allow: "none", ask: "deny", defer: "deny", deny: "deny" },
          rewrite: "refused",
        },
      ],
      example: {
        sessionId: exampleIds.sessionId,
        toolName: "terminal",
        args: { command: "git status --short" },
        toolCallId: "call_skill1",
        commandName: "review",
        commandSource: "project",
        invokedBy: "user",
      },
    },
  ),
};
