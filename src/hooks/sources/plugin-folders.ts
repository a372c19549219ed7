import { basename, join, resolve } from "node:path";
import { fileFacts, isHostError, isInside, list, resolvePath, userHome } from "#host";
import { isObject } from "./fields.ts";
import { type Report, reportOn } from "./problems.ts";
import { type JsonFile, readJsonFile } from "./settings-file.ts";
import { claudeFolder, type SettingsLayer, type SourceSearch } from "./settings-layers.ts";
import type { SourceNode } from "./source-node.ts";

/** A Claude plugin that is switched on. */
export interface PluginFolder {
  /** `formatter@tools`; of a folder that config.yaml names, its own name. */
  readonly id: string;
  readonly root: string;
  readonly dataFolder: string;
  /** By the organisation's will: its switches for others do not touch it. */
  readonly managed: boolean;
  /** Switched on by the project's files alone. */
  readonly ofProject: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface PluginSearch {
  readonly plugins: readonly PluginFolder[];
  /** By id: plugins that are switched on and not to be found. */
  readonly lost: readonly { readonly id: string; readonly report: Report }[];
  readonly watched: readonly string[];
}

interface Enabled {
  readonly id: string;
  readonly managed: boolean;
  readonly ofProject: boolean;
  readonly layer: SettingsLayer;
  readonly node: SourceNode;
}

const isOn = (value: unknown): boolean => value === true || (Array.isArray(value) && value.length > 0);

/** `enabledPlugins` of all layers: the higher layer wins, the organisation's over all. */
function enabledPlugins(layers: readonly SettingsLayer[]): readonly Enabled[] {
  const ordered = [...layers].sort((left, right) => left.rank - right.rank);
  const enabled = new Map<string, Enabled | undefined>();
  for (const layer of ordered) {
    const node = layer.file.node?.members?.get("enabledPlugins");
    const ofProject = layer.base.trust === "folder";
    for (const [id, entry] of node?.members ?? []) {
      const before = enabled.get(id);
      if (!isOn(entry.value)) {
        if (layer.counts) enabled.set(id, undefined);
      } else if (before === undefined || before.ofProject || layer.base.kind === "managed") {
        enabled.set(id, { id, managed: layer.base.kind === "managed", ofProject, layer, node: entry });
      }
    }
  }
  return [...enabled.values()].filter((one) => one !== undefined);
}

/** Finds the folders of all plugins that settings switch on, and of those that `plugins.claude` names. */
export async function findPlugins(
  search: SourceSearch,
  layers: readonly SettingsLayer[],
  named: readonly string[],
): Promise<PluginSearch> {
  const folder = join(claudeFolder(search), "plugins");
  const installedFile = join(folder, "installed_plugins.json");
  const marketplacesFile = join(folder, "known_marketplaces.json");
  const enabled = enabledPlugins(layers);
  const watched = [installedFile, marketplacesFile];
  if (enabled.length === 0) {
    const own = named.map((path) => namedPlugin(search, path));
    return { plugins: await onceEach(own), lost: [], watched: [] };
  }
  const [installed, marketplaces] = await Promise.all([
    readJsonFile("installed plugins", installedFile, search.memory),
    readJsonFile("marketplaces", marketplacesFile, search.memory),
  ]);
  const registry: Registry = { folder, installed, marketplaces, search };
  const found = await Promise.all(enabled.map(async (one) => ({ one, root: await rootOf(one.id, registry) })));
  const lost = found.flatMap(({ one, root }) => (root === undefined ? [lostPlugin(one)] : []));
  const plugins = found.flatMap(({ one, root }): PluginFolder[] => {
    if (root === undefined) return [];
    const dataFolder = join(folder, "data", one.id.replaceAll(/[^A-Za-z0-9_-]/g, "-"));
    const { id, managed, ofProject } = one;
    return [{ id, root, dataFolder, managed, ofProject, options: optionsOf(id, layers) }];
  });
  const own = named.map((path) => namedPlugin(search, path));
  return { plugins: await onceEach([...plugins, ...own]), lost, watched };
}

function lostPlugin({ id, layer, node }: Enabled): { readonly id: string; readonly report: Report } {
  const report = reportOn(`plugin:${id}`, layer.file.file);
  report.warn(
    node.line,
    `the plugin ${id} is switched on here and not installed; install it, or take it out of enabledPlugins`,
  );
  return { id, report };
}

function namedPlugin(search: SourceSearch, path: string): PluginFolder {
  const home = userHome(search.environment);
  const expanded = path === "~" || path.startsWith("~/") ? join(home, path.slice(2)) : path;
  const root = resolve(search.home, expanded);
  const id = basename(root);
  const dataFolder = join(search.home, "plugin-data", id);
  return { id, root, dataFolder, managed: false, ofProject: false, options: {} };
}

/** One root is one plugin, whatever names lead to it. */
async function onceEach(plugins: readonly PluginFolder[]): Promise<readonly PluginFolder[]> {
  const identities = await Promise.all(plugins.map(({ root }) => identityOf(root)));
  return plugins.filter((_, index) => identities.indexOf(identities[index] ?? "") === index);
}

async function identityOf(path: string): Promise<string> {
  try {
    return (await fileFacts(path))?.identity ?? path;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return path; // may not be looked at: reading it will say so
  }
}

/** Options of a plugin in all layers that count; the higher layer wins key by key. */
function optionsOf(id: string, layers: readonly SettingsLayer[]): Readonly<Record<string, unknown>> {
  const ordered = layers.filter(({ counts }) => counts).sort((left, right) => left.rank - right.rank);
  return Object.assign(
    {},
    ...ordered.map(
      ({ file }) => file.node?.members?.get("pluginConfigs")?.members?.get(id)?.members?.get("options")?.value,
    ),
  );
}

interface Registry {
  readonly folder: string;
  readonly installed: JsonFile | undefined;
  readonly marketplaces: JsonFile | undefined;
  readonly search: SourceSearch;
}

export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await fileFacts(path))?.kind === "directory";
  } catch (error) {
    if (!isHostError(error)) throw error;
    return false; // may not be entered: as good as not there, and reported as lost
  }
};

