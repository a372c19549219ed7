import { PluginError } from "../error.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { ProviderKind, Providers } from "../provider.ts";
import type { PlatformRegistration } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { hookProxy, middlewareProxy } from "./hook-proxy.ts";
import type { Values } from "./messages.ts";
import { contextEngineProxy, providerProxy, type RemoteProvider } from "./provider-proxy.ts";
import type { PythonCalls } from "./python-host.ts";

/** Registers for a plugin in Python what its `ctx` was told, with callbacks that go over the wire. Gives its undo. */
export function register(values: Values, context: PluginContext, host: PythonCalls): Undo {
  const kind = String(values["kind"]);
  const known = kinds[kind];
  if (known === undefined) throw new PluginError("invalid_registration", `nothing of kind ${kind} can be registered`);
  return known(values as Told, context, host);
}

/** What registrations carry, by their kind. */
interface Told extends Values {
  readonly name: string;
  readonly callback: number;
}

type Register = (told: Told, context: PluginContext, host: PythonCalls) => Undo;

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const provider =
  <K extends ProviderKind>(kind: K, method: (context: PluginContext) => (provider: Providers[K]) => Undo): Register =>
  (told, context, host) =>
    method(context)(providerProxy(kind, told as unknown as RemoteProvider, host));

const kinds: Readonly<Record<string, Register>> = {
  tool(told, context, host) {
    const { check } = told;
    return context.registerTool({
      name: told.name,
      toolset: told["toolset"] as string,
      schema: told["schema"] as Values,
      description: text(told["description"]),
      emoji: text(told["emoji"]),
      override: told["override"] === true,
      requiresEnv: told["requires_env"] as readonly string[],
      handler: (args, run) =>
        host.call(
          `"f":${told.callback},"mode":"tool","a":[${JSON.stringify(args)}],"k":${JSON.stringify({
            task_id: run.taskId,
            session_id: run.sessionId,
            tool_call_id: run.callId,
            user_task: null,
          })}`,
          { signal: run.signal },
        ),
      ...(typeof check === "number" && {
        check: async () => (await host.call(`"f":${check},"mode":"check","k":{}`)) === true,
      }),
    });
  },
  hook(told, context, host) {
    const callback = named(hookProxy(host, told.name, told.callback), told["callback_name"]);
    return context.registerHook(told.name, callback);
  },
  middleware(told, context, host) {
    const callback = named(middlewareProxy(host, told.name, told.callback), told["callback_name"]);
    return context.registerMiddleware(told.name, callback);
  },
  command(told, context, host) {
    return context.registerCommand({
      name: told.name,
      description: text(told["description"]),
      argsHint: text(told["args_hint"]),
      async handler(rawArgs) {
        const answer = await host.call(`"f":${told.callback},"a":[${JSON.stringify(rawArgs)}]`);
        return answer === undefined || answer === null || answer === "" ? undefined : asText(answer);
      },
    });
  },
  cliCommand(told, context, host) {
    return context.registerCliCommand({
      name: told.name,
      help: text(told["help"]),
      description: text(told["description"]),
      parsesItself: true,
      async handler({ words, write, ask }) {
        const about = text(told["description"]) || text(told["help"]);
        const keywords = JSON.stringify({ name: told.name, about, words, program: "talaria" });
        const status = await host.call(`"f":${told.callback},"mode":"cli","k":${keywords}`, { out: write, ask });
        return typeof status === "number" ? status : 0;
      },
    });
  },
  skill(told, context) {
    return context.registerSkill({
      name: told.name,
      path: text(told["path"]),
      ...(text(told["description"]) === "" ? {} : { description: text(told["description"]) }),
    });
  },
  auxiliaryTask(told, context) {
    return context.registerAuxiliaryTask({
      key: told["key"] as string,
      displayName: told["display_name"] as string,
      description: told["description"] as string,
      defaults: told["defaults"] as Values,
    });
  },
  slackAction(told, context, host) {
    const given = told["action"] as string | Values;
    const pattern = typeof given === "object" ? given["pattern"] : undefined;
    return context.registerSlackActionHandler({
      actionId: typeof pattern === "string" ? new RegExp(pattern) : given,
      callback: (_ack, body, action) =>
        host.call(`"f":${told.callback},"mode":"slack","a":${JSON.stringify([body, action])}`),
    });
  },
  platform,
  contextEngine(told, context, host) {
    return context.registerContextEngine(contextEngineProxy(told as unknown as RemoteProvider, host));
  },
  web: provider("web", (context) => context.registerWebSearchProvider),
  image: provider("image", (context) => context.registerImageGenProvider),
  video: provider("video", (context) => context.registerVideoGenProvider),
  tts: provider("tts", (context) => context.registerTtsProvider),
  transcription: provider("transcription", (context) => context.registerTranscriptionProvider),
  browser: provider("browser", (context) => context.registerBrowserProvider),
  memory: provider("memory", (context) => context.registerMemoryProvider),
};

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Gives a proxy the name of what it stands for, for logs. */
function named<F extends (...args: never[]) => unknown>(callback: F, name: unknown): F {
  return Object.defineProperty(callback, "name", { value: String(name) });
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const renamed: Readonly<Record<string, string>> = { check_fn: "check" };

/** The entry with callbacks in place of functions; the adapter is made over there and reached by `call`. */
function platform(told: Told, context: PluginContext, host: PythonCalls): Undo {
  const entry = told["entry"] as Values;
  const callbacks = told["callbacks"] as Readonly<Record<string, number>>;
  const known: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry))
    if (value !== null && name !== "extra") known[camelCase(name)] = value;
  for (const [name, number] of Object.entries(callbacks)) {
    const call = (...args: readonly unknown[]): Promise<unknown> =>
      host.call(`"f":${number},"a":${JSON.stringify(args)}`);
    known[renamed[name] ?? camelCase(name)] = name === "adapter_factory" ? adapters(call, host) : call;
  }
  return context.registerPlatform(known as unknown as PlatformRegistration & Values);
}

/** An adapter in Python: the methods it has, and a way to call them. */
const adapters =
  (make: (config: unknown) => Promise<unknown>, host: PythonCalls) =>
  async (config: unknown): Promise<unknown> => {
    const { object, methods } = (await make(config)) as {
      readonly object: number;
      readonly methods: readonly string[];
    };
    const call = (method: string, args: readonly unknown[], keywords: Values = {}): Promise<unknown> =>
      host.operate("object", { object, method, a: args, k: keywords });
    return { methods, call };
  };
