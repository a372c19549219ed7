import { join } from "node:path";
import { ensureDirectory, readTextIfExists, writeAtomic } from "#host";
import { thrownText } from "../error.ts";
import type { Candidate } from "../manifest.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { Values } from "./messages.ts";
import { digest, type KeyPlace, registrationKey } from "./registration-key.ts";

/** What a plugin registered, in order, with callbacks counted from 0. */
export type Registrations = readonly Values[];

/** What plugins registered when they were last loaded, in `<home>/cache`. Nothing here rejects: without it Python starts. */
export interface RegistrationCache {
  /** Undefined where it cannot be known whether the plugin would register the same again. */
  keyOf(candidate: Candidate, context: PluginContext): Promise<string | undefined>;
  read(plugin: string, key: string): Promise<Registrations | undefined>;
  /** Undefined: what is known under this key holds no more. */
  write(plugin: string, key: string, registrations: Registrations | undefined): Promise<void>;
}

interface Kept {
  readonly key: string;
  /** Of `text`: a damaged file is as good as none. */
  readonly digest: string;
  /** The registrations as JSON. */
  readonly text: string;
}

/** Folders and environments for which a plugin's registrations are kept at the same time. */
const mostKept = 8;
const mostBytes = 16 << 20;

export function registrationCache(place: KeyPlace, log: (message: string) => void): RegistrationCache {
  const folder = join(place.home, "cache", "python-registrations");
  const fileOf = (plugin: string): string => join(folder, `${encodeURIComponent(plugin)}.json`);
  const kept = async (plugin: string): Promise<readonly Kept[]> => {
    try {
      const found = await readTextIfExists(fileOf(plugin), { maxBytes: mostBytes });
      return found === undefined ? [] : readKept(JSON.parse(found.text));
    } catch {
      return []; // unreadable, or damaged: it is written anew
    }
  };
  return {
    async keyOf(candidate, context) {
      try {
        return await registrationKey(candidate, context, place);
      } catch (error) {
        log(`what ${candidate.key} registers cannot be remembered: ${thrownText(error)}`);
        return undefined;
      }
    },
    async read(plugin, key) {
      const found = (await kept(plugin)).find((one) => one.key === key);
      return found === undefined ? undefined : (JSON.parse(found.text) as Registrations);
    },
    async write(plugin, key, registrations) {
      const before = await kept(plugin);
      const others = before.filter((one) => one.key !== key);
      if (registrations === undefined && others.length === before.length) return;
      const text = JSON.stringify(registrations);
      const all = registrations === undefined ? others : [{ key, digest: digest(text), text }, ...others];
      try {
        await ensureDirectory(folder);
        await writeAtomic(fileOf(plugin), `${JSON.stringify(all.slice(0, mostKept))}\n`, { mode: 0o600 });
      } catch (error) {
        log(`what ${plugin} registers could not be kept: ${thrownText(error)}`);
      }
    },
  };
}

function readKept(value: unknown): readonly Kept[] {
  return Array.isArray(value) ? value.filter(isKept) : [];
}

function isKept(value: unknown): value is Kept {
  const { key, digest: sum, text } = (value ?? {}) as Partial<Kept>;
  return typeof key === "string" && typeof text === "string" && sum === digest(text);
}
