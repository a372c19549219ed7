import { PluginError } from "../error.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { ProviderKind } from "../provider.ts";
import type { ProviderRegistration, RegistrationKind, Registrations } from "../registration.ts";
import type { Undo } from "../registry.ts";

/** One registration of an isolated plugin as it goes over the channel. */
export interface ToldRegistration {
  /** Counts the registrations of one life of the plugin. */
  readonly number: number;
  readonly kind: RegistrationKind;
  /** Of hooks, middleware and the like its name, to compare lives. */
  readonly mark: string;
  /** Packed. */
  readonly value: unknown;
  /** What members answer that are asked without waiting, by name. Packed. */
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Members that the house asks without waiting: their answer goes with the registration. */
export const askedAtOnce = ["toolSchemas"] as const;

const methods: { readonly [K in ProviderKind]: (context: PluginContext) => (provider: never) => Undo } = {
  web: (context) => context.registerWebSearchProvider,
  image: (context) => context.registerImageGenProvider,
  video: (context) => context.registerVideoGenProvider,
  tts: (context) => context.registerTtsProvider,
  transcription: (context) => context.registerTranscriptionProvider,
  browser: (context) => context.registerBrowserProvider,
  memory: (context) => context.registerMemoryProvider,
};

type Register = { readonly [K in RegistrationKind]: (context: PluginContext, value: Registrations[K]) => Undo };

const limits = (value: object): object => {
  const { onFailure, timeoutSeconds } = value as Registrations["hook"];
  return { ...(onFailure && { onFailure }), ...(timeoutSeconds && { timeoutSeconds }) };
};

const register: Register = {
  tool: (context, value) => context.registerTool(value),
  hook: (context, value) => context.registerHook(value.name, named(value.callback, value.callbackName), limits(value)),
  middleware(context, value) {
    const method = context.registerMiddleware as (kind: string, callback: unknown, options: object) => Undo;
    return method(value.kind, named(value.callback, value.callbackName), limits(value));
  },
  command: (context, value) => context.registerCommand(value),
  cliCommand: (context, value) => context.registerCliCommand(value),
  skill: (context, value) => context.registerSkill(value),
  contextEngine: (context, value) => context.registerContextEngine(value),
  provider: (context, { kind, provider }: ProviderRegistration) => methods[kind](context)(provider as never),
  slackAction: (context, value) => context.registerSlackActionHandler(value),
  auxiliaryTask: (context, value) => context.registerAuxiliaryTask(value),
  platform: () => {
    throw notIsolated("registerPlatform");
  },
};

export const notIsolated = (what: string): PluginError =>
  new PluginError("not_allowed", `${what} cannot work in an isolated plugin: take its \`isolate: true\` away`);

function named<F extends object>(callback: F, name: string): F {
  return name === "" ? callback : Object.defineProperty(callback, "name", { value: name });
}

/** Registers in this process what a plugin in another one has told, with the same checks as for a plugin in this one. */
export function registerTold(context: PluginContext, kind: RegistrationKind, value: object): Undo {
  return (register[kind] as (context: PluginContext, value: object) => Undo)(context, value);
}

/** By what two lives of a plugin are compared. */
export function markOf(kind: RegistrationKind, value: object): string {
  const whole = value as { readonly name?: string; readonly kind?: string; readonly key?: string };
  if (kind !== "provider") return `${kind}:${whole.name ?? whole.kind ?? whole.key ?? ""}`;
  const { kind: provided, provider } = value as ProviderRegistration;
  return `provider:${provided}/${provider.name}`;
}