/** Where a plugin lies: as installed, else in its marketplace, else the newest of the cache. */
async function rootOf(id: string, registry: Registry): Promise<string | undefined> {
  const [name = "", market = ""] = id.split("@");
  for (const path of installedPaths(id, registry)) if (await isFolder(path)) return path;
  const source = await marketplaceSource(name, market, registry);
  if (source !== undefined && (await isFolder(source))) return source;
  return newestOf(join(registry.folder, "cache", market, name));
}

/** What this project installed comes before what the person did. */
function installedPaths(id: string, { installed, search }: Registry): readonly string[] {
  const value = installed?.node?.members?.get("plugins")?.members?.get(id)?.value;
  const entries = (Array.isArray(value) ? value : [value]).filter(isObject);
  const rank = (entry: Readonly<Record<string, unknown>>): number => {
    const { projectPath } = entry;
    if (typeof projectPath !== "string") return 1;
    return projectPath === search.project || isInside(search.project, projectPath) ? 0 : 2;
  };
  return entries
    .filter((entry) => rank(entry) < 2)
    .sort((left, right) => rank(left) - rank(right))
    .map(({ installPath }) => installPath)
    .filter((path) => typeof path === "string" && path !== "")
    .map((path) => resolvePath(String(path), search.home));
}

async function marketplaceSource(name: string, market: string, registry: Registry): Promise<string | undefined> {
  const location = registry.marketplaces?.node?.members?.get(market)?.members?.get("installLocation")?.value;
  const root =
    typeof location === "string" && location !== "" ? location : join(registry.folder, "marketplaces", market);
  const catalogue = await readJsonFile(
    `marketplace ${market}`,
    join(root, ".claude-plugin", "marketplace.json"),
    registry.search.memory,
  );
  for (const entry of catalogue?.node?.members?.get("plugins")?.items ?? []) {
    if (!isObject(entry.value) || entry.value["name"] !== name) continue;
    const { source } = entry.value;
    if (typeof source !== "string") return undefined;
    const path = resolve(root, source);
    return isInside(path, root) ? path : undefined;
  }
  return undefined;
}

async function newestOf(folder: string): Promise<string | undefined> {
  try {
    const versions = (await list(folder)).filter(({ kind }) => kind === "directory").map(({ name }) => name);
    const newest = versions.sort((left, right) => left.localeCompare(right, "en", { numeric: true })).at(-1);
    return newest === undefined ? undefined : join(folder, newest);
  } catch (error) {
    if (!isHostError(error)) throw error;
    return undefined; // nothing in the cache
  }
}
