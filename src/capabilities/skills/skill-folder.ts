import { basename, dirname, join, relative, sep } from "node:path";
import { fileFacts, isInside, list, realPath, resolvePath } from "#host";

/** Files of a skill that are named to the model, and how deep they are looked for. */
const most = { files: 200, depth: 4 };

/** A skill is named by its `SKILL.md` or by the folder of one. */
export async function skillPlace(path: string): Promise<{ readonly folder: string; readonly main: string }> {
  const isFolder = (await fileFacts(path))?.kind === "directory";
  if (isFolder || basename(path) === "") return { folder: path, main: join(path, "SKILL.md") };
  return { folder: dirname(path), main: path };
}

/** The absolute path of a file of a skill; undefined where it leads out of the folder, by `..`, as a whole path or over a link. */
export async function within(folder: string, file: string): Promise<string | undefined> {
  if (file.includes("\0")) return undefined;
  const path = resolvePath(file, folder);
  if (!isInside(path, folder)) return undefined;
  const whereTo = (one: string) => realPath(one).catch(() => undefined); // not there: told by whoever reads it
  const [real, root] = await Promise.all([whereTo(path), whereTo(folder)]);
  return real === undefined || root === undefined || isInside(real, root) ? path : undefined;
}

/** Paths of the other files of a skill, relative to its folder, sorted. */
export async function linkedFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (at: string, depth: number): Promise<void> => {
    for (const { name, kind } of await list(at)) {
      if (name.startsWith(".") || name === "node_modules" || name === "__pycache__" || found.length >= most.files)
        continue;
      const path = join(at, name);
      if (kind === "directory" && depth < most.depth) await walk(path, depth + 1);
      else if (kind === "file" && path !== join(folder, "SKILL.md"))
        found.push(relative(folder, path).replaceAll(sep, "/"));
    }
  };
  await walk(folder, 0);
  return found.sort();
}

/** A one-line value of the front matter; `""` where there is none. */
export function frontMatter(text: string, key: string): string {
  const block = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? "";
  const line = block.split(/\r?\n/).find((one) => one.startsWith(`${key}:`));
  return line === undefined
    ? ""
    : line
        .slice(key.length + 1)
        .trim()
        .replace(/^(["'])(.*)\1$/, "$2");
}
