import { join } from "node:path";
import { existsNow, fileFacts, readTextIfExists, remove, writeAtomic } from "#host";
import type { Candidate } from "./manifest.ts";

interface Held {
  /** ` file:line`, empty where it is not known. */
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

type Rows = Readonly<Record<string, Held>>;

export const heldFile = (home: string): string => join(home, "held-plugins.json");

/** Why a plugin is left out for which a watchdog ended the program; undefined where it is not, or its file has changed. */
export async function heldReason(home: string, { key, code }: Candidate): Promise<string | undefined> {
  // Asked for each plugin of a start, and there is hardly ever such a file.
  if (!existsNow(heldFile(home))) return undefined;
  const rows = await readHeld(home);
  const held = Object.hasOwn(rows, key) ? rows[key] : undefined;
  if (held === undefined) return undefined;
  const entry = code.language === "typescript" ? code.entry : undefined;
  const facts = entry === undefined ? undefined : await fileFacts(entry).catch(() => undefined);
  if (facts !== undefined && facts.changedMs > held.at) return undefined;
  const where = held.place === "" ? "" : ` at ${held.place}`;
  return `held back: it stood still${where}, and the program had to be ended; change it, or run \`talaria plugins enable ${key}\``;
}

/** Takes a plugin in again. */
export async function releaseHeld(home: string, key: string): Promise<void> {
  const rows = await readHeld(home);
  if (!Object.hasOwn(rows, key)) return;
  const { [key]: _released, ...rest } = rows;
  if (Object.keys(rest).length === 0) await remove(heldFile(home));
  else await writeAtomic(heldFile(home), `${JSON.stringify(rest, null, 2)}\n`, { mode: 0o600 });
}

async function readHeld(home: string): Promise<Rows> {
  try {
    const value: unknown = JSON.parse((await readTextIfExists(heldFile(home)))?.text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Rows) : {};
  } catch {
    return {}; // a file that somebody broke holds nothing back
  }
}
