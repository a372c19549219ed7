import { dirname, join } from "node:path";
import { copyTree, type Environment, ensureDirectory, fileFacts, isInside, list, realPath } from "#host";
import type { Address } from "./address.ts";
import { InstallError } from "./error.ts";
import { runProgram } from "./run-program.ts";

/** Folders that are not taken over. */
export const leftOut: ReadonlySet<string> = new Set([".git", "__pycache__", ".install"]);

export interface Fetched {
  /** The plugin's own folder, below the working folder. */
  readonly folder: string;
  /** The commit, where git has one. */
  readonly commit?: string;
}

export interface FetchPlace {
  /** An empty folder that is removed afterwards. */
  readonly work: string;
  readonly environment: Environment;
}

const gitLimitMs = 60_000;
const tarLimitMs = 60_000;

const mostMegabytes = 256;

/** The sum of what `tar -tv` lists, in the form of GNU's tar or of libarchive's. */
function unpackedBytes(listing: string): number {
  let sum = 0;
  for (const line of listing.split("\n"))
    sum += Number(/^\S+\s+(?:\S+\/\S+|\d+\s+\S+\s+\S+)\s+(\d+)\s/.exec(line)?.[1] ?? 0);
  return sum;
}

/** Gets what is at an address into the working folder. Nothing of it is run. */
export async function fetchPlugin(address: Exclude<Address, { kind: "npm" }>, place: FetchPlace): Promise<Fetched> {
  const whole = join(place.work, "whole");
  if (address.kind === "git") {
    const commit = await clone(address, whole, place);
    return { folder: await subfolderOf(whole, address.subfolder, address.url), commit };
  }
  if (address.kind === "folder") {
    const from = await subfolderOf(address.path, address.subfolder, address.path);
    if (isInside(place.work, await realPath(from)))
      throw new InstallError("bad_address", `${from} holds the folder that plugins are installed into`);
    await copyTree(from, whole, leftOut);
    return { folder: whole };
  }
  await ensureDirectory(whole);
  const run = { cwd: place.work, environment: place.environment, limitMs: tarLimitMs };
  const megabytes = Math.round(unpackedBytes(await runProgram("tar", ["-tvf", address.path], run)) / 1e6);
  if (megabytes > mostMegabytes)
    throw new InstallError(
      "fetch_failed",
      `${address.path} unpacks to ${megabytes} MB: a plugin may have ${mostMegabytes} MB`,
    );
  await runProgram("tar", ["-xf", address.path, "-C", whole, "--no-same-owner"], run);
  return { folder: await subfolderOf(await onlyFolder(whole), address.subfolder, address.path) };
}

async function clone(
  { url, ref }: Extract<Address, { kind: "git" }>,
  whole: string,
  { environment }: FetchPlace,
): Promise<string> {
  const run = {
    cwd: dirname(whole),
    environment,
    limitMs: gitLimitMs,
    extra: {
      GIT_TERMINAL_PROMPT: "0",
      GIT_SSH_COMMAND: environment["GIT_SSH_COMMAND"] ?? "ssh -o BatchMode=yes",
      LC_ALL: "C",
    },
  };
  const branch = ref === undefined ? [] : ["--branch", ref];
  await runProgram("git", ["clone", "--quiet", "--depth", "1", ...branch, "--", url, whole], run);
  return (await runProgram("git", ["-C", whole, "rev-parse", "HEAD"], run)).trim();
}

/** Archives of packages hold one folder with everything in it. */
async function onlyFolder(whole: string): Promise<string> {
  const entries = await list(whole);
  const [first] = entries;
  if (first === undefined) throw new InstallError("not_a_plugin", "the archive is empty");
  return entries.length === 1 && first.kind === "directory" ? join(whole, first.name) : whole;
}

/** The subfolder, which must be in the folder even after all links are followed. */
async function subfolderOf(whole: string, subfolder: string | undefined, from: string): Promise<string> {
  if (subfolder === undefined) return whole;
  const path = join(whole, subfolder);
  const outside = new InstallError("outside", `${subfolder} leads out of ${from}`);
  if (!isInside(path, whole)) throw outside;
  if ((await fileFacts(path))?.kind !== "directory")
    throw new InstallError("not_found", `there is no folder ${subfolder} in ${from}`);
  const real = await realPath(path);
  if (!isInside(real, await realPath(whole))) throw outside;
  return real;
}
