import { join } from "node:path";
import { ensureDirectory, removeTree, writeAtomic } from "#host";

/** A session's own files beside the store: results that were too long for the transcript. */
export interface SessionFiles {
  /** Writes a text under a name that is made safe; returns its absolute path. */
  spill(sessionId: string, name: string, text: string): Promise<string>;
  forget(sessionId: string): Promise<void>;
}

export function sessionFiles(home: string): SessionFiles {
  const folder = (sessionId: string): string => sessionFolder(home, sessionId);
  return {
    async spill(sessionId, name, text) {
      await ensureDirectory(folder(sessionId), 0o700);
      const path = join(folder(sessionId), `${safe(name)}.txt`);
      await writeAtomic(path, text, { mode: 0o600 });
      return path;
    },
    forget: (sessionId) => removeTree(folder(sessionId)),
  };
}

export const sessionFolder = (home: string, sessionId: string): string => join(home, "sessions", safe(sessionId));

const safe = (name: string): string =>
  name
    .replace(/[^\w.-]+/g, "_")
    .replace(/^\.+/, "_")
    .slice(0, 100);
