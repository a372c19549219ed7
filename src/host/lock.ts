import { randomBytes } from "node:crypto";
import { link, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { sleep } from "./clock.ts";
import { fileError, HostError, systemCode } from "./error.ts";
import { processStart } from "./process-tree.ts";

export interface LockHolder {
  readonly pid: number;
  /** The system's start time of the process; a pid alone is used again. */
  readonly started: string;
  readonly host: string;
}

export interface Lock {
  release(): Promise<void>;
}

let own: Promise<LockHolder> | undefined;

function ownHolder(): Promise<LockHolder> {
  own ??= processStart(process.pid).then((started) => ({ pid: process.pid, started: started ?? "", host: hostname() }));
  return own;
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    if (typeof holder !== "object" || holder === null) return undefined;
    if (!("pid" in holder) || !("started" in holder) || !("host" in holder)) return undefined;
    const { pid, started, host } = holder;
    if (typeof pid !== "number" || typeof started !== "string" || typeof host !== "string") return undefined;
    return { pid, started, host };
  } catch {
    return undefined; // not written by us, or damaged: nobody can be holding it
  }
}

/** A holder on another machine cannot be looked at and counts as alive. */
async function isAlive(holder: LockHolder): Promise<boolean> {
  if (holder.host !== hostname()) return true;
  return (await processStart(holder.pid)) === holder.started;
}

/** Takes a lock file away whose holder is dead, but never one that was taken anew in the meantime. */
async function breakStale(path: string, judged: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw error;
  }
  const taken = await readFile(aside, "utf8");
  if (taken !== judged) {
    await link(aside, path).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw error;
    });
  }
  await unlink(aside);
}

/** Creates the file with its content in one step, so that nobody ever reads half of it. False when it exists. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, content, { flag: "wx", mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

/** One attempt: the lock, or who holds it. `path` is the lock file itself, whose directory must exist. */
export async function tryLock(path: string): Promise<Lock | { readonly holder: LockHolder }> {
  const content = JSON.stringify({ ...(await ownHolder()), key: randomBytes(6).toString("hex") });
  try {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      if (await createWhole(path, content)) return { release: () => release(path, content) };
      const present = await readFile(path, "utf8").catch((error: unknown) => {
        if (systemCode(error) === "ENOENT") return undefined;
        throw error;
      });
      if (present === undefined) continue;
      const holder = parseHolder(present);
      if (holder !== undefined && (await isAlive(holder))) return { holder };
      await breakStale(path, present);
    }
  } catch (error) {
    throw fileError("lock", path, error);
  }
  throw new HostError("locked", `cannot lock ${path}: too many processes want it`, { subject: path });
}

async function release(path: string, content: string): Promise<void> {
  const present = await readFile(path, "utf8").catch(() => undefined); // gone already: nothing to give back
  if (present === content) await unlink(path).catch(() => undefined);
}

/** Runs `action` while no other process or call holds the lock; waits at most `waitMs` (5 s), then throws `locked`. */
export async function withLock<T>(path: string, action: () => Promise<T>, waitMs = 5000): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let pause = 5; ; pause = Math.min(100, pause * 2)) {
    const lock = await tryLock(path);
    if ("release" in lock) {
      try {
        return await action();
      } finally {
        await lock.release();
      }
    }
    if (performance.now() > deadline) {
      const { pid, host } = lock.holder;
      throw new HostError("locked", `${path} is held by process ${pid} on ${host}; try again when it is done`, {
        subject: path,
      });
    }
    await sleep(pause);
  }
}
