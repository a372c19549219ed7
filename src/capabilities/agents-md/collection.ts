import { dirname, join, resolve } from "node:path";
import type { TurnContext } from "#agent";
import { isHostError, isInside, readTextIfExists, writeTarget } from "#host";
import type { Payload } from "#kernel";
import { bounded, includesOf, threatIn } from "./content.ts";
import type { ContextFileSettings } from "./settings.ts";

type Facts = Payload<"instructions_loaded">;

/** A file whose text is told to the model. */
export interface ContextFile {
  readonly path: string;
  readonly text: string;
  readonly memoryType: Facts["memoryType"];
  readonly loadReason: Facts["loadReason"];
  readonly parentFilePath?: string;
}

export interface Search {
  readonly settings: ContextFileSettings;
  readonly context: TurnContext;
  /** Real paths and texts of what the session has; nothing comes in twice. */
  readonly known: Set<string>;
  /** Includes of project files stay inside of it. */
  readonly root: string;
}

interface Wanted {
  readonly path: string;
  readonly memoryType: Facts["memoryType"];
  readonly loadReason: Facts["loadReason"];
  readonly parentFilePath?: string;
  readonly depth: number;
}

const largestFile = 4 << 20;
const deepestInclude = 5;
const mostFiles = 50;
const secretName =
  /^(?:\.env.*|id_(?:rsa|dsa|ecdsa|ed25519).*|.*\.(?:pem|key|p12|pfx)|\.netrc|\.pgpass|credentials.*)$/i;

/** Reads a file with what it includes; empty where there is none, it is known already or it cannot be used. */
export async function collect(wanted: Wanted, search: Search): Promise<readonly ContextFile[]> {
  const text = await read(wanted, search);
  if (text === undefined) return [];
  const { depth, ...facts } = wanted;
  const files: ContextFile[] = [{ ...facts, text: bounded(text, search.settings.maxCharacters, wanted.path) }];
  if (!/CLAUDE(?:\.local)?\.md$/i.test(wanted.path) && depth === 0) return files;
  for (const path of includesOf(text)) {
    if (search.known.size > mostFiles * 2) break;
    const next = await included(path, wanted, search);
    if (next !== undefined) files.push(...(await collect(next, search)));
  }
  return files;
}

async function included(path: string, parent: Wanted, search: Search): Promise<Wanted | undefined> {
  const { userHome } = search.settings;
  const target = path.startsWith("~/") ? join(userHome, path.slice(2)) : resolve(dirname(parent.path), path);
  if (parent.depth >= deepestInclude) {
    warn(search, `${parent.path} includes ${path} more than ${deepestInclude} levels deep; it is left out.`);
    return undefined;
  }
  const place = parent.memoryType === "User" ? userHome : search.root;
  if (secretName.test(target.split("/").at(-1) ?? "") || !(await leadsInto(target, place))) {
    warn(
      search,
      `${parent.path} includes ${path}, which lies outside of ${place} or may hold secrets; it is left out.`,
    );
    return undefined;
  }
  const { memoryType } = parent;
  return { path: target, memoryType, loadReason: "include", parentFilePath: parent.path, depth: parent.depth + 1 };
}

async function leadsInto(path: string, folder: string): Promise<boolean> {
  try {
    const [target, root] = await Promise.all([writeTarget(path), writeTarget(folder)]);
    return isInside(target, root);
  } catch (error) {
    if (isHostError(error)) return false;
    throw error;
  }
}

async function read(wanted: Wanted, search: Search): Promise<string | undefined> {
  const { path } = wanted;
  try {
    const found = await readTextIfExists(path, { maxBytes: largestFile });
    const text = found?.text.replaceAll("\r\n", "\n").trim();
    if (text === undefined || text === "") return undefined;
    const target = await writeTarget(path);
    if (search.known.has(target) || search.known.has(text)) return undefined;
    search.known.add(target).add(text);
    const threat = wanted.memoryType === "User" ? undefined : threatIn(text);
    if (threat === undefined) return text;
    warn(search, `${path} is not used: it holds ${threat}.`);
    return `[The content of this file is withheld: it holds ${threat}.]`;
  } catch (error) {
    if (!isHostError(error)) throw error;
    warn(search, `A file of instructions is not used: ${error.message}`);
    return undefined;
  }
}

function warn({ context }: Search, text: string): void {
  context.surface.emit({ type: "notice", level: "warning", text });
}
