import type { MaybePromise } from "#kernel";
import type { ContextEngine, ProviderKind, Providers } from "./provider.ts";

/** Where a tool of a plugin runs. */
export interface PluginToolRun {
  readonly sessionId: string;
  readonly taskId: string;
  readonly callId: string;
  /** The session's folder. */
  readonly cwd: string;
  /** Aborts on interrupt and when the plugin is unloaded. */
  readonly signal: AbortSignal;
  /** Live output for the person who watches. */
  readonly progress: (text: string) => void;
}

/** A tool for the model. `schema` is flat (`name`, `description`, `parameters`) or in OpenAI's wrapping. */
export interface PluginTool {
  readonly name: string;
  readonly toolset: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Text goes to the model as it is; anything else as JSON. A throw becomes `{"error": …}`. */
  readonly handler: (args: Readonly<Record<string, unknown>>, run: PluginToolRun) => MaybePromise<unknown>;
  /** False or a throw hides the tool from the model; asked anew after 30 seconds. */
  readonly check?: () => MaybePromise<boolean>;
  readonly requiresEnv?: readonly string[];
  readonly description?: string;
  readonly emoji?: string;
  /** Takes the place of a tool of another toolset. */
  readonly override?: boolean;
  /** It changes nothing. */
  readonly readOnly?: boolean;
}

type Values = Readonly<Record<string, unknown>>;
/** Called with one object in camelCase; what it may answer is told by docs/reference/events.md. Extra keys may be added at any time. */
export type HookCallback = (payload: Values, moment: HookMoment) => MaybePromise<unknown>;
export type MiddlewareCallback = (
  payload: Values,
  next: (payload?: Values) => Promise<unknown>,
  moment: HookMoment,
) => MaybePromise<unknown>;

/** Whose moment it is. */
export interface HookMoment {
  readonly sessionId: string;
  readonly agentId?: string;
  readonly cwd: string;
  readonly platform: string;
  /** Aborts at the time limit, on interrupt and when the plugin is unloaded. */
  readonly signal: AbortSignal;
}

export interface HookRegistration {
  /** As it was registered; the event's own name, or one that nothing fires. */
  readonly name: string;
  readonly callback: HookCallback;
  readonly onFailure?: "continue" | "block";
  readonly timeoutSeconds?: number;
  /** Shown in logs. */
  readonly callbackName: string;
}
export interface MiddlewareRegistration {
  readonly kind: string;
  readonly callback: MiddlewareCallback;
  readonly timeoutSeconds?: number;
  readonly callbackName: string;
}

/** A slash command. The text it resolves to is shown. */
export interface SlashCommand {
  /** Lower case, without the slash. */
  readonly name: string;
  readonly description: string;
  /** Such as `<file>`; empty: it takes nothing. */
  readonly argsHint: string;
  readonly handler: (rawArgs: string) => MaybePromise<string | undefined | null | void>;
}

/** A command of `talaria`. */
export interface CliCommand {
  readonly name: string;
  readonly help: string;
  readonly description?: string;
  /** As commander writes them: `<file>`, `[names...]`. */
  readonly arguments?: string;
  readonly options?: readonly { readonly flags: string; readonly about: string }[];
  /** Python's `argparse` reads the words itself: they come unparsed in `words`. */
  readonly parsesItself?: boolean;
  /** The exit status, 0 when nothing is given back. */
  readonly handler: (input: {
    readonly arguments: readonly string[];
    readonly options: Readonly<Record<string, unknown>>;
    readonly words: readonly string[];
    /** One line or more. */
    readonly print: (text: string) => void;
    /** A piece of text as it is. */
    readonly write: (text: string, stream?: "stdout" | "stderr") => void;
    /** Asks the person who ran the command; undefined at the end of input. A secret is not shown while it is typed. */
    readonly ask: (question: string, options?: { readonly secret?: boolean }) => Promise<string | undefined>;
  }) => MaybePromise<number | void>;
}

export interface PluginSkill {
  /** Without the plugin's name; it is served as `plugin:name`. */
  readonly name: string;
  /** Absolute path of a `SKILL.md`, or of its folder. */
  readonly path: string;
  readonly description: string;
}

export interface AuxiliaryTask {
  readonly key: string;
  readonly displayName: string;
  readonly description: string;
  /** Over `{provider: "auto", model: "", base_url: "", api_key: "", timeout: 60, extra_body: {}}`. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** A chat platform; docs/reference/plugins.md lists the keys. */
export interface PlatformRegistration {
  readonly name: string;
  readonly label: string;
  readonly adapterFactory: (config: unknown) => unknown;
  readonly check: () => MaybePromise<boolean>;
  readonly validateConfig?: (config: unknown) => boolean;
  readonly requiredEnv?: readonly string[];
  readonly installHint?: string;
  /** Keys of the entry beyond these. */
  readonly rest: Readonly<Record<string, unknown>>;
}

export interface SlackAction {
  readonly actionId: string | RegExp | Readonly<Record<string, unknown>>;
  readonly callback: (ack: unknown, body: unknown, action: unknown) => MaybePromise<unknown>;
}

export type ProviderRegistration = {
  [K in ProviderKind]: { readonly kind: K; readonly provider: Providers[K] };
}[ProviderKind];

/** All that a plugin can register, by kind. */
export interface Registrations {
  readonly tool: PluginTool;
  readonly hook: HookRegistration;
  readonly middleware: MiddlewareRegistration;
  readonly command: SlashCommand;
  readonly cliCommand: CliCommand;
  readonly skill: PluginSkill;
  readonly contextEngine: ContextEngine;
  readonly provider: ProviderRegistration;
  readonly platform: PlatformRegistration;
  readonly slackAction: SlackAction;
  readonly auxiliaryTask: AuxiliaryTask;
}
export type RegistrationKind = keyof Registrations;

/** Whose it is. */
export interface Owner {
  readonly key: string;
  /** The manifest's name. */
  readonly name: string;
  /** The plugin's place in discovery. */
  readonly place: number;
  /** What its callbacks are written in: in which form they answer. */
  readonly language: "typescript" | "python";
  /** Aborts when the plugin is unloaded. */
  readonly signal: AbortSignal;
}

export interface Registered<K extends RegistrationKind = RegistrationKind> {
  readonly kind: K;
  readonly owner: Owner;
  /** Its number inside the plugin, in the order of registration. */
  readonly sequence: number;
  readonly value: Registrations[K];
}
