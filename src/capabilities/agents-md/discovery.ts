import { dirname, join, relative, sep } from "node:path";
import { exists, isHostError, isInside } from "#host";
import { type ContextFile, collect, type Search } from "./collection.ts";

const shared = [".hermes.md", "HERMES.md", "AGENTS.md", "agents.md", "CLAUDE.md", "claude.md", ".claude/CLAUDE.md"];
const own = "CLAUDE.local.md";
/** Read only where a folder has none of the others. */
const fallback = ".cursorrules";

/** The folder of the repository that `folder` lies in; `folder` itself where there is none. */
export async function projectRoot(folder: string): Promise<string> {
  try {
    for (let place = folder; ; place = dirname(place)) {
      if (await exists(join(place, ".git"))) return place;
      if (dirname(place) === place) return folder;
    }
  } catch (error) {
    if (isHostError(error)) return folder;
    throw error;
  }
}

/** `from` and every folder on the way down to `to`, `to` included; empty where it does not lie beneath. */
export function foldersDownTo(from: string, to: string): readonly string[] {
  if (!isInside(to, from)) return [];
  const folders = [from];
  for (const step of relative(from, to).split(sep)) if (step !== "") folders.push(join(folders.at(-1) ?? from, step));
  return folders;
}

/** The files of one folder, in the order in which they are told. */
export async function filesOf(
  folder: string,
  search: Search,
  loadReason: "session_start" | "nested_traversal",
): Promise<readonly ContextFile[]> {
  const files: ContextFile[] = [];
  for (const name of shared)
    files.push(...(await collect({ path: join(folder, name), memoryType: "Project", loadReason, depth: 0 }, search)));
  if (files.length === 0)
    files.push(
      ...(await collect({ path: join(folder, fallback), memoryType: "Project", loadReason, depth: 0 }, search)),
    );
  return [...files, ...(await collect({ path: join(folder, own), memoryType: "Local", loadReason, depth: 0 }, search))];
}

/** What belongs to the person and not to a project. */
export async function personalFiles(search: Search): Promise<readonly ContextFile[]> {
  const paths = [join(search.settings.agentHome, "AGENTS.md"), join(search.settings.claudeHome, "CLAUDE.md")];
  const found: ContextFile[] = [];
  for (const path of paths)
    found.push(...(await collect({ path, memoryType: "User", loadReason: "session_start", depth: 0 }, search)));
  return found;
}
