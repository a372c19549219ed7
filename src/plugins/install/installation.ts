import { basename, join } from "node:path";
import {
  type Environment,
  ensureDirectory,
  exists,
  fileFacts,
  list,
  now,
  readTextIfExists,
  removeTree,
  temporaryFolder,
} from "#host";
import type { Manifest, PluginCode } from "../manifest.ts";
import { readFolder } from "../manifest-reader.ts";
import { type Address, lastPart } from "./address.ts";
import { InstallError } from "./error.ts";
import { fetchPlugin } from "./fetch.ts";
import { digests, type Provenance, readProvenance, writeProvenance } from "./provenance.ts";
import { type Review, review } from "./review.ts";
import { carryOver, checkName, copyExamples, removeFolder, swap } from "./target.ts";

export interface InstallPlace {
  /** `<home>/plugins`. */
  readonly plugins: string;
  readonly environment: Environment;
}

/** A plugin that was got and looked at, and is not in its place yet. */
export interface Prepared {
  readonly name: string;
  readonly target: string;
  readonly review: Review;
  /** A plugin of this name is there. */
  readonly exists: boolean;
  /** Of an update: the same commit, or the same files. */
  readonly isSame: boolean;
  /** Puts it in its place. */
  commit(): Promise<Installed>;
  /** Leaves everything as it was. */
  discard(): Promise<void>;
}

export interface Installed {
  readonly name: string;
  readonly folder: string;
  /** Files made from `*.example`. */
  readonly examples: readonly string[];
  /** Files of the person that the update took over. */
  readonly carried: readonly string[];
  /** What `after-install.md` says. */
  readonly afterInstall: string | undefined;
}

type Origin = Exclude<Address, { kind: "npm" }>;

/** Gets a plugin and reads what it is. Nothing is in its place before `commit`; `discard` takes the rest away. */
export function prepareInstall(origin: Origin, place: InstallPlace): Promise<Prepared> {
  return inWorkFolder(place, async (work) => {
    const found = await fetched(origin, work, place);
    const name = checkName(found.manifest.raw["name"] === undefined ? lastPart(origin) : found.manifest.name);
    const target = join(place.plugins, name);
    return prepared(found, { name, target, work, origin, installed: undefined });
  });
}

/** Gets an installed plugin anew from where it came from. Rejects with `no_origin` where that is not known. */
export async function prepareUpdate(folder: string, place: InstallPlace): Promise<Prepared> {
  const installed = await readProvenance(folder);
  if (installed === undefined)
    throw new InstallError(
      "no_origin",
      `${folder} was not put there by 'talaria plugins install', so it is not known where to get it: update it by hand`,
    );
  return inWorkFolder(place, async (work) => {
    const found = await fetched(installed.address, work, place);
    return prepared(found, { name: basename(folder), target: folder, work, origin: installed.address, installed });
  });
}

/** Takes an installed plugin away. */
export async function removeInstalled(folder: string): Promise<void> {
  if (!(await exists(folder))) throw new InstallError("not_installed", `there is no plugin in ${folder}`);
  await removeFolder(folder);
}

async function inWorkFolder(place: InstallPlace, use: (work: string) => Promise<Prepared>): Promise<Prepared> {
  await ensureDirectory(place.plugins);
  const work = await temporaryFolder(place.plugins, ".install-");
  try {
    return await use(work);
  } catch (error) {
    await removeTree(work);
    throw error;
  }
}

interface Found {
  readonly folder: string;
  readonly commit: string | undefined;
  readonly manifest: Manifest;
  readonly code: PluginCode;
  readonly review: Review;
  readonly files: Readonly<Record<string, string>>;
}

async function fetched(origin: Origin, work: string, { environment }: InstallPlace): Promise<Found> {
  const { folder, commit } = await fetchPlugin(origin, { work, environment });
  const { manifest, code } = await readPlugin(folder);
  await removeTree(join(folder, ".git"));
  const files = await digests(folder);
  return { folder, commit, manifest, code, review: await review(folder, { manifest, code }), files };
}

/** Reads a folder as a plugin; rejects where it is none, or one for a newer program. */
export async function readPlugin(folder: string): Promise<{ readonly manifest: Manifest; readonly code: PluginCode }> {
  const entries = await list(folder);
  const reading = await readFolder(folder, new Set(entries.map(({ name }) => name)));
  if (reading.state === "broken") throw new InstallError("not_a_plugin", reading.problem);
  if (reading.state === "none") throw new InstallError("not_a_plugin", await whyNone(folder));
  const { manifest_version: version } = reading.manifest.raw;
  if (version !== undefined && (!Number.isInteger(version) || (version as number) > 1))
    throw new InstallError(
      "too_new",
      `the manifest has manifest_version ${JSON.stringify(version)}; this program reads up to 1: update it, or take an older plugin`,
    );
  return reading;
}

/** A repository of several plugins is told which folders to ask for. */
async function whyNone(folder: string): Promise<string> {
  const inner: string[] = [];
  for (const { name, kind } of await list(folder))
    if (kind === "directory" && (await fileFacts(join(folder, name, "plugin.yaml"))) !== undefined) inner.push(name);
  const hint =
    inner.length === 0
      ? ": name the folder that holds it, in a repository as <address>#<folder>; 'talaria plugins create <name>' writes a new plugin"
      : `; these folders in it are plugins: ${inner.slice(0, 20).join(", ")}: name one`;
  return `there is no plugin.yaml, and no package.json with "talaria"${hint}`;
}

interface Plan {
  readonly name: string;
  readonly target: string;
  readonly work: string;
  readonly origin: Origin;
  readonly installed: Provenance | undefined;
}

async function prepared(found: Found, { name, target, work, origin, installed }: Plan): Promise<Prepared> {
  const { folder, commit, files } = found;
  return {
    name,
    target,
    review: found.review,
    exists: await exists(target),
    isSame: installed !== undefined && JSON.stringify(installed.files) === JSON.stringify(files),
    async commit() {
      try {
        const carried = installed === undefined ? [] : await carryOver(target, folder, installed);
        const examples = await copyExamples(folder);
        await writeProvenance(folder, {
          version: 1,
          address: origin,
          ...(commit === undefined ? {} : { commit }),
          installedAt: new Date(now()).toISOString(),
          files,
        });
        await swap(folder, target);
        const afterInstall = (await readTextIfExists(join(target, "after-install.md")))?.text;
        return { name, folder: target, examples, carried, afterInstall };
      } finally {
        await removeTree(work);
      }
    },
    discard: () => removeTree(work),
  };
}
