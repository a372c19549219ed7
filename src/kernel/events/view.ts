import type { View, Z } from "../event.ts";
import type { AssistantMessage, ContentPart, Message, Usage } from "../message.ts";

/** The two Hermes views of a row, with the same columns. */
export const hermes = <P>(name: string, columns: Omit<View<P>, "dialect" | "name"> = {}): readonly View<P>[] => [
  { dialect: "python", name, ...columns },
  { dialect: "shell", name, ...columns },
];

/** Rules that ask no model. */
export const programs = ["command", "worker", "http", "mcp_tool"] as const;

/** Every `permissionDecision` counts as what it says. */
export const asSaid = { allow: "allow", ask: "ask", defer: "defer", deny: "deny" } as const;

/** Ids of a turn and of the model call in it; empty strings where unknown. */
export const ids = (z: Z) => ({
  sessionId: z.string(),
  taskId: z.string(),
  turnId: z.string(),
  apiRequestId: z.string(),
});

export const exampleIds = {
  sessionId: "20260101_120000_ab12cd",
  taskId: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  turnId: "20260101_120000_ab12cd:7c9e6679:1f2e3d4c",
  apiRequestId: "20260101_120000_ab12cd:7c9e6679:1f2e3d4c:api:1",
};

/** Which model, at which provider, over which protocol. */
export const route = (z: Z) => ({
  platform: z.string(),
  model: z.string(),
  provider: z.string(),
  baseUrl: z.string(),
  apiMode: z.string(),
  apiCallCount: z.number().int(),
});

export const exampleRoute = {
  platform: "cli",
  model: "gpt-4o-mini",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  apiMode: "chat_completions",
  apiCallCount: 1,
};

/** Text, or the parts of a message with images. */
export const content = (z: Z) =>
  z.union([
    z.string(),
    z
      .array(
        z.union([
          z.object({ type: z.literal("text"), text: z.string() }),
          z.object({ type: z.literal("image"), data: z.string(), mediaType: z.string() }),
        ]),
      )
      .readonly(),
  ]);

/** The content of a message in OpenAI chat form, as hooks of Hermes see it. */
export const chatContent = (given: string | readonly ContentPart[]): unknown =>
  typeof given === "string" ? given : given.map(chatPart);

function chatPart(part: ContentPart): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = /^https?:/.test(part.data) ? part.data : `data:${part.mediaType};base64,${part.data}`;
  return { type: "image_url", image_url: { url } };
}

/** Any JSON object. */
export const data = (z: Z) => z.record(z.string(), z.unknown());

/** Messages in OpenAI chat form, as hooks see them. */
export const chat = (z: Z) => z.array(data(z)).readonly();

export const texts = (z: Z) => z.array(z.string()).readonly();

/** What each request middleware that changed something left in the trace: `source`, `reason`, `name`. */
export const trace = (z: Z) => chat(z);

const object = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The whole answer of a model, as `next` of the model rows resolves to it. */
export const modelResult = (z: Z) =>
  z.object({
    message: z.custom<AssistantMessage>(object),
    finishReason: z.enum(["stop", "tool-calls", "length", "content-filter", "other"]),
    usage: z.custom<Usage>(object),
    responseModel: z.string(),
  });

/** What is asked of a model before it takes a provider's form. */
export const modelRequest = (z: Z) =>
  z.object({
    system: z.string(),
    messages: z.array(z.custom<Message>(object)).readonly(),
    tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: data(z).readonly() })).readonly(),
    maxOutputTokens: z.number().int().exactOptional(),
    temperature: z.number().exactOptional(),
    reasoningEffort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).exactOptional(),
    toolChoice: z.enum(["auto", "none", "required"]).exactOptional(),
  });

/** Where an MCP tool comes from. */
export const mcpServer = (z: Z) => z.object({ name: z.string(), source: z.string() }).optional();
