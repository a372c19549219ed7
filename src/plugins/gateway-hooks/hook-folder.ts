import { join } from "node:path";
import { fileFacts, isHostError, list, readText } from "#host";
import { readManifest } from "./hook-manifest.ts";

/** A folder with a `HOOK.yaml` that names events and a handler that may be loaded (docs/reference/gateway-hooks.md). */
export interface FoundHook {
  /** Of `HOOK.yaml`, else the folder's. */
  readonly name: string;
  readonly description: string;
  /** Exact names and `prefix:*`, each once, in their order. */
  readonly events: readonly string[];
  readonly folder: string;
  readonly handler: string;
  readonly language: "typescript" | "python";
}

export interface FoundHooks {
  readonly hooks: readonly FoundHook[];
  /** One `[hooks] …` line for each thing that is wrong. */
  readonly problems: readonly string[];
}

const handlers = [
  ["handler.ts", "typescript"],
  ["handler.js", "typescript"],
  ["handler.mjs", "typescript"],
  ["handler.py", "python"],
] as const;
const largestManifest = 1 << 20;

/** The hooks below `hooks/` folders, sorted by folder; on the same folder name the first root wins. A missing root is none. */
export async function findHooks(roots: readonly string[]): Promise<FoundHooks> {
  const folders = new Map<string, string>();
  const problems: string[] = [];
  for (const root of roots)
    for (const name of await foldersOf(root, problems)) if (!folders.has(name)) folders.set(name, join(root, name));
  const hooks: FoundHook[] = [];
  for (const [name, folder] of [...folders].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const found = await readFolder(name, folder).catch(
      (error: unknown): Partial<FoundHooks> => ({ problems: [`Error loading hook ${name}: ${text(error)}`] }),
    );
    hooks.push(...(found.hooks ?? []));
    problems.push(...(found.problems ?? []).map((problem) => `[hooks] ${problem}`));
  }
  return { hooks, problems };
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function foldersOf(root: string, problems: string[]): Promise<readonly string[]> {
  try {
    const names: string[] = [];
    for (const { name, kind } of await list(root))
      if (kind === "directory" || (kind === "link" && (await kindOf(join(root, name))) === "directory"))
        names.push(name);
    return names;
  } catch (error) {
    if (!isHostError(error, "not_found")) problems.push(`[hooks] ${text(error)}`);
    return [];
  }
}

const kindOf = async (path: string): Promise<string | undefined> =>
  fileFacts(path).then(
    (facts) => facts?.kind,
    () => undefined, // a link in a circle leads to no folder
  );

async function readFolder(folderName: string, folder: string): Promise<Partial<FoundHooks>> {
  const manifest = join(folder, "HOOK.yaml");
  if ((await kindOf(manifest)) !== "file") return {};
  for (const [file, language] of handlers) {
    const handler = join(folder, file);
    if ((await kindOf(handler)) !== "file") continue;
    const { text: source } = await readText(manifest, { maxBytes: largestManifest });
    const { problems, ...read } = await readManifest(source, folderName);
    if (read.events.length === 0) return { problems };
    return { hooks: [{ ...read, folder, handler, language }], problems };
  }
  return {};
}
