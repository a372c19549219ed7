import { basename, dirname, join } from "node:path";
import {
  copyTree,
  ensureDirectory,
  exists,
  fileFacts,
  isHostError,
  list,
  moveTree,
  readBytes,
  remove,
  removeTree,
  writeAtomic,
} from "#host";
import { InstallError } from "./error.ts";
import { leftOut } from "./fetch.ts";
import { digests, type Provenance } from "./provenance.ts";

/** A plugin's folder is called by its name, which must be a plain one. */
export function checkName(name: string): string {
  const isPlain =
    /^[^\s/\\:*?"<>|.\p{C}][^/\\:*?"<>|\p{C}]*$/u.test(name) && !name.includes("..") && name.length <= 100;
  if (isPlain && name !== "node_modules" && name !== "__pycache__") return name;
  throw new InstallError(
    "bad_name",
    `a plugin cannot be called ${JSON.stringify(name)}: it names a folder below plugins/`,
  );
}

/** Puts a new folder in place of the old one: after a failure the old one is as it was. */
export async function swap(folder: string, target: string): Promise<void> {
  if (!(await exists(target))) return moveTree(folder, target);
  const old = join(dirname(folder), `old-${basename(target)}`);
  await moveTree(target, old);
  try {
    await moveTree(folder, target);
  } catch (error) {
    await moveTree(old, target);
    throw error;
  }
}

/** `x.example` is copied to `x` where there is none. */
export async function copyExamples(folder: string): Promise<readonly string[]> {
  const entries = await list(folder);
  const names = new Set(entries.map(({ name }) => name));
  const made: string[] = [];
  for (const { name, kind } of entries) {
    const own = name.slice(0, -".example".length);
    if (kind !== "file" || !name.endsWith(".example") || own === "" || names.has(own)) continue;
    await writeAtomic(join(folder, own), await readBytes(join(folder, name)));
    made.push(own);
  }
  return made;
}

/**
 * Takes what the person or the plugin has put into the installed folder over into the new one. A file that was changed since it was
 * installed stays beside the new one as `<name>.local`.
 */
export async function carryOver(installed: string, next: string, { files }: Provenance): Promise<readonly string[]> {
  const now = await digests(installed);
  const carried: string[] = [];
  const take = async (path: string, to: string): Promise<void> => {
    await ensureDirectory(dirname(join(next, to)));
    await writeAtomic(join(next, to), await readBytes(join(installed, path)));
    carried.push(to);
  };
  for (const [path, digest] of Object.entries(now)) {
    const was = files[path];
    if (was === digest || path.endsWith(".local")) continue;
    const isThere = (await fileFacts(join(next, path))) !== undefined;
    await take(path, isThere || was !== undefined ? `${path}.local` : path);
  }
  const modules = join(installed, "node_modules");
  if ((await fileFacts(modules))?.kind === "directory" && !(await exists(join(next, "node_modules"))))
    await copyTree(modules, join(next, "node_modules"), leftOut);
  return carried;
}

/** Whether this folder may be taken away: a link goes alone, never what it leads to. */
export async function removeFolder(folder: string): Promise<void> {
  const entry = (await list(dirname(folder)).catch(missingIsEmpty)).find(({ name }) => name === basename(folder));
  if (entry?.kind === "link") await remove(folder);
  else await removeTree(folder);
}

function missingIsEmpty(error: unknown): [] {
  if (isHostError(error, "not_found")) return [];
  throw error;
}
