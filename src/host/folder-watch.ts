import { type FSWatcher, watch } from "node:fs";

/** Tells that something was done to files; nobody is kept alive for it. */
export interface FolderWatch {
  /** Watches these folders, each for these names in it (`*`: all), in the place of the former ones. False: the system refuses one. */
  set(folders: ReadonlyMap<string, ReadonlySet<string>>): boolean;
  close(): void;
}

interface Watched {
  names: ReadonlySet<string>;
  readonly watcher: FSWatcher;
}

/** `changed` is called soon after an edit, maybe several times for one, and also for edits that changed nothing. */
export function folderWatch(changed: () => void): FolderWatch {
  const watched = new Map<string, Watched>();
  const drop = (folder: string): void => {
    watched.get(folder)?.watcher.close();
    watched.delete(folder);
  };
  const begin = (folder: string, names: ReadonlySet<string>): boolean => {
    try {
      const watcher = watch(folder, { persistent: false });
      const one: Watched = { names, watcher };
      watcher.on("change", (_kind, name) => {
        if (name === null || one.names.has("*") || one.names.has(String(name))) changed();
      });
      watcher.on("error", () => {
        drop(folder); // the folder is gone: its parent's watcher tells of the next one
        changed();
      });
      watched.set(folder, one);
      return true;
    } catch {
      return false; // not there, or too many are watched already: the caller looks for itself
    }
  };
  return {
    set(folders) {
      for (const folder of [...watched.keys()]) if (!folders.has(folder)) drop(folder);
      let whole = true;
      for (const [folder, names] of folders) {
        const known = watched.get(folder);
        if (known !== undefined) known.names = names;
        else whole = begin(folder, names) && whole;
      }
      return whole;
    },
    close() {
      for (const folder of [...watched.keys()]) drop(folder);
    },
  };
}
