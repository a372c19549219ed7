import type { Ignore } from "ignore";
import { type Entry, fileFacts, list, readTextIfExists, resolvePath } from "#host";

export interface WalkedFile {
  readonly path: string;
  /** Relative to the root of the walk, with `/`. */
  readonly relative: string;
}

interface Rules {
  /** The folder of the `.gitignore`, relative to the root, with a slash at its end. */
  readonly folder: string;
  readonly ignore: Ignore;
}

interface Folder {
  readonly path: string;
  readonly relative: string;
  readonly rules: readonly Rules[];
}

/** All files below a folder, in order of their names; what `.gitignore` files name and git's own folder are left out. Links are not followed. */
export async function* walk(root: string, signal: AbortSignal): AsyncGenerator<WalkedFile> {
  const pending: Folder[] = [{ path: root, relative: "", rules: [] }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    signal.throwIfAborted();
    const { files, folders } = await content(folder);
    yield* files;
    pending.push(...folders.reverse());
  }
}

async function content(folder: Folder): Promise<{ readonly files: WalkedFile[]; readonly folders: Folder[] }> {
  const entries = await list(folder.path).catch((): readonly Entry[] => []); // it vanished, or may not be read
  const rules = entries.some((entry) => entry.name === ".gitignore") ? await withOwnRules(folder) : folder.rules;
  const files: WalkedFile[] = [];
  const folders: Folder[] = [];
  for (const { name, kind } of entries) {
    const relative = kind === "directory" ? `${folder.relative}${name}/` : `${folder.relative}${name}`;
    if (name === ".git" || isIgnored(rules, relative)) continue;
    const path = resolvePath(name, folder.path);
    if (kind === "directory") folders.push({ path, relative, rules });
    else if (kind === "file") files.push({ path, relative });
  }
  return { files, folders };
}

async function withOwnRules(folder: Folder): Promise<readonly Rules[]> {
  const { default: ignore } = await import("ignore");
  const own = await readTextIfExists(resolvePath(".gitignore", folder.path)).catch(() => undefined); // unreadable: no rules
  return own === undefined
    ? folder.rules
    : [...folder.rules, { folder: folder.relative, ignore: ignore().add(own.text) }];
}

function isIgnored(rules: readonly Rules[], relative: string): boolean {
  let ignored = false;
  for (const rule of rules) {
    const verdict = rule.ignore.test(relative.slice(rule.folder.length));
    if (verdict.ignored) ignored = true;
    if (verdict.unignored) ignored = false;
  }
  return ignored;
}

/** When a file was last changed; 0 for one that has vanished. */
export async function modifiedMs(path: string): Promise<number> {
  return (await fileFacts(path))?.modifiedMs ?? 0;
}
