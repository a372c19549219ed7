import { fileFacts, isHostError, isInside, now, ticks } from "#host";
import type { HookSource } from "../rule.ts";
import { readSources, type SourcesRead } from "./read-sources.ts";
import type { SourceSearch } from "./settings-layers.ts";
import { sourceMemory } from "./source-memory.ts";

/** What a change is called for the event `config_change`. */
export type ChangedSettings = "user_settings" | "project_settings" | "local_settings" | "policy_settings";

export interface SourceChange {
  readonly source: ChangedSettings;
  /** The file or folder that is another now. */
  readonly file: string;
}

/** The rules as they stand, kept up to date. */
export interface RuleWatch {
  current(): SourcesRead;
  /**
   * Looks at the files, unless that was done just now, and reads them again where one has changed. The changes of this
   * look; empty where there are none. Never rejects. Calls at the same time share one look.
   */
  refresh(): Promise<readonly SourceChange[]>;
}

export interface WatchOptions {
  /** Whether the switches of the project's files count now. */
  readonly projectTrusted: () => boolean;
  /**
   * Asked before a changed file takes effect; false: it counts as it stood before, until it changes again. An
   * organisation's file is told of and takes effect in any case. While it is asked, looks answer with no changes.
   */
  readonly admit?: (change: SourceChange) => Promise<boolean>;
  /** Milliseconds for which a look is good; 5. */
  readonly freshMs?: number;
}

/** A file that changed so lately may change again without a trace: clocks of file systems tick slowly. */
const unsettledMs = 50;

/**
 * Reads all sources and watches them by looking: a stat of each file, asynchronous, half a millisecond for twenty. So it
 * sees every kind of edit on every file system at the next event. Rules: docs/reference/hook-sources.md.
 */
export async function watchSources(
  search: Omit<SourceSearch, "projectTrusted" | "memory">,
  options: WatchOptions,
): Promise<RuleWatch> {
  const memory = sourceMemory();
  const read = (projectTrusted: boolean): Promise<SourcesRead> => readSources({ ...search, projectTrusted, memory });
  const begin = now();
  let trusted = options.projectTrusted();
  let current = await read(trusted);
  let stamps = await lookAtAll(current.watched, begin);
  let lookedAt = ticks();
  let looking: Promise<readonly SourceChange[]> | undefined;
  let asking = false;

  /** Asks about each changed file; those refused are held. */
  async function admitted(changes: readonly SourceChange[]): Promise<readonly SourceChange[]> {
    const taken: SourceChange[] = [];
    asking = true;
    try {
      for (const change of changes) {
        memory.held.delete(change.file);
        const yes = (await options.admit?.(change)) ?? true;
        if (yes || change.source === "policy_settings") taken.push(change);
        else memory.held.add(change.file);
      }
    } finally {
      asking = false;
    }
    return taken;
  }

  async function look(): Promise<readonly SourceChange[]> {
    const since = now();
    const seen = await lookAtAll(current.watched, since);
    const isEdited = (file: string): boolean => stamps.get(file)?.text !== seen.get(file)?.text;
    const isUnsettled = (file: string): boolean => stamps.get(file)?.unsettled === true;
    const edited = current.watched.filter(isEdited);
    const trust = options.projectTrusted();
    if (edited.length === 0 && trust === trusted && !current.watched.some(isUnsettled)) {
      stamps = seen;
      return [];
    }
    const before = current;
    const taken = await admitted(edited.map((file) => ({ source: settingsOf(file, search, before), file })));
    current = await read(trust);
    trusted = trust;
    const added = current.watched.filter((file) => !seen.has(file));
    stamps = new Map([...seen, ...(await lookAtAll(added, since))]);
    return taken;
  }

  return {
    current: () => current,
    refresh() {
      if (asking) return Promise.resolve([]);
      if (looking !== undefined) return looking;
      const isFresh = ticks() - lookedAt < (options.freshMs ?? 5);
      if (isFresh && options.projectTrusted() === trusted) return Promise.resolve([]);
      looking = look().finally(() => {
        lookedAt = ticks();
        looking = undefined;
      });
      return looking;
    },
  };
}

interface Stamp {
  readonly text: string;
  /** It changed so lately that the next change may look the same. */
  readonly unsettled: boolean;
}

async function lookAtAll(files: readonly string[], since: number): Promise<ReadonlyMap<string, Stamp>> {
  return new Map(await Promise.all(files.map((file) => lookAt(file, since))));
}

async function lookAt(file: string, since: number): Promise<readonly [string, Stamp]> {
  try {
    const facts = await fileFacts(file);
    if (facts === undefined) return [file, { text: "-", unsettled: false }];
    const text = `${facts.identity} ${facts.bytes} ${facts.modifiedMs} ${facts.changedMs}`;
    return [file, { text, unsettled: facts.changedMs > since - unsettledMs }];
  } catch (error) {
    if (!isHostError(error)) throw error;
    return [file, { text: error.code, unsettled: false }]; // reading it says the same
  }
}

const settingsByKind: { readonly [K in HookSource["kind"]]?: ChangedSettings } = {
  managed: "policy_settings",
  project: "project_settings",
  local: "local_settings",
};

function settingsOf(file: string, { project }: Pick<SourceSearch, "project">, { sets }: SourcesRead): ChangedSettings {
  const kind = sets.find(({ source }) => source.file === file)?.source.kind;
  if (kind !== undefined) return settingsByKind[kind] ?? "user_settings";
  if (/[\\/]managed-settings\.(?:json|d)$/.test(file)) return "policy_settings";
  if (!isInside(file, project)) return "user_settings";
  return file.endsWith(".local.json") ? "local_settings" : "project_settings";
}
