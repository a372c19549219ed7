import { createHash } from "node:crypto";
import { join } from "node:path";
import { ensureDirectory, fileFacts, list, remove, writeAtomic } from "#host";
import type { Execution } from "../executor.ts";

/** The files into which hooks write `export NAME=value` for the commands that come later. */
export interface EnvironmentFiles {
  /** The file for a run (`CLAUDE_ENV_FILE`), empty; undefined where the event has none. Throws a `HostError`. */
  forRun(execution: Execution): Promise<string | undefined>;
  /** The files of a session that say something, in the order in which a shell has to read them. Never rejects. */
  of(sessionId: string): Promise<readonly string[]>;
}

/**
 * One file for each rule of a session, in `<home>/cache/hook-environment/<session>/`; a rule that runs again starts anew.
 * What rules of a folder's events wrote ends with the next change of the folder.
 */
export function environmentFiles(home: string): EnvironmentFiles {
  const folderOf = (sessionId: string): string =>
    join(home, "cache", "hook-environment", encodeURIComponent(sessionId));
  const seen = new WeakSet<object>();
  return {
    async forRun({ rule, question, context }) {
      const { environmentFile: lasts } = question.view;
      if (lasts === undefined) return undefined;
      const folder = folderOf(context.sessionId);
      await ensureDirectory(folder, 0o700);
      if (lasts === "folder-anew" && !seen.has(question.payload)) {
        seen.add(question.payload);
        for (const name of await namesIn(folder)) if (name.startsWith("folder-")) await remove(join(folder, name));
      }
      const id = createHash("sha256").update(rule.id).digest("hex").slice(0, 12);
      const path = join(folder, `${lasts === "session" ? "session" : "folder"}-${id}.sh`);
      await writeAtomic(path, "", { mode: 0o600 });
      return path;
    },
    async of(sessionId) {
      const folder = folderOf(sessionId);
      const files = await Promise.all(
        (await namesIn(folder)).map(async (name) => ({ name, facts: await fileFacts(join(folder, name)).catch(gone) })),
      );
      return files
        .flatMap(({ name, facts }) =>
          facts === undefined || facts.bytes === 0 ? [] : [{ name, at: facts.modifiedMs }],
        )
        .sort((a, b) => lastingFirst(a.name) - lastingFirst(b.name) || a.at - b.at || a.name.localeCompare(b.name))
        .map(({ name }) => join(folder, name));
    },
  };
}

const gone = (): undefined => undefined;
const lastingFirst = (name: string): number => (name.startsWith("session-") ? 0 : 1);

/** A folder that is not there, or may not be read, holds nothing. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await list(folder).catch(() => []);
  return entries.map(({ name }) => name).filter((name) => name.endsWith(".sh"));
}
