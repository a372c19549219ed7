import { appendFile, copyFile, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const categories = ["temp", "test", "research", "download", "chrome-profile", "cron-output", "other"] as const;
export type Category = (typeof categories)[number];

export const isCategory = (value: unknown): value is Category => categories.some((one) => one === value);

/** A line of `tracked.json`, as Hermes Agent writes it. */
export interface Tracked {
  readonly path: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly category: Category;
  /** Bytes, 0 for folders. */
  readonly size: number;
}

/** Those of the paths that are there. */
export async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => isThere(path)));
  return paths.filter((_, index) => found[index]);
}

export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** `disk-cleanup/` in the home: what is tracked, and a log of what was done. */
export interface Ledger {
  read(): Promise<readonly Tracked[]>;
  /** One change after another; each sees the one before. */
  change<T>(
    change: (tracked: readonly Tracked[]) => Promise<{ readonly tracked: readonly Tracked[]; readonly result: T }>,
  ): Promise<T>;
  log(message: string): Promise<void>;
}

export function ledger(home: string): Ledger {
  const folder = join(home, "disk-cleanup");
  const file = join(folder, "tracked.json");
  let queue: Promise<unknown> = Promise.resolve();
  const log = async (message: string): Promise<void> => {
    await mkdir(folder, { recursive: true });
    const time = new Date().toISOString().slice(0, 19).replace("T", " ");
    await appendFile(join(folder, "cleanup.log"), `[${time}] ${message}\n`);
  };
  const read = async (): Promise<readonly Tracked[]> => {
    for (const from of [file, `${file}.bak`]) {
      const content = await readFile(from, "utf8").catch(() => undefined); // there is none yet
      const tracked = content === undefined ? undefined : parsed(content);
      if (tracked !== undefined) return tracked;
      if (content !== undefined) await log(`WARN: ${from} is broken`);
    }
    return [];
  };
  const write = async (tracked: readonly Tracked[]): Promise<void> => {
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.tmp`, JSON.stringify(tracked, undefined, 2));
    await copyFile(file, `${file}.bak`).catch(() => undefined); // there is none yet
    await rename(`${file}.tmp`, file);
  };
  return {
    read,
    log,
    change(change) {
      const done = queue.then(async () => {
        const { tracked, result } = await change(await read());
        await write(tracked);
        return result;
      });
      queue = done.catch(() => undefined); // whoever asked for the change is told
      return done;
    },
  };
}

function parsed(content: string): readonly Tracked[] | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return Array.isArray(value) ? value.filter(isTracked) : undefined;
  } catch {
    return undefined; // told in the log by the caller
  }
}

function isTracked(value: unknown): value is Tracked {
  if (typeof value !== "object" || value === null) return false;
  const { path, timestamp, category, size } = value as Readonly<Record<string, unknown>>;
  return typeof path === "string" && typeof timestamp === "string" && isCategory(category) && typeof size === "number";
}
