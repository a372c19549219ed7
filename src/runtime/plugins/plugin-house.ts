import { join } from "node:path";
import type { Tool, TurnContext } from "#agent";
import { isTruthy, variable } from "#host";
import type { Layer } from "#kernel";
import {
  createPlugins,
  PluginError,
  type PluginLoader,
  type PluginPlaces,
  type PluginReach,
  type PluginSettings,
  type Plugins,
  type PythonServices,
  pythonLoader,
  sitePackages,
  typescriptLoader,
} from "#plugins";
import type { House } from "../house.ts";
import { interpreterSearch, pythonOf } from "../python/python-house.ts";
import { pluginTools } from "./plugin-tools.ts";
import { bundledPlugins, programPackages } from "./program-folder.ts";

export interface PluginParts {
  readonly house: House;
  /** The folder that the program was started for. */
  readonly cwd: string;
  readonly layer: Layer<TurnContext>;
  /** Names and aliases of slash commands of the program itself. */
  readonly ownCommands: readonly string[];
  /** A line that a Python plugin printed. */
  readonly print: (line: string) => void;
}

/** The plugins of a runtime, running; their tools are in slot `plugin`. */
export async function openPlugins(parts: PluginParts): Promise<Plugins> {
  const { house, cwd, layer } = parts;
  const { environment, log } = house;
  const isOn = (name: string): boolean => isTruthy(variable(name, environment));
  const typescript = typescriptLoader();
  let inPython: PluginLoader | undefined;
  const python = (): PluginLoader => {
    inPython ??= pythonLoader(
      pythonOf(house, { cwd, print: parts.print, services: managerServices(() => plugins, layer) }),
      (message) => log.warning(message),
    );
    return inPython;
  };
  const plugins = createPlugins<TurnContext>({
    places: await pluginPlaces(house, cwd),
    settings: pluginSettings(house),
    environment,
    layer,
    reach: reachOf(parts),
    loader: async (language) => (language === "typescript" ? typescript : python()),
    log: (level, message, error) => log.write(level, message, error === undefined ? {} : { error }),
    safeMode: isOn("SAFE_MODE"),
  });
  layer.add(pluginTools(plugins.registry));
  await plugins.discover();
  return plugins;
}

/** What `hermes_cli.plugins` and `tools.registry` ask of the whole program. */
function managerServices(plugins: () => Plugins, layer: Layer<TurnContext>): PythonServices {
  const registry = () => plugins().registry;
  const toolsOf = () =>
    layer.plan.chain.flatMap((part) => ("tools" in part ? (part.tools?.(undefined as never) ?? []) : []));
  return {
    "plugins.list": () => plugins().list(),
    // Asked from inside a load it would wait for itself.
    "plugins.discover": ({ force }) => void plugins().discover({ force: force === true }),
    "plugins.hasHook": ({ name }) =>
      registry()
        .of("hook")
        .some(({ value }) => value.name === name),
    "plugins.hasMiddleware": ({ kind }) =>
      registry()
        .of("middleware")
        .some(({ value }) => value.kind === kind),
    "plugins.toolsets": () =>
      [
        ...new Set(
          registry()
            .of("tool")
            .map(({ value }) => value.toolset),
        ),
      ].map((one) => [one, one, ""]),
    "tools.list": () =>
      (toolsOf() as readonly Tool[]).map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}

/** Where plugins are looked for, seen from a folder. */
export async function pluginPlaces(house: House, cwd: string): Promise<PluginPlaces> {
  const { home, environment } = house;
  const named = variable("BUNDLED_PLUGINS", environment);
  const beside = programPackages();
  return {
    bundled: named ?? (await bundledPlugins()),
    home: home.path,
    secondHome: home.second,
    project: isTruthy(variable("ENABLE_PROJECT_PLUGINS", environment)) ? cwd : undefined,
    packages: [join(home.path, "node_modules"), ...(beside === undefined ? [] : [beside])],
    pythonPackages: () => sitePackages(interpreterSearch(house, cwd)),
  };
}

export function pluginSettings({ config }: Pick<House, "config">): PluginSettings {
  const { settings } = config;
  return {
    enabled: settings["plugins.enabled"],
    disabled: settings["plugins.disabled"],
    entries: settings["plugins.entries"],
    values: config.values,
  };
}

function reachOf({ layer, ownCommands }: PluginParts): PluginReach {
  const unreachable = (what: string): never => {
    throw new PluginError("not_loadable", `${what} cannot be reached here`);
  };
  return {
    model: () => unreachable("the model"),
    dispatchTool: async () => unreachable("tools"),
    injectMessage: () => false,
    toolsetOf: (name) => ownTools(layer).find((tool) => tool.name === name)?.toolset,
    isBuiltInCommand: (name) => ownCommands.includes(name),
  };
}

/** Tools of the program itself; their middlewares give them without looking at a context. */
function ownTools(layer: Layer<TurnContext>): readonly Tool[] {
  return layer.plan.chain.flatMap((part): readonly Tool[] => {
    if (!("tools" in part) || part.tools === undefined || part.slot === "plugin") return [];
    return part.tools(undefined as unknown as TurnContext) as readonly Tool[];
  });
}
