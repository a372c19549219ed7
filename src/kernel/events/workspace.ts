import { ask, type Z } from "../event.ts";
import { claimedText, joined, latestRecord, strongest } from "../field.ts";
import { data, exampleIds, programs } from "./view.ts";

type Reply = { readonly action: "accept" | "decline" | "cancel"; readonly content?: Readonly<Record<string, unknown>> };

export const workspaceEvents = {
  pre_compact: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        trigger: z.enum(["manual", "auto"]),
        customInstructions: z.string().nullable(),
        messageCount: z.number().int(),
      }),
    {
      about: "The older part of a conversation is about to be summarised.",
      since: "0.1",
      scope: "session",
      matchOn: "trigger",
      answer: { verdict: strongest },
      closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
      views: [
        {
          dialect: "claude",
          name: "PreCompact",
          sends: ["trigger", "customInstructions", "messageCount"],
          exit2: "verdict",
          executors: programs,
        },
      ],
      example: { sessionId: exampleIds.sessionId, trigger: "auto", customInstructions: null, messageCount: 84 },
    },
  ),
  post_compact: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        trigger: z.enum(["manual", "auto"]),
        compactSummary: z.string(),
        messageCount: z.number().int(),
      }),
    {
      about: "The older part of a conversation has been summarised.",
      since: "0.1",
      scope: "session",
      matchOn: "trigger",
      answer: { notice: joined },
      views: [
        {
          dialect: "claude",
          name: "PostCompact",
          sends: ["trigger", "compactSummary", "messageCount"],
          answers: [],
          exit2: "user",
          executors: programs,
        },
      ],
      example: {
        sessionId: exampleIds.sessionId,
        trigger: "auto",
        compactSummary: "The parser is done.",
        messageCount: 9,
      },
    },
  ),
  notification: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        message: z.string(),
        title: z.string().optional(),
        notificationType: z.string(),
      }),
    {
      about: "A person's attention is wanted.",
      since: "0.1",
      scope: "session",
      matchOn: "notificationType",
      answer: { terminal: joined },
      views: [
        {
          dialect: "claude",
          name: "Notification",
          sends: ["message", "title", "notificationType"],
          answers: ["terminal"],
          exit2: "none",
          executors: programs,
        },
      ],
      example: {
        sessionId: exampleIds.sessionId,
        message: "Talaria needs your permission to use terminal",
        notificationType: "permission_prompt",
      },
    },
  ),
  config_change: ask((z: Z) => z.object({ source: z.string(), filePath: z.string().optional() }), {
    about: "A settings or skill file has changed and is about to be applied.",
    since: "0.1",
    scope: "process",
    matchOn: "source",
    answer: { verdict: strongest },
    views: [{ dialect: "claude", name: "ConfigChange", exit2: "verdict", executors: programs }],
    example: { source: "project_settings", filePath: "/home/ada/project/.claude/settings.json" },
  }),
  cwd_changed: ask((z: Z) => z.object({ sessionId: z.string(), oldCwd: z.string(), newCwd: z.string() }), {
    about: "A command of the main conversation has moved to another folder.",
    since: "0.1",
    scope: "session",
    answer: { watchPaths: joined, notice: joined, terminal: joined },
    views: [
      {
        dialect: "claude",
        name: "CwdChanged",
        sends: ["oldCwd", "newCwd"],
        exit2: "user",
        executors: programs,
        environmentFile: "folder-anew",
      },
    ],
    example: { sessionId: exampleIds.sessionId, oldCwd: "/home/ada/project", newCwd: "/home/ada/project/web" },
  }),
  directory_added: ask(
    (z: Z) => z.object({ directory: z.string(), source: z.enum(["slash_command", "register_repo_root"]) }),
    {
      about: "A further folder belongs to the session.",
      since: "0.1",
      scope: "session",
      matchOn: "source",
      answer: { notice: joined, terminal: joined },
      views: [{ dialect: "claude", name: "DirectoryAdded", exit2: "none", executors: programs }],
      example: { directory: "/home/ada/library", source: "slash_command" },
    },
  ),
  file_changed: ask((z: Z) => z.object({ filePath: z.string(), event: z.enum(["change", "add", "unlink"]) }), {
    about: "A watched file has changed, whoever changed it.",
    since: "0.1",
    scope: "session",
    matchOn: "filePath",
    answer: { watchPaths: joined, notice: joined, terminal: joined },
    views: [
      {
        dialect: "claude",
        name: "FileChanged",
        exit2: "user",
        environmentFile: "folder",
        matchAs: "baseName",
        matchList: "narrow",
        executors: programs,
      },
    ],
    example: { filePath: "/home/ada/project/.envrc", event: "change" },
  }),
  worktree_create: ask((z: Z) => z.object({ name: z.string() }), {
    about: "An isolated working copy is wanted; the handler's path replaces the git default.",
    since: "0.1",
    scope: "session",
    answer: { path: claimedText, verdict: strongest },
    closed: { verdict: { decision: "deny", reason: "the working copy could not be made" } },
    views: [
      {
        dialect: "claude",
        name: "WorktreeCreate",
        exit2: "verdict",
        failure: "verdict",
        plainText: "path",
        executors: programs,
      },
    ],
    example: { name: "feature-parser" },
  }),
  worktree_remove: ask((z: Z) => z.object({ worktreePath: z.string() }), {
    about: "An isolated working copy is to be removed.",
    since: "0.1",
    scope: "session",
    answer: { verdict: strongest },
    closed: { verdict: { decision: "deny", reason: "the working copy could not be removed" } },
    views: [{ dialect: "claude", name: "WorktreeRemove", exit2: "verdict", failure: "verdict", executors: programs }],
    example: { worktreePath: "/home/ada/worktrees/feature-parser" },
  }),
  elicitation: ask(
    (z: Z) =>
      z.object({
        mcpServerName: z.string(),
        message: z.string(),
        mode: z.enum(["form", "url"]).optional(),
        url: z.string().optional(),
        elicitationId: z.string().optional(),
        requestedSchema: data(z).optional(),
      }),
    {
      about: "An MCP server asks the user something.",
      since: "0.1",
      scope: "call",
      matchOn: "mcpServerName",
      answer: { reply: latestRecord<Reply>(), verdict: strongest },
      views: [{ dialect: "claude", name: "Elicitation", exit2: "verdict", executors: programs }],
      example: { mcpServerName: "tickets", message: "Which project?", mode: "form" },
    },
  ),
  elicitation_result: ask(
    (z: Z) =>
      z.object({
        mcpServerName: z.string(),
        action: z.enum(["accept", "decline", "cancel"]),
        mode: z.enum(["form", "url"]).optional(),
        elicitationId: z.string().optional(),
        content: data(z).optional(),
      }),
    {
      about: "The user has answered an MCP server.",
      since: "0.1",
      scope: "call",
      matchOn: "mcpServerName",
      answer: { reply: latestRecord<Reply>(), verdict: strongest },
      views: [{ dialect: "claude", name: "ElicitationResult", exit2: "verdict", executors: programs }],
      example: { mcpServerName: "tickets", action: "accept", content: { project: "web" } },
    },
  ),
};
