import { ask, tell, type Z } from "../event.ts";
import { joined, latestFlag, latestText, universal } from "../field.ts";
import { exampleIds, hermes, programs, texts } from "./view.ts";

const rotation = (z: Z) => ({
  sessionId: z.string().nullable(),
  platform: z.string(),
  reason: z.string(),
  oldSessionId: z.string().optional(),
  newSessionId: z.string().optional(),
});

export const sessionEvents = {
  on_session_start: tell((z: Z) => z.object({ sessionId: z.string(), model: z.string(), platform: z.string() }), {
    about: "A new session has its first turn; never fired on resume, model change or compaction.",
    since: "0.1",
    scope: "session",
    views: hermes("on_session_start"),
    example: { sessionId: exampleIds.sessionId, model: "gpt-4o-mini", platform: "cli" },
  }),
  on_session_end: tell(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        taskId: z.string(),
        turnId: z.string(),
        completed: z.boolean(),
        interrupted: z.boolean(),
        model: z.string(),
        platform: z.string(),
        reason: z.string().optional(),
        apiRequestId: z.string().optional(),
      }),
    {
      about: "A turn has ended, on whatever way out.",
      since: "0.1",
      scope: "turn",
      views: hermes("on_session_end"),
      example: {
        sessionId: exampleIds.sessionId,
        taskId: exampleIds.taskId,
        turnId: exampleIds.turnId,
        completed: true,
        interrupted: false,
        model: "gpt-4o-mini",
        platform: "cli",
      },
    },
  ),
  on_session_finalize: tell((z: Z) => z.object(rotation(z)), {
    about: "A session is being left: shutdown, `/new`, rotation, expiry.",
    since: "0.1",
    scope: "session",
    views: hermes("on_session_finalize"),
    example: { sessionId: exampleIds.sessionId, platform: "cli", reason: "shutdown" },
  }),
  on_session_reset: tell((z: Z) => z.object({ ...rotation(z), sessionId: z.string() }), {
    about: "A new session has taken the place of an old one.",
    since: "0.1",
    scope: "session",
    views: hermes("on_session_reset"),
    example: { sessionId: "20260101_130000_cd34ef", platform: "cli", reason: "new_session" },
  }),
  session_start: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        source: z.enum(["startup", "resume", "clear", "compact", "fork"]),
        model: z.string().optional(),
        agentType: z.string().optional(),
        sessionTitle: z.string().optional(),
        secondsSinceLastResponse: z.number().optional(),
        contextTokens: z.number().int().optional(),
        promptCacheLikelyExpired: z.boolean().optional(),
        estimatedCacheWriteUsd: z.number().optional(),
      }),
    {
      about: "A session is ready to work: new, resumed, cleared, compacted or forked.",
      since: "0.1",
      scope: "session",
      matchOn: "source",
      answer: {
        reminder: joined,
        initialMessage: latestText,
        title: latestText,
        watchPaths: joined,
        reloadSkills: latestFlag,
        ...universal,
      },
      views: [
        {
          dialect: "claude",
          name: "SessionStart",
          sends: [
            "source",
            "model",
            "agentType",
            "sessionTitle",
            "secondsSinceLastResponse",
            "contextTokens",
            "promptCacheLikelyExpired",
            "estimatedCacheWriteUsd",
          ],
          exit2: "user",
          plainText: "context",
          environmentFile: "session",
        },
      ],
      example: { sessionId: exampleIds.sessionId, source: "startup", model: "gpt-4o-mini" },
    },
  ),
  session_end: ask((z: Z) => z.object({ sessionId: z.string(), reason: z.string(), model: z.string().optional() }), {
    about: "A session is unloaded: exit, clear, or another one is resumed in its place.",
    since: "0.1",
    scope: "session",
    matchOn: "reason",
    answer: { notice: joined },
    views: [
      {
        dialect: "claude",
        name: "SessionEnd",
        sends: ["reason"],
        adds: (payload) => ({ source: payload.reason }),
        answers: ["notice"],
        exit2: "user",
        executors: programs,
        limitSeconds: 1.5,
        awaitsBackground: true,
      },
    ],
    example: { sessionId: exampleIds.sessionId, reason: "prompt_input_exit" },
  }),
  setup: tell((z: Z) => z.object({ trigger: z.enum(["init", "maintenance"]) }), {
    about: "The program was started to prepare or maintain a folder.",
    since: "0.1",
    scope: "process",
    matchOn: "trigger",
    views: [
      {
        dialect: "claude",
        name: "Setup",
        answers: [],
        exit2: "none",
        executors: ["command", "worker", "http"],
        environmentFile: "session",
      },
    ],
    example: { trigger: "init" },
  }),
  instructions_loaded: tell(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        filePath: z.string(),
        memoryType: z.enum(["User", "Project", "Local", "Managed"]),
        loadReason: z.enum(["session_start", "nested_traversal", "path_glob_match", "include", "compact"]),
        globs: texts(z).optional(),
        triggerFilePath: z.string().optional(),
        parentFilePath: z.string().optional(),
      }),
    {
      about: "A file of instructions enters the context; once per file.",
      since: "0.1",
      scope: "session",
      matchOn: "loadReason",
      views: [
        {
          dialect: "claude",
          name: "InstructionsLoaded",
          sends: ["filePath", "memoryType", "loadReason", "globs", "triggerFilePath", "parentFilePath"],
          answers: [],
          exit2: "none",
          executors: programs,
        },
      ],
      example: {
        sessionId: exampleIds.sessionId,
        filePath: "/home/ada/project/AGENTS.md",
        memoryType: "Project",
        loadReason: "session_start",
      },
    },
  ),
};
