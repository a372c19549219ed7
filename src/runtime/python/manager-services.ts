import type { Tool, TurnContext } from "#agent";
import { type Layer, named, rows } from "#kernel";
import { onOccasion, type PluginManager, type Plugins, type PythonServices, type Registered } from "#plugins";
import type { ProgramCommand } from "../plugins/slash-commands.ts";

type Values = Readonly<Record<string, unknown>>;
type Callback = Registered<"hook"> | Registered<"middleware">;

export interface ManagerParts {
  readonly plugins: () => Plugins;
  readonly manager: () => PluginManager;
  readonly layer: Layer<TurnContext>;
  readonly ownCommands: readonly ProgramCommand[];
}

/**
 * What `hermes_cli.plugins`, `hermes_cli.commands` and `tools.registry` ask of the whole program: plugins of both
 * languages count (docs/reference/python-host.md, "Asking of all plugins").
 */
export function managerServices({ plugins, manager, layer, ownCommands }: ManagerParts): PythonServices {
  const callbacks = ({ kind, name }: Values): readonly Callback[] =>
    kind === "middleware"
      ? plugins()
          .registry.of("middleware")
          .filter(({ value }) => value.kind === name)
      : plugins()
          .registry.of("hook")
          .filter(({ value }) => value.name === name);
  return {
    "plugins.list": () => manager().list(),
    // Asked from inside a load it would wait for itself.
    "plugins.discover": ({ force }) => void manager().discover({ force: force === true }),
    "plugins.hasHook": ({ name }) => manager().hasHook(String(name)),
    "plugins.hasMiddleware": ({ kind }) => manager().hasMiddleware(String(kind)),
    "plugins.callbacks": (values) =>
      callbacks(values).map(({ owner, value }) => ({
        plugin: owner.key,
        language: owner.language,
        name: value.callbackName,
      })),
    "plugins.callBack": (values) => calledBack(callbacks(values)[Number(values["at"])], values),
    "plugins.commands": () => manager().commands(),
    "plugins.runCommand": async ({ name, args }) =>
      (await manager().commandHandler(String(name))?.(String(args ?? ""))) ?? null,
    "plugins.auxiliaryTasks": () => manager().auxiliaryTasks(),
    "plugins.contextEngine": () => manager().contextEngine()?.name ?? null,
    "plugins.toolsets": () => manager().toolsets(),
    "plugins.whitelist": ({ allowed, message }) =>
      manager().setToolWhitelist(
        Array.isArray(allowed) ? allowed.map(String) : undefined,
        typeof message === "string" && message !== "" ? message : undefined,
      ),
    "plugins.blockMessage": async ({ tool, args, ids }) =>
      (await manager().blockMessage(
        String(tool),
        (args ?? {}) as Values,
        inOurNames("pre_tool_call", ids as Values),
      )) ?? null,
    "commands.list": () => [
      ...ownCommands.map(({ name, aliases = [], argument = "", about }) => ({
        name,
        aliases,
        args_hint: argument,
        description: about,
        category: "Talaria",
      })),
      ...Object.values(manager().commands()).map(({ name, argsHint, description }) => ({
        name,
        aliases: [],
        args_hint: argsHint,
        description,
        category: "Plugin",
      })),
    ],
    "tools.list": () => toolsOf(layer).map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}

const toolsOf = (layer: Layer<TurnContext>): readonly Tool[] =>
  layer.plan.chain.flatMap((part) =>
    "tools" in part ? ((part.tools?.(undefined as never) ?? []) as readonly Tool[]) : [],
  );

/** Calls one callback in this process with what Python code gave, under the names that it has here. */
function calledBack(callback: Callback | undefined, { name, payload }: Values): unknown {
  if (callback === undefined) return null;
  const { owner, value } = callback;
  const given = inOurNames(String(name), (payload ?? {}) as Values);
  const moment = { sessionId: String(given["sessionId"] ?? ""), cwd: "", platform: "", signal: owner.signal };
  const next = async (changed?: Values): Promise<unknown> => changed ?? given;
  return onOccasion({ plugin: owner.key }, () =>
    "kind" in value ? value.callback(given, next, moment) : value.callback(given, moment),
  );
}

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Keyword arguments of Python under the names of the event's fields; unknown ones in camelCase. */
function inOurNames(event: string, given: Values): Values {
  const row = named("python", event);
  const keys = row?.view.keys ?? {};
  const fields = row === undefined ? {} : rows[row.event].row.example;
  const ours = new Map<string, string>();
  for (const field of Object.keys(fields)) for (const wire of [keys[field] ?? []].flat()) ours.set(wire, field);
  return Object.fromEntries(Object.entries(given).map(([wire, value]) => [ours.get(wire) ?? camelCase(wire), value]));
}
