import { createHash } from "node:crypto";
import { delimiter, join } from "node:path";
import { type Environment, fileFacts, isHostError, readBytes, writeTarget } from "#host";
import { commandWords, type ProgramRule, type ScriptPlace } from "./script-path.ts";

/** What a rule ran when it was approved. */
export interface Pin {
  readonly event: string;
  readonly command: string;
  readonly args: readonly string[] | null;
  /** The program that the command starts, links followed; null where it is not to be found. */
  readonly interpreter: string | null;
  /** The files that the command names. */
  readonly files: readonly PinnedFile[];
  readonly pinnedAt: string;
}

export interface PinnedFile {
  readonly path: string;
  readonly sha256: string;
}

const mostBytes = 64 << 20;

export const pinKey = (rule: {
  readonly event: string;
  readonly command: string;
  readonly args?: readonly string[] | null | undefined;
}): string => JSON.stringify([rule.event, rule.command, rule.args ?? null]);

export const keyOfRule = (rule: ProgramRule): string =>
  pinKey({ event: rule.eventName, command: rule.command, args: rule.args });

/** Hashes of files, taken again only where a look shows that the file is another one. */
export interface Hashes {
  /** Undefined where there is no such file. Throws a `HostError` where it cannot be read. */
  of(path: string): Promise<string | undefined>;
}

/** A file that changed so lately may change again without a trace. */
const unsettledMs = 50;

export function hashes(now: () => number): Hashes {
  const known = new Map<string, { readonly stamp: string; readonly hash: string }>();
  return {
    async of(path) {
      const facts = await fileFacts(path);
      if (facts?.kind !== "file") return undefined;
      const stamp = [facts.identity, facts.bytes, facts.modifiedMs, facts.changedMs].join(" ");
      const before = known.get(path);
      if (before?.stamp === stamp) return before.hash;
      const hash = sha256(await readBytes(path, { maxBytes: mostBytes }));
      if (now() - facts.changedMs > unsettledMs) known.set(path, { stamp, hash });
      return hash;
    },
  };
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The program's real path: as a path, else on PATH. */
async function programPath(program: string, { PATH = "" }: Environment): Promise<string | null> {
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  const candidates = program.includes("/") ? [program] : folders.map((folder) => join(folder, program));
  const runnable = await Promise.all(candidates.map(isRunnable));
  const found = candidates[runnable.indexOf(true)];
  return found === undefined ? null : writeTarget(found);
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    const facts = await fileFacts(path);
    return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return false; // a folder of PATH that may not be entered
  }
}

/** What a rule would run now. */
export async function currentPin(rule: ProgramRule, place: ScriptPlace, known: Hashes): Promise<Running> {
  const { program, paths } = commandWords(rule, place);
  const interpreter = await programPath(program, place.environment);
  const files: PinnedFile[] = [];
  for (const path of new Set(paths)) {
    const hash = await hashIfReadable(path, known);
    if (hash !== undefined) files.push({ path, sha256: hash });
  }
  const real = await Promise.all(files.map(({ path }) => writeTarget(path)));
  // A program of the system beside a script is named by its path; alone it is the script.
  const own = files.filter((_, index) => files.length === 1 || real[index] !== interpreter);
  return { event: rule.eventName, command: rule.command, args: rule.args ?? null, interpreter, files: own };
}

async function hashIfReadable(path: string, known: Hashes): Promise<string | undefined> {
  try {
    return await known.of(path);
  } catch (error) {
    if (!isHostError(error)) throw error;
    return undefined; // a word that is no file of ours, such as a folder that may not be entered
  }
}

type Running = Omit<Pin, "pinnedAt">;

export const pathsOf = (pin: Pick<Pin, "files">): string => JSON.stringify(pin.files.map(({ path }) => path));

/** Why what would run now is none of what was approved; undefined where it is. */
export function breachOf(current: Running, pins: readonly Pin[]): string | undefined {
  const isSame = (pin: Pin): boolean =>
    pin.interpreter === current.interpreter && JSON.stringify(pin.files) === JSON.stringify(current.files);
  if (pins.some(isSame)) return undefined;
  const nearest = pins.find((pin) => pathsOf(pin) === pathsOf(current)) ?? pins[0];
  if (nearest === undefined) return undefined;
  const hashNow = new Map(current.files.map(({ path, sha256: hash }) => [path, hash]));
  for (const { path, sha256: approved } of nearest.files) {
    const hash = hashNow.get(path);
    hashNow.delete(path);
    if (hash === undefined) return `${path} is gone, cannot be read, or is not what the command names here`;
    if (hash !== approved) return `${path} has changed since it was approved`;
  }
  const [added] = hashNow.keys();
  if (added !== undefined) return `${added} was not approved`;
  return `its program is now ${current.interpreter ?? "not to be found"}, and ${nearest.interpreter ?? "nothing"} was approved`;
}
