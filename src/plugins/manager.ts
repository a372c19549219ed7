import { thrownText } from "./error.ts";
import { occasion } from "./occasion.ts";
import type { PluginReport } from "./plugin-report.ts";
import type { Plugins } from "./plugins.ts";
import type { ContextEngine } from "./provider.ts";
import type { AuxiliaryTask, SlashCommand } from "./registration.ts";

type Values = Readonly<Record<string, unknown>>;

/** What plugins may ask of all plugins of the running program (docs/reference/plugins-in-use.md). */
export interface PluginManager {
  /** Looks for plugins; once, unless forced. */
  discover(options?: { readonly force?: boolean }): Promise<void>;
  list(): readonly PluginReport[];
  hasHook(name: string): boolean;
  hasMiddleware(kind: string): boolean;
  /** Calls every callback of a name, in order; what each answers beside nothing. One that throws is logged and left out. */
  invokeHook(name: string, payload: Values): Promise<readonly unknown[]>;
  /** The same for callbacks of a middleware kind; a wrapper's `next` gives the payload back. */
  invokeMiddleware(kind: string, payload: Values): Promise<readonly unknown[]>;
  contextEngine(): ContextEngine | undefined;
  commandHandler(name: string): SlashCommand["handler"] | undefined;
  commands(): Readonly<Record<string, SlashCommand & { readonly plugin: string }>>;
  /** Sorted by key, with the defaults that count. */
  auxiliaryTasks(): readonly (AuxiliaryTask & { readonly plugin: string })[];
  /** Key, title and description of the toolsets of plugins. */
  toolsets(): readonly (readonly [key: string, title: string, description: string])[];
  /** Only these tools may be used in the agent run at hand; undefined lets all again. `{tool_name}` stands for the tool. */
  setToolWhitelist(allowed: Iterable<string> | undefined, denial?: string): void;
  /** Why a tool may not run now, asked as the loop asks: the whitelist first, then `pre_tool_call`. `ids` counts where no turn is. */
  blockMessage(toolName: string, args: Values, ids?: Values): Promise<string | undefined>;
}

export interface ManagerPorts {
  readonly contextEngine: () => ContextEngine | undefined;
  readonly setToolWhitelist: PluginManager["setToolWhitelist"];
  readonly notWhitelisted: (toolName: string) => string | undefined;
  /** The verdict of all `pre_tool_call` hooks in the turn at hand; undefined where no turn is. */
  readonly judged: (toolName: string, args: Values) => Promise<{ readonly message: string | undefined }> | undefined;
  readonly log: (level: "warning", message: string) => void;
}

/** What a callback of `pre_tool_call` is told of a call that no turn makes. */
const unknownCall = {
  taskId: "",
  sessionId: "",
  toolCallId: "",
  turnId: "",
  apiRequestId: "",
  middlewareTrace: [],
};

const schemaVersion = "hermes.observer.v1";

export function pluginManager(
  plugins: Pick<Plugins, "registry" | "list" | "discover">,
  ports: ManagerPorts,
): PluginManager {
  const { registry } = plugins;
  const moment = { sessionId: "", cwd: "", platform: "", signal: new AbortController().signal };
  const answers = async (
    callbacks: readonly { readonly name: string; readonly run: () => unknown }[],
  ): Promise<readonly unknown[]> => {
    const given: unknown[] = [];
    for (const { name, run } of callbacks) {
      try {
        const answer = await run();
        if (answer !== undefined && answer !== null) given.push(answer);
      } catch (error) {
        ports.log("warning", `${name} raised: ${thrownText(error)}`);
      }
    }
    return given;
  };
  const invokeHook: PluginManager["invokeHook"] = (name, payload) => {
    const told = { telemetrySchemaVersion: schemaVersion, ...payload };
    const hooks = registry.of("hook").filter(({ value }) => value.name === name);
    return answers(
      hooks.map(({ owner, value }) => ({
        name: `plugin ${owner.key}: hook '${name}' callback ${value.callbackName}`,
        run: () => value.callback(told, moment),
      })),
    );
  };
  return {
    discover: (options) => plugins.discover(options),
    list: () => plugins.list(),
    hasHook: (name) => registry.of("hook").some(({ value }) => value.name === name),
    hasMiddleware: (kind) => registry.of("middleware").some(({ value }) => value.kind === kind),
    invokeHook,
    invokeMiddleware(kind, payload) {
      const all = registry.of("middleware").filter(({ value }) => value.kind === kind);
      return answers(
        all.map(({ owner, value }) => ({
          name: `plugin ${owner.key}: middleware '${kind}' callback ${value.callbackName}`,
          run: () => value.callback(payload, async (given) => given ?? payload, moment),
        })),
      );
    },
    contextEngine: ports.contextEngine,
    commandHandler: (name) => registry.of("command").findLast(({ value }) => value.name === name)?.value.handler,
    commands: () =>
      Object.fromEntries(
        registry.of("command").map(({ owner, value }) => [value.name, { ...value, plugin: owner.key }]),
      ),
    auxiliaryTasks: () =>
      registry
        .of("auxiliaryTask")
        .map(({ owner, value }) => ({ ...value, plugin: owner.key }))
        .sort((one, other) => (one.key < other.key ? -1 : 1)),
    toolsets() {
      const named = new Map<string, string[]>();
      for (const { value } of registry.of("tool"))
        named.set(value.toolset, [...(named.get(value.toolset) ?? []), value.name]);
      return [...named].map(([key, tools]) => [key, toolsetTitle(key), tools.join(", ")] as const);
    },
    setToolWhitelist: ports.setToolWhitelist,
    async blockMessage(toolName, args, ids = {}) {
      const barred = ports.notWhitelisted(toolName);
      if (barred !== undefined) return barred;
      const judged = await ports.judged(toolName, args);
      if (judged !== undefined) return judged.message;
      const given = await invokeHook("pre_tool_call", { ...unknownCall, ...ids, toolName, args, arguments: args });
      return given.map(blockIn).find((message) => message !== undefined);
    },
  };
}

function blockIn(answer: unknown): string | undefined {
  const { action, message } = (typeof answer === "object" && answer !== null ? answer : {}) as Values;
  return action === "block" && typeof message === "string" && message !== "" ? message : undefined;
}

/** `🔌 Home Assistant` of `home_assistant`: how lists show a plugin's toolset. */
function toolsetTitle(toolset: string): string {
  const words = toolset.split(/[\s_-]+/).filter((word) => word !== "");
  return `🔌 ${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ")}`;
}

/** The manager of the running program. Throws outside of one: the functions of the door act where plugin code is called. */
export function currentManager(): PluginManager {
  const { house } = occasion();
  if (house === undefined)
    throw new Error("no program is running plugins here: call this from register, a hook, a tool or a command");
  return house as PluginManager;
}
