import { join } from "node:path";
import { displayPath, type Environment, isHostError, list, resolvePath, userHome } from "#host";
import type { HookSource } from "../rule.ts";
import { parseJson } from "./json-document.ts";
import { reportOn } from "./problems.ts";
import { type JsonFile, readJsonFile } from "./settings-file.ts";
import type { SourceMemory } from "./source-memory.ts";

/** Where rules are looked for. */
export interface SourceSearch {
  /** Absolute path of the home. */
  readonly home: string;
  /** A second home that is only read: of its `config.yaml` the shell hooks. */
  readonly secondHome: string | undefined;
  /** Absolute path of the project's folder. */
  readonly project: string;
  readonly environment: Environment;
  /** Whether the switches of the project's files count; its rules are read in any case. */
  readonly projectTrusted: boolean;
  /** False (`--no-project-hooks`): rules of the project never run. */
  readonly projectHooks: boolean;
  /** `--settings`: a file, relative to the project's folder, or JSON itself. */
  readonly settingsOption?: string | undefined;
  /** The folder of the organisation's policy; default: Claude Code's on this system. */
  readonly managedFolder?: string;
  /** Of a process that reads again and again. */
  readonly memory?: SourceMemory;
}

export type SourceBase = Omit<HookSource, "parallel" | "strict" | "mode">;

/** One settings file that is there. */
export interface SettingsLayer {
  readonly base: SourceBase;
  readonly file: JsonFile;
  /** Who wins where files contradict each other: the higher. */
  readonly rank: number;
  /** Its switches count for other files. */
  readonly counts: boolean;
}

const ranks: { readonly [K in HookSource["kind"]]?: number } = {
  user: 1,
  project: 2,
  local: 3,
  "settings-option": 4,
  managed: 5,
};

const managedFolders: Readonly<Record<string, string>> = {
  darwin: "/Library/Application Support/ClaudeCode",
  win32: "C:\\Program Files\\ClaudeCode",
};

/** `~/.claude`, or what `CLAUDE_CONFIG_DIR` says. */
export const claudeFolder = ({ environment, project }: SourceSearch): string => {
  const named = environment["CLAUDE_CONFIG_DIR"];
  return named ? resolvePath(named, project) : join(userHome(environment), ".claude");
};

const managedFolderOf = async (search: SourceSearch): Promise<string> => {
  if (search.managedFolder !== undefined) return search.managedFolder;
  const { platform } = await import("node:os");
  return managedFolders[platform()] ?? "/etc/claude-code";
};

type Place = Pick<SourceBase, "kind" | "name" | "trust"> & { readonly file: string };

/** The files that may hold settings, there or not, in the order of their rules. */
async function settingsPlaces(search: SourceSearch, managed: string): Promise<readonly Place[]> {
  const user = (file: string): Place => ({ kind: "user", name: displayPath(file), trust: "none", file });
  const own = (folder: string, kind: "project" | "local"): Place => {
    const name = `${folder}/settings${kind === "local" ? ".local" : ""}.json`;
    return { kind, name, trust: "folder", file: join(search.project, name) };
  };
  const policies = [join(managed, "managed-settings.json"), ...(await partsOf(join(managed, "managed-settings.d")))];
  return [
    ...policies.map((file): Place => ({ kind: "managed", name: file, trust: "none", file })),
    user(join(claudeFolder(search), "settings.json")),
    user(join(search.home, "settings.json")),
    own(".claude", "project"),
    own(".claude", "local"),
    own(".talaria", "project"),
    own(".talaria", "local"),
  ];
}

/** The JSON files of a folder of parts; none where the folder is missing or may not be read. */
async function partsOf(folder: string): Promise<readonly string[]> {
  try {
    const entries = await list(folder);
    return entries.filter(({ name }) => /^[^.].*\.json$/.test(name)).map(({ name }) => join(folder, name));
  } catch (error) {
    if (!isHostError(error)) throw error;
    return []; // no folder of parts: most machines have none
  }
}

export interface LayersRead {
  readonly layers: readonly SettingsLayer[];
  /** All files and folders whose change may change the layers. */
  readonly watched: readonly string[];
}

/** Reads all settings files. A file that goes by two names counts under the first. */
export async function readSettingsLayers(search: SourceSearch): Promise<LayersRead> {
  const managed = await managedFolderOf(search);
  const places = await settingsPlaces(search, managed);
  const files = await Promise.all(places.map(({ name, file }) => readJsonFile(name, file, search.memory)));
  const layers: SettingsLayer[] = [];
  const known = new Set<string>();
  for (const [index, place] of places.entries()) {
    const file = files[index];
    if (file === undefined || known.has(place.file)) continue;
    known.add(place.file);
    if (file.identity !== undefined) {
      if (known.has(file.identity)) continue;
      known.add(file.identity);
    }
    layers.push(layerOf(search, place, file));
  }
  const option = await optionLayer(search);
  if (option !== undefined) layers.push(option.layer);
  const watched = [...places.map(({ file }) => file), join(managed, "managed-settings.d"), ...(option?.watched ?? [])];
  return { layers, watched };
}

function layerOf(search: SourceSearch, place: Place, file: JsonFile): SettingsLayer {
  const ofProject = place.trust === "folder";
  return {
    base: { kind: place.kind, name: place.name, file: place.file, dialect: "claude", trust: place.trust },
    file,
    rank: ranks[place.kind] ?? 0,
    counts: !ofProject || (search.projectTrusted && search.projectHooks),
  };
}

async function optionLayer(
  search: SourceSearch,
): Promise<{ readonly layer: SettingsLayer; readonly watched: readonly string[] } | undefined> {
  const { settingsOption: option, project } = search;
  if (option === undefined) return undefined;
  const base = { kind: "settings-option", dialect: "claude", trust: "none" } as const;
  const rank = ranks["settings-option"] ?? 0;
  if (option.trim().startsWith("{")) {
    const layer = { base: { ...base, name: "--settings" }, file: inline(option), rank, counts: true };
    return { layer, watched: [] };
  }
  const path = resolvePath(option, project);
  const name = `--settings ${displayPath(path)}`;
  const file = (await readJsonFile(name, path, search.memory)) ?? missing(name, path);
  return { layer: { base: { ...base, name, file: path }, file, rank, counts: true }, watched: [path] };
}

function inline(text: string): JsonFile {
  const report = reportOn("--settings", undefined);
  const parsed = parseJson(text);
  if ("node" in parsed) return { file: "--settings", node: parsed.node, report, broken: false, identity: undefined };
  report.warn(
    parsed.flaw.line,
    `this is not JSON (column ${parsed.flaw.column}): ${parsed.flaw.message}; it is left out`,
  );
  return { file: "--settings", node: undefined, report, broken: true, identity: undefined };
}

function missing(name: string, path: string): JsonFile {
  const report = reportOn(name, path);
  report.warn(undefined, "there is no such file; check the path given with --settings");
  return { file: path, node: undefined, report, broken: true, identity: undefined };
}
