import { basename, join } from "node:path";
import { type Entry, fileFacts, isHostError, list } from "#host";
import type { Candidate, Manifest, PluginCode, PluginSource } from "./manifest.ts";
import { readFolder } from "./manifest-reader.ts";
import { npmPlugins } from "./npm-packages.ts";
import { type EntryPoint, pythonEntryPoints } from "./python-entry-points.ts";

/** Where plugins are looked for; every path absolute. */
export interface PluginPlaces {
  /** The program's own plugins: a folder, or what the build wrote down of it. */
  readonly bundled: string | readonly Candidate[] | undefined;
  readonly home: string;
  /** `~/.hermes` beside a home of our own. */
  readonly secondHome?: string | undefined;
  /** The project whose plugins may be used; undefined: none may. */
  readonly project: string | undefined;
  /** `node_modules` folders, the first one wins. */
  readonly packages: readonly string[];
  /** The `site-packages` of the configured Python. */
  readonly pythonPackages?: () => Promise<readonly string[]>;
}

export interface Discovered {
  /** In order of load: where a key was first seen, with what was last found under it. */
  readonly candidates: readonly Candidate[];
  /** One sentence each, with the file. */
  readonly problems: readonly string[];
}

/** Folders that are never plugins. */
const passedOver = new Set(["node_modules", "__pycache__"]);

interface Search {
  readonly problems: string[];
  readonly source: PluginSource;
}

/** Looks into the four sources, later ones over earlier ones (docs/reference/plugins.md). Broken plugins are problems, never a rejection. */
export async function discoverPlugins(places: PluginPlaces): Promise<Discovered> {
  const problems: string[] = [];
  const { bundled, home, secondHome, project } = places;
  const folder = (source: PluginSource, path: string | undefined) =>
    path === undefined ? [] : scanRoot(path, { problems, source });
  const found = await Promise.all([
    typeof bundled === "string" ? folder("bundled", bundled) : (bundled ?? []),
    folder("user", secondHome === undefined ? undefined : join(secondHome, "plugins")),
    folder("user", join(home, "plugins")),
    folder("project", project === undefined ? undefined : join(project, ".hermes", "plugins")),
    folder("project", project === undefined ? undefined : join(project, ".talaria", "plugins")),
    npmPlugins(places.packages, problems),
    entryPoints(places, problems),
  ]);
  return { candidates: winners(found.flat()), problems };
}

/** The first place of a key with its last value. */
export function winners(found: readonly Candidate[]): readonly Candidate[] {
  const byKey = new Map<string, Candidate>();
  for (const candidate of found) byKey.set(candidate.key, candidate);
  return [...byKey.values()];
}

async function entryPoints({ pythonPackages }: PluginPlaces, problems: string[]): Promise<readonly Candidate[]> {
  if (pythonPackages === undefined) return [];
  const folders = await pythonPackages().catch((error: unknown) => {
    problems.push(`the packages of Python could not be found: ${error instanceof Error ? error.message : error}`);
    return [];
  });
  const found = await pythonEntryPoints(folders);
  return found.map(entryPointCandidate);
}

function entryPointCandidate({ name, module, attribute, version, description }: EntryPoint): Candidate {
  const code: PluginCode = { language: "python", module, attribute };
  const manifest: Manifest = {
    name,
    version,
    description,
    author: "",
    kind: "standalone",
    requiresEnv: [],
    providesTools: [],
    providesHooks: [],
    raw: {},
  };
  return { key: name, source: "entrypoint", manifest, code };
}

/** The plugins of one root: its folders, and those of its categories. */
export async function scanRoot(root: string, search: Search): Promise<readonly Candidate[]> {
  const folders = await foldersOf(root, search);
  const found = await Promise.all(folders.map((folder) => scanFolder(folder, search, undefined)));
  return found.flat();
}

async function scanFolder(folder: string, search: Search, category: string | undefined): Promise<readonly Candidate[]> {
  const entries = await entriesOf(folder, search);
  if (entries === undefined) return [];
  const reading = await readFolder(folder, new Set(entries.map(({ name }) => name)));
  if (reading.state === "broken") {
    search.problems.push(`${reading.problem}; this plugin is left out`);
    return [];
  }
  if (reading.state === "plugin") {
    search.problems.push(...reading.remarks);
    const { manifest, code } = reading;
    const key = category === undefined ? manifest.name : `${category}/${basename(folder)}`;
    return [{ key, source: search.source, manifest, code }];
  }
  if (category !== undefined) return [];
  const inner = entries.filter(mayBePlugin).map(({ name }) => join(folder, name));
  const found = await Promise.all(inner.map((one) => scanFolder(one, search, basename(folder))));
  return found.flat();
}

async function foldersOf(root: string, search: Search): Promise<readonly string[]> {
  const entries = (await entriesOf(root, search)) ?? [];
  return entries.filter(mayBePlugin).map(({ name }) => join(root, name));
}

const mayBePlugin = ({ name, kind }: Entry): boolean =>
  (kind === "directory" || kind === "link") && !name.startsWith(".") && !passedOver.has(name);

/** Undefined where there is no such folder; one that may not be read is a problem. */
async function entriesOf(folder: string, { problems }: Search): Promise<readonly Entry[] | undefined> {
  try {
    return await list(folder);
  } catch (error) {
    if (isHostError(error, "not_found") || isHostError(error, "not_a_directory")) return undefined;
    if ((await fileFacts(folder).catch(() => undefined))?.kind === "file") return undefined;
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
