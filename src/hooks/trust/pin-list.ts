import { join } from "node:path";
import { ensureDirectory, isHostError, now, readBytes, readText, readTextIfExists, withLock, writeAtomic } from "#host";
import { isObject, isTexts } from "../sources/fields.ts";
import {
  breachOf,
  currentPin,
  type Hashes,
  hashes,
  keyOfRule,
  type Pin,
  type PinnedFile,
  pathsOf,
  pinKey,
  sha256,
} from "./pin.ts";
import type { ProgramRule, ScriptPlace } from "./script-path.ts";

/** `hooks.lock` of the home and the copies of what it names: docs/reference/trust.md. */
export interface PinList {
  readonly file: string;
  read(): Promise<PinsRead>;
  /** Approves what the rules run now. Throws a `HostError` where that cannot be read or written. */
  pin(rules: readonly ProgramRule[]): Promise<readonly Pin[]>;
  /** How many pins there were. */
  unpin(rules: readonly ProgramRule[]): Promise<number>;
  /** Why a rule does not run what was approved: a look at its files, and a hash where one is another. */
  breachOf(rule: ProgramRule, pins: readonly Pin[]): Promise<string | undefined>;
  /** What changed in the files of a pin since they were approved, as one text. */
  difference(pin: Pin): Promise<string>;
}

export interface PinsRead {
  /** By `keyOfRule`; several where the same command names other files in other projects. */
  readonly pins: ReadonlyMap<string, readonly Pin[]>;
  /** The file is there and cannot be read: which rules were pinned is not known. */
  readonly broken: string | undefined;
}

/** Longer files are pinned by their hash alone. */
const mostCopyBytes = 1 << 20;

const pinListFile = (home: string): string => join(home, "hooks.lock");

export function pinList(home: string, place: ScriptPlace): PinList {
  const file = pinListFile(home);
  const copies = join(home, "hook-pins");
  const known: Hashes = hashes(now);
  const change = async (edit: (pins: Map<string, readonly Pin[]>) => void): Promise<void> => {
    await ensureDirectory(home, 0o700);
    await withLock(`${file}.lock`, async () => {
      const pins = new Map((await readPins(file)).pins);
      edit(pins);
      await writeAtomic(
        file,
        `${JSON.stringify({ version: 1, pins: [...pins.values()].flat().map(written) }, null, 2)}\n`,
        {
          mode: 0o600,
        },
      );
    });
  };
  return {
    file,
    read: () => readPins(file),
    async pin(rules) {
      const pins: Pin[] = [];
      for (const rule of rules) {
        const pin = await currentPin(rule, place, known);
        await keepCopies(copies, pin.files);
        pins.push({ ...pin, pinnedAt: new Date(now()).toISOString() });
      }
      await change((all) => {
        for (const pin of pins) {
          const others = (all.get(pinKey(pin)) ?? []).filter((other) => pathsOf(other) !== pathsOf(pin));
          all.set(pinKey(pin), [...others, pin]);
        }
      });
      return pins;
    },
    async unpin(rules) {
      let count = 0;
      await change((all) => {
        for (const rule of rules) {
          count += all.get(keyOfRule(rule))?.length ?? 0;
          all.delete(keyOfRule(rule));
        }
      });
      return count;
    },
    breachOf: async (rule, pins) => breachOf(await currentPin(rule, place, known), pins),
    difference: (pin) => differenceOf(copies, pin),
  };
}

async function keepCopies(folder: string, files: readonly PinnedFile[]): Promise<void> {
  await ensureDirectory(folder, 0o700);
  for (const { path, sha256: hash } of files) {
    try {
      const bytes = await readBytes(path, { maxBytes: mostCopyBytes });
      if (sha256(bytes) === hash) await writeAtomic(join(folder, hash), bytes, { mode: 0o600 });
    } catch (error) {
      if (!isHostError(error, "too_large")) throw error;
    }
  }
}

async function differenceOf(copies: string, pin: Pin): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const parts: string[] = [];
  for (const { path, sha256: hash } of pin.files) {
    const [before, after] = await Promise.all([textOf(join(copies, hash)), textOf(path)]);
    if (before === after) continue;
    if (before === undefined || after === undefined) parts.push(`${path}: there is no text to compare\n`);
    else
      parts.push(
        createTwoFilesPatch(path, path, before, after, "approved", "now", { context: 3, timeout: 1000 }) ??
          `${path}: too different to be shown\n`,
      );
  }
  return parts.join("");
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return (await readText(path, { maxBytes: mostCopyBytes })).text;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return undefined; // gone, too long or no text: the caller says so
  }
}

const written = (pin: Pin): object => ({
  event: pin.event,
  command: pin.command,
  args: pin.args,
  interpreter: pin.interpreter,
  files: pin.files,
  pinned_at: pin.pinnedAt,
});

async function readPins(file: string): Promise<PinsRead> {
  const none: PinsRead["pins"] = new Map();
  try {
    const text = (await readTextIfExists(file, { maxBytes: 8 << 20 }))?.text;
    if (text === undefined) return { pins: none, broken: undefined };
    const content: unknown = JSON.parse(text);
    if (!isObject(content) || !Array.isArray(content["pins"]))
      return { pins: none, broken: `${file} holds no list of pins; pin the hooks anew, or delete it` };
    return { pins: Map.groupBy(content["pins"].flatMap(pinOf), pinKey), broken: undefined };
  } catch (error) {
    if (!isHostError(error) && !(error instanceof SyntaxError)) throw error;
    return { pins: none, broken: `${file} cannot be read (${error.message}); pin the hooks anew, or delete it` };
  }
}

function pinOf(entry: unknown): readonly Pin[] {
  if (!isObject(entry)) return [];
  const { event, command, args, interpreter, files, pinned_at: at } = entry;
  if (typeof event !== "string" || typeof command !== "string" || !Array.isArray(files)) return [];
  return [
    {
      event,
      command,
      args: isTexts(args) ? args : null,
      interpreter: typeof interpreter === "string" ? interpreter : null,
      files: files.filter(isPinnedFile),
      pinnedAt: typeof at === "string" ? at : "",
    },
  ];
}

const isPinnedFile = (file: unknown): file is PinnedFile =>
  isObject(file) && typeof file["path"] === "string" && typeof file["sha256"] === "string";
