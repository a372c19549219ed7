import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { checkPath } from "./checked-path.ts";
import { fileError, systemCode } from "./error.ts";

export type EntryKind = "file" | "directory" | "link" | "other";

export interface Entry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** What a directory holds, in the order of the code points of the names. Links are not followed. */
export async function list(path: string): Promise<readonly Entry[]> {
  checkPath(path);
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .map((entry): Entry => {
        const file = entry.isFile() ? "file" : "other";
        const kind = entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : file;
        return { name: entry.name, kind };
      })
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    throw fileError("list", path, error);
  }
}

export interface FileFacts {
  readonly kind: "file" | "directory" | "other";
  readonly bytes: number;
  readonly modifiedMs: number;
  /** When content, mode or name last changed; programs cannot set it. */
  readonly changedMs: number;
  readonly mode: number;
  /** The same for all names of one file, and another once a new file has taken its place. */
  readonly identity: string;
}

/** Facts of what the path leads to, links followed; undefined when there is nothing. */
export async function fileFacts(path: string): Promise<FileFacts | undefined> {
  checkPath(path);
  try {
    const facts = await stat(path);
    const kind = facts.isFile() ? "file" : facts.isDirectory() ? "directory" : "other";
    const identity = `${facts.dev}:${facts.ino}`;
    const times = { modifiedMs: facts.mtimeMs, changedMs: facts.ctimeMs };
    return { kind, bytes: facts.size, ...times, mode: facts.mode & 0o7777, identity };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw fileError("look at", path, error);
  }
}

export const exists = async (path: string): Promise<boolean> => (await fileFacts(path)) !== undefined;

/** The same at once, for the few who cannot wait; never within a turn. */
export const existsNow = (path: string): boolean => existsSync(path);
