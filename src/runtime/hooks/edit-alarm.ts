import { basename, dirname } from "node:path";
import { fileFacts, folderWatch, turnOfOthers, writeTarget } from "#host";

/** Knows, without looking, whether files may have been edited since the last look. */
export interface EditAlarm {
  /** Watches these files and folders, there or not, in the place of the former ones. Never rejects. */
  watch(paths: readonly string[]): Promise<void>;
  /** Whether something may have changed; asking resets it. What was done before is known once this settles. */
  rung(): Promise<boolean>;
  close(): void;
}

/** `ring` is called once for what happens until the next `rung`. */
export function editAlarm(ring: () => void): EditAlarm {
  let isRung = false;
  let isBlind = false;
  let isClosed = false;
  const folders = folderWatch(() => {
    if (isRung || isClosed) return;
    isRung = true;
    ring();
  });
  let known = "";
  return {
    async watch(paths) {
      const wanted = await foldersOf(paths);
      const text = JSON.stringify([...wanted].map(([folder, names]) => [folder, [...names]]));
      if (isClosed || text === known) return;
      known = text;
      isBlind = !folders.set(wanted);
    },
    async rung() {
      await turnOfOthers();
      const was = isRung || isBlind;
      isRung = false;
      return was;
    },
    close() {
      isClosed = true;
      folders.close();
    },
  };
}

/** For each path the folder that tells of it, with the name to look out for; for a folder also what is in it. */
async function foldersOf(paths: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const wanted = new Map<string, Set<string>>();
  const add = (folder: string, name: string): void =>
    void wanted.set(folder, (wanted.get(folder) ?? new Set()).add(name));
  for (const path of paths) {
    // A link may be changed, and so may the file it leads to.
    const target = await writeTarget(path).catch(() => path); // one that cannot be followed leads nowhere
    for (const one of new Set([path, target])) {
      const place = await nearest(one);
      add(place.folder, place.name);
    }
    if ((await kindOf(path)) === "directory") add(path, "*");
  }
  return wanted;
}

const kindOf = async (path: string): Promise<string | undefined> =>
  (await fileFacts(path).catch(() => undefined))?.kind; // what cannot be looked at is not there

/** Of a path whose folder is missing, the first name that is. */
async function nearest(path: string): Promise<{ readonly folder: string; readonly name: string }> {
  let [folder, name] = [dirname(path), basename(path)];
  while (folder !== dirname(folder) && (await kindOf(folder)) !== "directory")
    [folder, name] = [dirname(folder), basename(folder)];
  return { folder, name };
}
