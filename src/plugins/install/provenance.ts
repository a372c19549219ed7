import { createHash } from "node:crypto";
import { join } from "node:path";
import { readBytes, readTextIfExists, walkTree, writeAtomic } from "#host";
import type { Address } from "./address.ts";
import { InstallError } from "./error.ts";
import { leftOut } from "./fetch.ts";

/** Where an installed plugin came from, so that it can be got anew. Kept in the plugin's folder. */
export interface Provenance {
  readonly version: 1;
  readonly address: Exclude<Address, { kind: "npm" }>;
  readonly commit?: string;
  readonly installedAt: string;
  /** SHA-256 of each file as it was installed. */
  readonly files: Readonly<Record<string, string>>;
}

const provenanceName = ".talaria-install.json";
const hashedAtMost = 5000;

export async function readProvenance(folder: string): Promise<Provenance | undefined> {
  const path = join(folder, provenanceName);
  const text = (await readTextIfExists(path))?.text;
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as Provenance;
    if (read.version === 1 && typeof read.address?.kind === "string") return read;
  } catch (cause) {
    throw new InstallError("no_origin", `${path} is broken: install the plugin anew with --force`, cause);
  }
  throw new InstallError("no_origin", `${path} was written by another version: install the plugin anew with --force`);
}

export async function writeProvenance(folder: string, provenance: Provenance): Promise<void> {
  await writeAtomic(join(folder, provenanceName), `${JSON.stringify(provenance, null, 2)}\n`);
}

/** The plain files of a folder with their digests. */
export async function digests(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { path, kind } of await walkTree(folder, { without: leftOut, most: hashedAtMost })) {
    if (kind !== "file" || path === provenanceName) continue;
    found[path] = createHash("sha256")
      .update(await readBytes(join(folder, path)))
      .digest("hex");
  }
  return found;
}
