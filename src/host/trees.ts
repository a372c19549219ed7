import { cp, lstat, mkdtemp, readdir, readlink, realpath, rename, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileError } from "./error.ts";
import { isInside } from "./paths.ts";

/** Where a path really leads, all links followed. */
export async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw fileError("look at", path, error);
  }
}

/** The machine's folder for what is thrown away. */
export const temporaryRoot = (): string => tmpdir();

/** A new folder of its own below one that is there; its name begins as asked. */
export async function temporaryFolder(parent: string, start: string): Promise<string> {
  try {
    return await mkdtemp(join(parent, start));
  } catch (error) {
    throw fileError("create a folder in", parent, error);
  }
}

/** Copies a folder with all that is in it, links as links; entries of these names are left out wherever they stand. */
export async function copyTree(from: string, to: string, without: ReadonlySet<string>): Promise<void> {
  try {
    const filter = (source: string): boolean => source === from || !without.has(basename(source));
    await cp(from, to, { recursive: true, verbatimSymlinks: true, filter });
  } catch (error) {
    throw fileError("copy", from, error);
  }
}

/** Makes a folder be found under a second path. */
export async function linkTree(folder: string, path: string): Promise<void> {
  try {
    await symlink(folder, path, "dir");
  } catch (error) {
    throw fileError("create the link", path, error);
  }
}

/** Gives a file or folder another name on the same file system. */
export async function moveTree(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    throw fileError("move", from, error);
  }
}

export interface TreeEntry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly kind: "file" | "link" | "other";
  readonly bytes: number;
  /** Of a link: whether it leads out of the folder. */
  readonly leaves?: boolean;
}

/** All files and links below a folder, sorted by path, `most` at the most; folders of these names are not entered. */
export async function walkTree(
  folder: string,
  { without, most }: { readonly without: ReadonlySet<string>; readonly most: number },
): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = [];
  const root = await realPath(folder);
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true });
    entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const entry of entries) {
      if (found.length >= most) return;
      const way = path === "" ? entry.name : `${path}/${entry.name}`;
      if (!entry.isDirectory()) found.push(await entryOf(join(folder, way), way, root));
      else if (!without.has(entry.name)) await walk(way);
    }
  };
  try {
    await walk("");
  } catch (error) {
    throw fileError("look through", folder, error);
  }
  return found;
}

async function entryOf(full: string, path: string, root: string): Promise<TreeEntry> {
  const facts = await lstat(full);
  if (!facts.isSymbolicLink()) return { path, kind: facts.isFile() ? "file" : "other", bytes: facts.size };
  const written = resolve(dirname(full), await readlink(full));
  const real = await realpath(full).catch(() => written); // a link that leads nowhere is judged by its text
  return { path, kind: "link", bytes: 0, leaves: !isInside(real, root) };
}
