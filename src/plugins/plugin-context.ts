import type { EventName, EventOf, MaybePromise, Payload, Result } from "#kernel";
import type { Manifest } from "./manifest.ts";
import type {
  BrowserProvider,
  ContextEngine,
  ImageGenProvider,
  MemoryProvider,
  TranscriptionProvider,
  TtsProvider,
  VideoGenProvider,
  WebSearchProvider,
} from "./provider.ts";
import type {
  AuxiliaryTask,
  CliCommand,
  HookCallback,
  HookMoment,
  MiddlewareCallback,
  PlatformRegistration,
  PluginSkill,
  PluginTool,
  SlackAction,
  SlashCommand,
} from "./registration.ts";
import type { Undo } from "./registry.ts";

export interface PluginLog {
  debug(message: string): void;
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

export interface CompletionOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly timeoutSeconds?: number;
  readonly agentId?: string;
  readonly profile?: string;
  /** Kept for the audit. */
  readonly purpose?: string;
  /** Routes the call as `auxiliary.<task>` says; a task that this plugin registered. */
  readonly task?: string;
  readonly signal?: AbortSignal;
}
export interface Completion {
  readonly text: string;
  readonly provider: string;
  readonly model: string;
  readonly agentId: string;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    readonly costUsd: number | undefined;
  };
  readonly audit: {
    readonly pluginId: string;
    readonly purpose: string | undefined;
    readonly profile: string | undefined;
    readonly schemaName?: string;
  };
}
export type StructuredInput =
  | string
  | readonly (
      | { readonly type: "text"; readonly text: string }
      | { readonly type: "image"; readonly data: Uint8Array | string; readonly mimeType?: string }
      | { readonly type: "image"; readonly url: string }
    )[];
export interface StructuredOptions extends CompletionOptions {
  readonly instructions: string;
  readonly input: StructuredInput;
  readonly jsonSchema?: Readonly<Record<string, unknown>>;
  readonly jsonMode?: boolean;
  readonly schemaName?: string;
  readonly systemPrompt?: string;
}
export interface StructuredCompletion extends Completion {
  /** Undefined when the model's text is no JSON. */
  readonly parsed: unknown;
  readonly contentType: "json" | "text";
}

/** The host's model for a plugin: no key is seen, overrides are refused unless `plugins.entries.<key>.llm` allows them. */
export interface PluginModel {
  complete(
    messages: readonly { readonly role: "system" | "user" | "assistant"; readonly content: string }[],
    options?: CompletionOptions,
  ): Promise<Completion>;
  completeStructured(options: StructuredOptions): Promise<StructuredCompletion>;
}

/** Given to `register`. Every registration returns its undo, and is undone when the plugin is unloaded or `register` fails. */
export interface PluginContext {
  readonly manifest: Manifest;
  /** `name`, or `category/name`. */
  readonly key: string;
  /** The plugin's folder; empty for a plugin that is no folder. */
  readonly folder: string;
  /** Talaria's home. */
  readonly home: string;
  /** `plugins.entries.<key>` of the configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The whole `config.yaml` as plain values, variables filled in. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The process's environment with what the home's `.env` adds. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: PluginLog;
  /** Aborts when the plugin is unloaded. */
  readonly signal: AbortSignal;
  readonly llm: PluginModel;

  registerTool(tool: PluginTool): Undo;
  registerHook<E extends EventName>(
    name: E,
    callback: E extends EventOf<"wrap"> ? never : (payload: Payload<E>, moment: HookMoment) => MaybePromise<unknown>,
    options?: { readonly onFailure?: "continue" | "block"; readonly timeoutSeconds?: number },
  ): Undo;
  /** A name that nobody fires is kept and warned of. */
  registerHook(
    name: string,
    callback: HookCallback,
    options?: { readonly onFailure?: "continue" | "block"; readonly timeoutSeconds?: number },
  ): Undo;
  registerMiddleware<E extends EventOf<"wrap">>(
    kind: E,
    callback: (
      payload: Payload<E>,
      next: (payload?: Payload<E>) => Promise<Result<E>>,
      moment: HookMoment,
    ) => MaybePromise<Result<E>>,
  ): Undo;
  registerMiddleware(kind: string, callback: MiddlewareCallback): Undo;
  registerCommand(command: Pick<SlashCommand, "name" | "handler"> & Partial<SlashCommand>): Undo;
  registerCliCommand(command: CliCommand): Undo;
  registerSkill(skill: Omit<PluginSkill, "description"> & Partial<PluginSkill>): Undo;
  registerContextEngine(engine: ContextEngine): Undo;
  registerMemoryProvider(provider: MemoryProvider): Undo;
  registerWebSearchProvider(provider: WebSearchProvider): Undo;
  registerImageGenProvider(provider: ImageGenProvider): Undo;
  registerVideoGenProvider(provider: VideoGenProvider): Undo;
  registerTtsProvider(provider: TtsProvider): Undo;
  registerTranscriptionProvider(provider: TranscriptionProvider): Undo;
  registerBrowserProvider(provider: BrowserProvider): Undo;
  registerPlatform(platform: Omit<PlatformRegistration, "rest"> & Readonly<Record<string, unknown>>): Undo;
  registerSlackActionHandler(handler: SlackAction): Undo;
  registerAuxiliaryTask(task: AuxiliaryTask): Undo;
  /** Runs before what was registered earlier is undone, in reverse order. */
  onUnload(undo: () => MaybePromise<void>): void;

  /** Puts a message before the person's next one, or into the running turn. False where no conversation is open. */
  injectMessage(content: string, role?: string): boolean;
  /** Runs a tool on its whole path, hooks and permission included; the result as the model would see it. */
  dispatchTool(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

/** What a TypeScript plugin's module exports, by default or by name. */
export interface PluginModule {
  register(context: PluginContext): MaybePromise<void>;
}
