import { ask, tell, type Z } from "../event.ts";
import { claimedText, joined, latestFlag, latestText, strongest, threaded, threadedText, universal } from "../field.ts";
import type { ContentPart } from "../message.ts";
import { chat, chatContent, content, data, exampleIds, hermes, ids, programs } from "./view.ts";

type Content = string | readonly ContentPart[];

const turn = (z: Z) => ({ sessionId: z.string(), taskId: z.string(), turnId: z.string() });
const exampleTurn = { sessionId: exampleIds.sessionId, taskId: exampleIds.taskId, turnId: exampleIds.turnId };
const exampleHistory = [{ role: "user", content: "List the files here." }];

const isContent = (given: unknown): boolean => typeof given === "string" || Array.isArray(given);

/** A payload with a message and these keys. */
type Told<K extends string> = { readonly [key in K]: unknown } & { readonly userMessage: Content };

const prompted = [
  "sessionId",
  "taskId",
  "turnId",
  "conversationHistory",
  "isFirstTurn",
  "model",
  "platform",
  "senderId",
] as const;

const answered = [
  "sessionId",
  "taskId",
  "turnId",
  "assistantResponse",
  "conversationHistory",
  "model",
  "platform",
] as const;
const told = (payload: { readonly userMessage: Content }) => ({ user_message: chatContent(payload.userMessage) });

/** The text of a message; images count as nothing. */
const textOf = (message: Content): string =>
  typeof message === "string"
    ? message
    : message.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

