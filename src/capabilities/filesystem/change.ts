import { ensureDirectory, fileFacts, remove, resolvePath, writeAtomic } from "#host";
import { type LoadedText, textBytes } from "./text-file.ts";

/** One file before and after; `undefined` where it is not there. */
export interface Change {
  readonly path: string;
  readonly before: LoadedText | undefined;
  readonly after: string | undefined;
  /** Mode of a file that comes from elsewhere. */
  readonly mode?: number;
  /** Encoding of a file that comes from elsewhere. */
  readonly encoding?: LoadedText["encoding"];
}

export interface Written {
  readonly bytes: number;
  /** Folders were made for it. */
  readonly folders: boolean;
  readonly note?: string;
}

/** Carries out one change, atomically. */
export async function write(change: Change): Promise<Written> {
  if (change.after === undefined) {
    await remove(change.path);
    return { bytes: 0, folders: false };
  }
  const folder = resolvePath("..", change.path);
  const folders = (await fileFacts(folder)) === undefined;
  if (folders) await ensureDirectory(folder);
  const { bytes, note } = textBytes(change.after, change.before?.encoding ?? change.encoding ?? "utf-8");
  await writeAtomic(change.path, bytes, change.mode === undefined ? {} : { mode: change.mode });
  return { bytes: bytes.length, folders, ...(note === undefined ? {} : { note }) };
}

/** Carries out all changes or, where one fails, none: what was done is undone and the error goes on. */
export async function writeAll(changes: readonly Change[]): Promise<readonly Written[]> {
  const done: Change[] = [];
  const written: Written[] = [];
  try {
    for (const change of changes) {
      written.push(await write(change));
      done.push(change);
    }
    return written;
  } catch (error) {
    for (const change of done.toReversed()) {
      await write({
        path: change.path,
        before: change.before,
        after: change.before?.text,
        ...(change.before === undefined ? {} : { mode: change.before.facts.mode }),
      });
    }
    throw error;
  }
}
