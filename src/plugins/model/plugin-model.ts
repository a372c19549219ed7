import type { MaybePromise, Message, Usage } from "#kernel";
import { PluginError } from "../error.ts";
import type {
  Completion,
  CompletionOptions,
  PluginModel,
  StructuredCompletion,
  StructuredOptions,
} from "../plugin-context.ts";
import { checkOverrides } from "./policy.ts";
import { checkSchema, parsedJson, structuredPrompt, wantsJson } from "./structured.ts";

/** One call as the host makes it: no hooks, no transcript. */
export interface PluginQuestion {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly task: string | undefined;
  readonly temperature: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Undefined: as the task says, else the host's own limit. */
  readonly timeoutSeconds: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly responseFormat: { readonly name: string; readonly schema?: Readonly<Record<string, unknown>> } | undefined;
  readonly extraBody: Readonly<Record<string, unknown>> | undefined;
}

export interface PluginReply {
  readonly text: string;
  readonly usage: Usage;
  readonly provider: string;
  /** What the server said that it is, else what was asked for. */
  readonly model: string;
}

export interface PluginModelPorts {
  /** `plugins.entries` as the configuration is now. */
  readonly entries: () => MaybePromise<unknown>;
  readonly ask: (question: PluginQuestion) => Promise<PluginReply>;
  readonly log: (level: "debug" | "info" | "warning", message: string) => void;
}

const structuredName = "plugin_structured_output";

/**
 * The host's model for one plugin (docs/reference/plugins-in-use.md). The policy is read on every call; what it does not
 * allow rejects with a `PluginLlmTrustError` before anything is sent.
 */
export function pluginModel(
  owner: { readonly key: string; readonly name: string },
  ports: PluginModelPorts,
): PluginModel {
  const { key } = owner;
  const allowed = async (options: CompletionOptions): Promise<void> => {
    const all = await ports.entries();
    const entries = typeof all === "object" && all !== null ? (all as Readonly<Record<string, unknown>>) : {};
    const say = (message: string): void => ports.log("warning", message);
    checkOverrides(key, options, entries[key] ?? entries[owner.name], say);
  };
  const ask = async (
    options: CompletionOptions,
    prompt: Pick<PluginQuestion, "system" | "messages" | "responseFormat">,
    schemaName?: string,
  ): Promise<Completion> => {
    const profile = given(options.profile);
    const reply = await ports.ask({
      ...prompt,
      provider: given(options.provider),
      model: given(options.model),
      task: given(options.task),
      temperature: options.temperature,
      maxOutputTokens: options.maxTokens,
      timeoutSeconds: options.timeoutSeconds,
      signal: options.signal,
      extraBody: profile === undefined ? undefined : { metadata: { auth_profile: profile } },
    });
    const completion = completionOf(key, options, reply, schemaName);
    const { inputTokens, outputTokens } = completion.usage;
    ports.log(
      "info",
      `plugin ${key} asked ${reply.provider}/${reply.model}${options.purpose ? ` (${options.purpose})` : ""}: ${inputTokens} tokens in, ${outputTokens} out`,
    );
    return completion;
  };
  return {
    async complete(messages, options = {}) {
      await allowed(options);
      return ask(options, { ...conversation(messages), responseFormat: undefined });
    },
    async completeStructured(options) {
      const { system, content } = structuredPrompt(options);
      await allowed(options);
      const messages = [{ role: "user", content } as const];
      const completion = await ask(
        options,
        { system, messages, responseFormat: formatOf(options) },
        options.schemaName,
      );
      return structuredOf(completion, options, (message) => ports.log("debug", `plugin ${key}: ${message}`));
    },
  };
}

const given = (text: string | undefined): string | undefined => text?.trim() || undefined;

function conversation(messages: Parameters<PluginModel["complete"]>[0]): Pick<PluginQuestion, "system" | "messages"> {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new PluginError("invalid_request", "complete: messages must be a list with at least one message");
  const texts = messages.filter(({ role }) => role === "system").map(({ content }) => String(content));
  const rest = messages.filter(({ role }) => role !== "system");
  const talk = rest.map(({ role, content }): Message => {
    if (role !== "user" && role !== "assistant")
      throw new PluginError("invalid_request", `complete: a message has the unknown role ${String(role)}`);
    return { role, content: typeof content === "string" ? content : JSON.stringify(content) };
  });
  return { system: texts.join("\n\n"), messages: talk };
}

function formatOf(options: StructuredOptions): PluginQuestion["responseFormat"] {
  if (!wantsJson(options)) return undefined;
  return { name: structuredName, ...(options.jsonSchema === undefined ? {} : { schema: options.jsonSchema }) };
}

function completionOf(key: string, options: CompletionOptions, reply: PluginReply, schemaName?: string): Completion {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = reply.usage;
  return {
    text: reply.text,
    provider: reply.provider,
    model: reply.model,
    agentId: given(options.agentId) ?? "default",
    usage: {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      costUsd,
    },
    audit: {
      pluginId: key,
      purpose: options.purpose,
      profile: given(options.profile),
      ...(schemaName === undefined ? {} : { schemaName }),
    },
  };
}

async function structuredOf(
  completion: Completion,
  options: StructuredOptions,
  debug: (message: string) => void,
): Promise<StructuredCompletion> {
  const found = wantsJson(options) ? parsedJson(completion.text) : undefined;
  if (found === undefined) return { ...completion, parsed: undefined, contentType: "text" };
  if (options.jsonSchema !== undefined) await checkSchema(found.value, options.jsonSchema, debug);
  return { ...completion, parsed: found.value, contentType: "json" };
}
