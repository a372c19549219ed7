import { ask, tell, type Z } from "../event.ts";
import { claimed, strongest, threadedText } from "../field.ts";
import { data, exampleIds, texts } from "./view.ts";

export type DispatchDecision =
  | { readonly action: "skip"; readonly reason?: string }
  | { readonly action: "rewrite"; readonly text?: string }
  | { readonly action: "allow" };

export type CommandDecision =
  | { readonly decision: "deny"; readonly message?: string }
  | { readonly decision: "handled"; readonly message?: string }
  | { readonly decision: "rewrite"; readonly commandName: string; readonly rawArgs?: string };

const person = (z: Z) => ({ platform: z.string(), userId: z.string() });
const examplePerson = { platform: "telegram", userId: "4711" };
const agentRun = (z: Z) => ({
  ...person(z),
  chatId: z.string(),
  threadId: z.string(),
  chatType: z.string(),
  sessionId: z.string(),
  message: z.string(),
});
const exampleRun = {
  ...examplePerson,
  chatId: "-100200300",
  threadId: "",
  chatType: "group",
  sessionId: exampleIds.sessionId,
  message: "List the files here.",
};
const exampleKey = "agent:main:telegram:group:-100200300";

export const gatewayEvents = {
  pre_gateway_dispatch: ask(
    (z: Z) => z.object({ event: z.unknown(), gateway: z.unknown(), sessionStore: z.unknown() }),
    {
      about: "A chat message has arrived; nobody has looked at who sent it. It may be dropped or rewritten.",
      since: "0.1",
      scope: "turn",
      surface: "gateway",
      answer: { dispatch: claimed<DispatchDecision>() },
      views: [
        { dialect: "python", name: "pre_gateway_dispatch" },
        {
          dialect: "shell",
          name: "pre_gateway_dispatch",
          sends: ["event"],
          adds: () => ({ gateway: "<gateway>", session_store: "<session store>" }),
        },
      ],
      example: {
        event: {
          text: "List the files here.",
          message_type: "text",
          source: { platform: "telegram", chat_id: "-100200300", user_id: "4711" },
        },
        gateway: "gateway",
        sessionStore: "session_store",
      },
    },
  ),
  pre_delivery: ask(
    (z: Z) =>
      z.object({
        sessionId: z.string(),
        platform: z.string(),
        chatId: z.string(),
        threadId: z.string(),
        text: z.string(),
      }),
    {
      about: "A text is about to be sent to a chat; it may be replaced or held back.",
      since: "0.1",
      scope: "turn",
      surface: "gateway",
      answer: { text: threadedText("text"), verdict: strongest },
      closed: { verdict: { decision: "deny", reason: "a check of the delivery failed before it decided" } },
      views: [],
      example: {
        sessionId: exampleIds.sessionId,
        platform: "telegram",
        chatId: "-100200300",
        threadId: "",
        text: "Two files.",
      },
    },
  ),
  "gateway:startup": tell((z: Z) => z.object({ platforms: texts(z) }), {
    about: "The gateway runs and its adapters are connected.",
    since: "0.1",
    scope: "process",
    surface: "gateway",
    queued: true,
    views: [{ dialect: "gateway", name: "gateway:startup" }],
    example: { platforms: ["telegram", "discord"] },
  }),
  "session:start": tell((z: Z) => z.object({ ...person(z), sessionId: z.string(), sessionKey: z.string() }), {
    about: "A chat has a new session and its first message.",
    since: "0.1",
    scope: "session",
    surface: "gateway",
    queued: true,
    views: [{ dialect: "gateway", name: "session:start" }],
    example: { ...examplePerson, sessionId: exampleIds.sessionId, sessionKey: exampleKey },
  }),
  "session:end": tell((z: Z) => z.object({ ...person(z), sessionKey: z.string() }), {
    about: "A chat has left its session.",
    since: "0.1",
    scope: "session",
    surface: "gateway",
    queued: true,
    views: [{ dialect: "gateway", name: "session:end" }],
    example: { ...examplePerson, sessionKey: exampleKey },
  }),
  "session:reset": tell((z: Z) => z.object({ ...person(z), sessionKey: z.string() }), {
    about: "A chat's session was replaced by a new one.",
    since: "0.1",
    scope: "session",
    surface: "gateway",
    queued: true,
    views: [{ dialect: "gateway", name: "session:reset" }],
    example: { ...examplePerson, sessionKey: exampleKey },
  }),
  "session:compress": tell(
    (z: Z) =>
      z.object({
        platform: z.string(),
        sessionId: z.string(),
        oldSessionId: z.string(),
        compressionCount: z.number().int(),
      }),
    {
      about: "The conversation of a chat was summarised.",
      since: "0.1",
      scope: "session",
      surface: "gateway",
      queued: true,
      views: [{ dialect: "gateway", name: "session:compress" }],
      example: { platform: "telegram", sessionId: exampleIds.sessionId, oldSessionId: "", compressionCount: 1 },
    },
  ),
  "agent:start": tell((z: Z) => z.object(agentRun(z)), {
    about: "The agent begins to work on a chat message.",
    since: "0.1",
    scope: "turn",
    surface: "gateway",
    queued: true,
    views: [{ dialect: "gateway", name: "agent:start" }],
    example: exampleRun,
  }),
  "agent:step": tell(
    (z: Z) =>
      z.object({
        ...person(z),
        sessionId: z.string(),
        iteration: z.number().int(),
        toolNames: texts(z),
        tools: z.array(data(z)).readonly(),
      }),
    {
      about: "An iteration of a chat's turn begins; `tools` are the calls of the one before.",
      since: "0.1",
      scope: "turn",
      surface: "gateway",
      queued: true,
      views: [{ dialect: "gateway", name: "agent:step" }],
      example: {
        ...examplePerson,
        sessionId: exampleIds.sessionId,
        iteration: 2,
        toolNames: ["terminal"],
        tools: [{ name: "terminal", result: '{"output": "total 0"}', arguments: '{"command": "ls"}' }],
      },
    },
  ),
  "agent:end": tell((z: Z) => z.object({ ...agentRun(z), response: z.string() }), {
    about: "The agent has answered a chat message, or failed to.",
    since: "0.1",
    scope: "turn",
    surface: "gateway",
    queued: true,
    views: [{ dialect: "gateway", name: "agent:end" }],
    example: { ...exampleRun, response: "Two files." },
  }),
  "command:*": ask(
    (z: Z) =>
      z.object({
        ...person(z),
        command: z.string(),
        rawCommand: z.string(),
        args: z.string(),
        rawArgs: z.string(),
      }),
    {
      about: "A slash command was recognised; the first decision to deny, handle or rewrite it counts.",
      since: "0.1",
      scope: "turn",
      surface: "gateway",
      matchOn: "command",
      answer: { command: claimed<CommandDecision>() },
      views: [{ dialect: "gateway", name: "command:*", family: ["command", "rawCommand"], limitSeconds: 5 }],
      example: { ...examplePerson, command: "new", rawCommand: "reset", args: "", rawArgs: "" },
    },
  ),
};
