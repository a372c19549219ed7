import type {
  BrowserProvider,
  ContextEngine,
  MadeFile,
  MemoryProvider,
  Provider,
  ProviderKind,
  Providers,
} from "../provider.ts";
import type { Values } from "./messages.ts";
import type { PythonCalls } from "./python-host.ts";

/** A provider object that lives in Python, and which of its optional methods it has. */
export interface RemoteProvider {
  readonly object: number;
  readonly name: string;
  readonly label?: string | null;
  readonly methods: readonly string[];
  /** Of a memory provider, as it says them before it is initialised, and of a context engine. */
  readonly schemas?: readonly Values[];
}

type Ask = (method: string, args: readonly unknown[], named?: Values, signal?: AbortSignal) => Promise<unknown>;

const asking =
  (host: PythonCalls, { object }: RemoteProvider): Ask =>
  (method, args, named = {}, signal = undefined) =>
    host.operate("object", { object, method, a: args, k: defined(named) }, { signal });

const defined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const filled = async (files: readonly MadeFile[] | undefined): Promise<readonly string[] | undefined> =>
  files?.map(({ bytes, mediaType }) => `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`);

/** Talaria's providers over those of Hermes; the Python side turns their words into ours. */
export function providerProxy<K extends ProviderKind>(
  kind: K,
  remote: RemoteProvider,
  host: PythonCalls,
): Providers[K] {
  const ask = asking(host, remote);
  const shared: Provider = {
    name: remote.name,
    ...(remote.label ? { label: remote.label } : {}),
    available: async () => (await ask("available", [])) === true,
  };
  const makers: { readonly [P in ProviderKind]: () => Providers[P] } = {
    web: () => ({
      ...shared,
      ...(remote.methods.includes("search") && {
        search: (query, { limit, signal }) => ask("search", [query, limit], {}, signal) as never,
      }),
      ...(remote.methods.includes("extract") && {
        extract: (urls, { signal }) => ask("extract", [urls], {}, signal) as never,
      }),
    }),
    image: () => ({
      ...shared,
      async generate({ prompt, aspectRatio, model, images, signal }) {
        const named = { aspect_ratio: aspectRatio, model, images: await filled(images) };
        return (await ask("generate", [prompt], named, signal)) as { readonly url: string };
      },
    }),
    video: () => ({
      ...shared,
      generate: ({ prompt, options, signal }) => ask("generate", [prompt], options, signal) as never,
    }),
    tts: () => ({
      ...shared,
      async synthesize({ text, voice, model, speed, signal }) {
        const made = (await ask("synthesize", [text], { voice, model, speed }, signal)) as {
          readonly base64: string;
          readonly mediaType: string;
        };
        return { bytes: Buffer.from(made.base64, "base64"), mediaType: made.mediaType };
      },
    }),
    transcription: () => ({
      ...shared,
      transcribe: ({ file, model, language, signal }) =>
        ask("transcribe", [file], { model, language }, signal) as never,
    }),
    browser: () => browser(shared, ask),
    memory: () => memory(shared, ask, remote),
  };
  return makers[kind]();
}

function browser(shared: Provider, ask: Ask): BrowserProvider {
  return {
    ...shared,
    async connect({ sessionId, signal }) {
      const made = (await ask("cdp", [sessionId], {}, signal)) as { readonly url: string; readonly session: string };
      return { url: made.url, close: async () => void (await ask("close", [made.session])) };
    },
    async open() {
      throw new Error("a browser of a Python plugin is reached over its CDP address: see `connect`");
    },
  };
}

function memory(shared: Provider, ask: Ask, { methods, schemas = [] }: RemoteProvider): MemoryProvider {
  let known = schemas;
  const has = (method: string): boolean => methods.includes(method);
  return {
    ...shared,
    async initialize(sessionId, options) {
      known = (await ask("initialize", [sessionId, options])) as readonly Values[];
    },
    toolSchemas: () => known,
    ...(has("system_prompt_block") && {
      systemPromptBlock: async () => String((await ask("system_prompt_block", [])) ?? ""),
    }),
    ...(has("prefetch") && {
      prefetch: async (query, { sessionId }) => String((await ask("prefetch", [query, sessionId])) ?? ""),
    }),
    ...moments(ask, has),
    ...(has("sync_turn") && {
      async syncTurn(user, assistant, { sessionId, messages }) {
        const known = has("sync_messages") ? { messages } : {};
        await ask("sync_turn", [user, assistant, sessionId], known);
      },
    }),
    ...(has("handle_tool_call") && {
      handleToolCall: async (name, args) => String((await ask("handle_tool_call", [name, args])) ?? ""),
    }),
    ...(has("on_session_end") && {
      onSessionEnd: async (_sessionId, { messages }) => void (await ask("on_session_end", [messages])),
    }),
    ...(has("shutdown") && { shutdown: async () => void (await ask("shutdown", [])) }),
  };
}

/** What a memory hears of besides the turns; a moment that it has no word for is not told. */
function moments(ask: Ask, has: (method: string) => boolean): Partial<MemoryProvider> {
  return {
    ...(has("queue_prefetch") && {
      queuePrefetch: async (query, { sessionId }) => void (await ask("queue_prefetch", [query, sessionId])),
    }),
    ...(has("on_turn_start") && {
      onTurnStart: async (turn, message, { sessionId }) =>
        void (await ask("on_turn_start", [turn, message, sessionId])),
    }),
    ...(has("on_session_switch") && {
      onSessionSwitch: async (sessionId, { parentSessionId, reset, rewound }) =>
        void (await ask("on_session_switch", [sessionId], { parent_session_id: parentSessionId, reset, rewound })),
    }),
    ...(has("on_delegation") && {
      onDelegation: async (task, result, { childSessionId }) =>
        void (await ask("on_delegation", [task, result, childSessionId])),
    }),
  };
}

export function contextEngineProxy(remote: RemoteProvider, host: PythonCalls): ContextEngine {
  const ask = asking(host, remote);
  const { methods, schemas = [] } = remote;
  const has = (method: string): boolean => methods.includes(method);
  return {
    name: remote.name,
    ...(has("update_model") && {
      updateModel: async ({ model, provider, contextLength, baseUrl, apiMode }) => {
        const facts = { provider, base_url: baseUrl, api_mode: apiMode };
        await ask("update_model", [model, contextLength], facts);
      },
    }),
    ...(has("has_content_to_compress") && {
      hasContentToCompress: async (messages) => (await ask("has_content_to_compress", [messages])) === true,
    }),
    ...(has("handle_tool_call") &&
      schemas.length > 0 && {
        toolSchemas: () => schemas,
        handleToolCall: async (name, args) => String((await ask("handle_tool_call", [name, args])) ?? ""),
      }),
    ...(has("on_session_reset") && { onSessionReset: async () => void (await ask("on_session_reset", [])) }),
    ...(has("update_from_response") && {
      updateFromResponse: async (usage) => void (await ask("update_from_response", [usage])),
    }),
    shouldCompress: async (tokens, length) => (await ask("should_compress", [tokens, length])) === true,
    compress: (messages, { currentTokens, focusTopic, signal }) =>
      ask("compress", [messages, currentTokens, focusTopic ?? null], {}, signal) as never,
    ...(has("on_session_start") && { onSessionStart: async (id) => void (await ask("on_session_start", [id])) }),
    ...(has("on_session_end") && { onSessionEnd: async (id) => void (await ask("on_session_end", [id])) }),
  };
}
