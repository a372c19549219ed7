import { join } from "node:path";
import { ensureDirectory, isHostError, now, readTextIfExists, withLock, writeAtomic, writeTarget } from "#host";
import { isObject } from "../sources/fields.ts";

/** The folders whose hooks may run, in `trusted-folders.json` of the home: docs/reference/trust.md. */
export interface FolderList {
  readonly file: string;
  /** Links followed. Never throws: a file that cannot be read trusts nothing. */
  has(folder: string): Promise<boolean>;
  /** Throws a `HostError` where it cannot be written. */
  add(folder: string): Promise<void>;
  /** False where it was not among them. */
  remove(folder: string): Promise<boolean>;
}

const folderListFile = (home: string): string => join(home, "trusted-folders.json");

export function folderList(home: string): FolderList {
  const file = folderListFile(home);
  const read = async (): Promise<{ readonly content: Content; readonly folders: Content }> => {
    const content = await contentOf(file);
    return { content, folders: isObject(content["folders"]) ? content["folders"] : {} };
  };
  const change = async <T>(edit: (folders: Record<string, unknown>) => T): Promise<T> => {
    await ensureDirectory(home, 0o700);
    return withLock(`${file}.lock`, async () => {
      const { content, folders } = await read();
      const edited = { ...folders };
      const result = edit(edited);
      await writeAtomic(file, `${JSON.stringify({ ...content, folders: edited }, null, 2)}\n`, { mode: 0o600 });
      return result;
    });
  };
  return {
    file,
    async has(folder) {
      try {
        return Object.hasOwn((await read()).folders, await writeTarget(folder));
      } catch (error) {
        if (!isHostError(error)) throw error;
        return false; // not ours to read: nothing in it counts
      }
    },
    async add(folder) {
      const path = await writeTarget(folder);
      await change((folders) => {
        folders[path] = { trusted_at: new Date(now()).toISOString() };
      });
    },
    async remove(folder) {
      const path = await writeTarget(folder);
      if (!Object.hasOwn((await read()).folders, path)) return false;
      return change((folders) => delete folders[path]);
    },
  };
}

type Content = Readonly<Record<string, unknown>>;

async function contentOf(file: string): Promise<Content> {
  const text = (await readTextIfExists(file, { maxBytes: 8 << 20 }))?.text;
  if (text === undefined) return {};
  try {
    const content: unknown = JSON.parse(text);
    return isObject(content) ? content : {};
  } catch {
    return {}; // damaged: nothing is trusted until it is written anew
  }
}
