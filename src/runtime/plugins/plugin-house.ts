import { join } from "node:path";
import type { TurnContext } from "#agent";
import { type ServedSkill, skills } from "#capabilities";
import { childEnvironment, isTruthy, variable } from "#host";
import {
  type ContextEngine,
  createPlugins,
  onOccasion,
  type PluginGuard,
  type PluginLoader,
  type PluginManager,
  type PluginModule,
  type PluginPlaces,
  type PluginSettings,
  type Plugins,
  pluginGuard,
  pythonLoader,
  type Registry,
  sitePackages,
  typescriptLoader,
} from "#plugins";
import type { House } from "../house.ts";
import { managerServices } from "../python/manager-services.ts";
import { interpreterSearch, pythonOf, rememberedRegistrations } from "../python/python-house.ts";
import { cliCommandsOf, type PluginCli } from "./cli-commands.ts";
import { engineInUse } from "./context-engine.ts";
import { managerOf } from "./manager.ts";
import { memoryInUse } from "./memory.ts";
import { type PluginLog, pluginLog } from "./plugin-log.ts";
import { pluginReach, type ReachParts } from "./plugin-reach.ts";
import { pluginTools } from "./plugin-tools.ts";
import { bundledPlugins, pluginHostCommand, programFolder, programPackages } from "./program-folder.ts";
import { type PluginSlash, slashCommandsOf } from "./slash-commands.ts";

export interface PluginParts extends Omit<ReachParts, "registry"> {
  /** The folder that the program was started for. */
  readonly cwd: string;
  /** A line that a Python plugin printed. */
  readonly print: (line: string) => void;
  /** Plugins whose code is at hand already, by key. */
  readonly modules?: ReadonlyMap<string, PluginModule>;
}

/** The plugins of a runtime, and what of them is in use. */
export interface PluginHouse {
  readonly plugins: Plugins;
  readonly manager: PluginManager;
  contextEngine(): ContextEngine | undefined;
  slashCommands(): readonly PluginSlash[];
  cliCommands(): readonly PluginCli[];
  /** Asks the checks of tools. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** The plugins of a runtime, running; their tools are in slot `plugin`. */
export async function openPlugins(parts: PluginParts): Promise<PluginHouse> {
  const { house, cwd, layer } = parts;
  const { environment, log } = house;
  const isOn = (name: string): boolean => isTruthy(variable(name, environment));
  const told = pluginLog(house);
  const printed = (key: string, text: string): void => {
    told("info", `plugin ${key} printed: ${text}`);
    parts.print(text);
  };
  const typescript = typescriptOf(parts, told, printed);
  let standing: PluginGuard | undefined;
  const guard = (): PluginGuard => {
    standing ??= pluginGuard({
      program: programFolder(),
      home: house.home.path,
      log: told,
      printed,
      watchdogMs: house.config.settings["plugins.watchdog_seconds"] * 1000,
    });
    return standing;
  };
  const asked = () =>
    managerServices({ plugins: () => plugins, manager: () => manager, layer, ownCommands: parts.ownCommands });
  let inPython: PluginLoader | undefined;
  const python = (): PluginLoader => {
    inPython ??= pythonLoader(
      pythonOf(house, { cwd, print: parts.print, services: asked() }),
      (message) => log.warning(message),
      rememberedRegistrations(house, cwd),
    );
    return inPython;
  };
  const plugins: Plugins = createPlugins<TurnContext>({
    places: await pluginPlaces(house, cwd),
    settings: pluginSettings(house),
    environment,
    layer,
    reach: pluginReach({ ...parts, registry: () => plugins.registry }),
    loader: async (language) => (language === "typescript" ? typescript : python()),
    guard: (key, folder) => guard().watch(key, folder),
    log: told,
    safeMode: isOn("SAFE_MODE"),
  });
  const { registry } = plugins;
  const { "context.engine": engineName, "memory.provider": memoryName } = house.config.settings;
  const engine = engineInUse(registry, engineName, log);
  const memory = memoryName === "" ? undefined : memoryInUse(registry, memoryName, { log, home: house.home.path });
  const manager = managerOf(plugins, { house, contextEngine: engine.current });
  const tools = pluginTools(registry, async () => inPython?.wake?.());
  for (const part of [tools, engine.middleware, skills(() => servedSkills(registry))]) layer.add(part);
  if (memory !== undefined) layer.add(memory.middleware);
  await onOccasion({ house: manager }, async () => {
    await plugins.discover();
    if (memoryName !== "") await plugins.need("memory", memoryName);
  });
  return {
    plugins,
    manager,
    contextEngine: engine.current,
    slashCommands: slashCommandsOf(registry, manager, log),
    look: tools.look,
    cliCommands: () => cliCommandsOf(registry, manager, log),
    async close() {
      await memory?.close();
      await plugins.close();
      standing?.close();
    },
  };
}

function typescriptOf(
  { house, cwd, modules }: PluginParts,
  log: PluginLog,
  printed: (key: string, text: string) => void,
): PluginLoader {
  const env = () => childEnvironment({ home: house.home.path, from: house.environment });
  const isolation = { command: pluginHostCommand(), cwd, env, log, printed };
  return typescriptLoader({ isolation, ...(modules && { given: modules }) });
}

const servedSkills = (registry: Registry): readonly ServedSkill[] =>
  registry.of("skill").map(({ owner, value }) => ({ ...value, plugin: owner.name }));

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