export const turnEvents = {
  before_agent: ask(
    (z: Z) =>
      z.object({
        ...turn(z),
        platform: z.string(),
        model: z.string(),
        userMessage: content(z),
        isFirstTurn: z.boolean(),
      }),
    {
      about: "A turn begins: its input is here, nothing has been stored.",
      since: "0.1",
      scope: "turn",
      method: "beforeAgent",
      answer: { reminder: joined, ...universal },
      views: [],
      example: {
        ...exampleTurn,
        platform: "cli",
        model: "gpt-4o-mini",
        userMessage: "List the files here.",
        isFirstTurn: true,
      },
    },
  ),
  before_input: ask((z: Z) => z.object({ ...turn(z), content: content(z) }), {
    about: "A piece of input is prepared for the model: mentions of files and images become their contents.",
    since: "0.1",
    scope: "turn",
    method: "beforeInput",
    answer: { content: threaded<Content>(isContent)("content"), reminder: joined, ...universal },
    views: [],
    example: { ...exampleTurn, content: "Explain @README.md" },
  }),
  pre_llm_call: ask(
    (z: Z) =>
      z.object({
        ...turn(z),
        userMessage: content(z),
        conversationHistory: chat(z),
        isFirstTurn: z.boolean(),
        model: z.string(),
        platform: z.string(),
        senderId: z.string(),
        source: z.string().optional(),
        sessionTitle: z.string().optional(),
      }),
    {
      about: "A prompt has arrived and is not yet stored: it may get context for this turn, or be refused.",
      since: "0.1",
      scope: "turn",
      answer: {
        context: joined,
        verdict: strongest,
        reminder: joined,
        title: latestText,
        hidePrompt: latestFlag,
        ...universal,
      },
      closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
      views: [
        ...hermes<Told<(typeof prompted)[number]>>("pre_llm_call", {
          sends: prompted,
          adds: told,
          answers: ["context", "notice", "halt"],
          says: { field: "context" },
        }),
        {
          dialect: "claude",
          name: "UserPromptSubmit",
          sends: ["source", "sessionTitle"],
          adds: (payload) => ({ prompt: textOf(payload.userMessage) }),
          answers: ["verdict", "reminder", "title", "hidePrompt", "notice", "halt", "terminal"],
          exit2: "verdict",
          plainText: "context",
          refusal: "ends",
          limitSeconds: 30,
        },
      ],
      example: {
        ...exampleTurn,
        userMessage: "List the files here.",
        conversationHistory: exampleHistory,
        isFirstTurn: true,
        model: "gpt-4o-mini",
        platform: "cli",
        senderId: "",
      },
    },
  ),
  after_agent: ask((z: Z) => z.object({ ...turn(z), text: z.string() }), {
    about: "The model has given its final answer; the text may be replaced.",
    since: "0.1",
    scope: "turn",
    method: "afterAgent",
    answer: { text: threadedText("text"), ...universal },
    views: [],
    example: { ...exampleTurn, text: "Two files." },
  }),
  stop: ask(
    (z: Z) =>
      z.object({
        ...ids(z),
        stopHookActive: z.boolean(),
        lastAssistantMessage: z.string(),
        backgroundTasks: z.array(data(z)).readonly(),
        sessionCrons: z.array(data(z)).readonly(),
        agentId: z.string().optional(),
        agentType: z.string().optional(),
        agentTranscriptPath: z.string().optional(),
      }),
    {
      about: "An agent is about to end its turn. A deny or a reminder continues it.",
      since: "0.1",
      scope: "turn",
      method: "onStop",
      answer: { verdict: strongest, reminder: joined, ...universal },
      closed: "never",
      views: [
        {
          dialect: "claude",
          name: "Stop",
          when: (payload) => payload.agentId === undefined,
          sends: ["stopHookActive", "lastAssistantMessage", "backgroundTasks", "sessionCrons"],
          adds: (payload) => ({ subagent_result: payload.lastAssistantMessage.slice(0, 500) }),
          exit2: "verdict",
          effort: true,
        },
        {
          dialect: "claude",
          name: "SubagentStop",
          matchOn: "agentType",
          when: (payload) => payload.agentId !== undefined,
          sends: [
            "stopHookActive",
            "agentId",
            "agentType",
            "agentTranscriptPath",
            "lastAssistantMessage",
            "backgroundTasks",
            "sessionCrons",
          ],
          adds: (payload) => ({
            subagent_name: payload.agentType,
            subagent_result: payload.lastAssistantMessage.slice(0, 500),
          }),
          exit2: "verdict",
          effort: true,
        },
      ],
      example: {
        ...exampleIds,
        stopHookActive: false,
        lastAssistantMessage: "Two files.",
        backgroundTasks: [],
        sessionCrons: [],
      },
    },
  ),
  stop_failure: tell(
    (z: Z) =>
      z.object({
        ...ids(z),
        error: z.string(),
        errorDetails: z.string().optional(),
        lastAssistantMessage: z.string(),
      }),
    {
      about: "A turn ended by an error, of the model or of a middleware.",
      since: "0.1",
      scope: "turn",
      method: "onError",
      matchOn: "error",
      views: [
        {
          dialect: "claude",
          name: "StopFailure",
          matchList: "narrow",
          executors: programs,
          sends: ["error", "errorDetails", "lastAssistantMessage"],
          adds: (payload) => ({ tool_output: payload.errorDetails ?? payload.lastAssistantMessage }),
          answers: [],
          exit2: "none",
        },
      ],
      example: { ...exampleIds, error: "rate_limit", lastAssistantMessage: "The model refused: too many requests." },
    },
  ),
  transform_llm_output: ask(
    (z: Z) => z.object({ sessionId: z.string(), responseText: z.string(), model: z.string(), platform: z.string() }),
    {
      about: "The final text may be replaced before it is delivered.",
      since: "0.1",
      scope: "turn",
      answer: { text: claimedText },
      views: hermes("transform_llm_output", { says: { field: "text" } }),
      example: { sessionId: exampleIds.sessionId, responseText: "Two files.", model: "gpt-4o-mini", platform: "cli" },
    },
  ),
  post_llm_call: tell(
    (z: Z) =>
      z.object({
        ...turn(z),
        userMessage: content(z),
        assistantResponse: z.string(),
        conversationHistory: chat(z),
        model: z.string(),
        platform: z.string(),
      }),
    {
      about: "A turn has its final text, as it is delivered.",
      since: "0.1",
      scope: "turn",
      views: hermes<Told<(typeof answered)[number]>>("post_llm_call", { sends: answered, adds: told }),
      example: {
        ...exampleTurn,
        userMessage: "List the files here.",
        assistantResponse: "Two files.",
        conversationHistory: [...exampleHistory, { role: "assistant", content: "Two files." }],
        model: "gpt-4o-mini",
        platform: "cli",
      },
    },
  ),
  user_prompt_expansion: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        expansionType: z.enum(["slash_command", "mcp_prompt"]),
        commandName: z.string(),
        commandArgs: z.string(),
        commandSource: z.string(),
        prompt: z.string(),
      }),
    {
      about: "A typed command of a skill or an MCP prompt is about to become a prompt.",
      since: "0.1",
      scope: "turn",
      matchOn: "commandName",
      answer: { verdict: strongest, reminder: joined, ...universal },
      closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
      views: [
        {
          dialect: "claude",
          name: "UserPromptExpansion",
          sends: ["expansionType", "commandName", "commandArgs", "commandSource", "prompt"],
          exit2: "verdict",
          plainText: "context",
          refusal: "ends",
        },
      ],
      example: {
        sessionId: exampleIds.sessionId,
        expansionType: "slash_command",
        commandName: "review",
        commandArgs: "src/index.ts",
        commandSource: "project",
        prompt: "/review src/index.ts",
      },
    },
  ),
  message_display: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        turnId: z.string(),
        messageId: z.string(),
        index: z.number().int(),
        final: z.boolean(),
        delta: z.string(),
      }),
    {
      about: "Lines of the agent's text are about to be drawn; only the screen can be changed.",
      since: "0.1",
      scope: "turn",
      answer: { display: latestText },
      views: [
        {
          dialect: "claude",
          name: "MessageDisplay",
          sends: ["turnId", "messageId", "index", "final", "delta"],
          exit2: "none",
          limitSeconds: 10,
          executors: programs,
        },
      ],
      example: {
        sessionId: exampleIds.sessionId,
        turnId: exampleIds.turnId,
        messageId: "m-1",
        index: 0,
        final: true,
        delta: "Two files.\n",
      },
    },
  ),
};
