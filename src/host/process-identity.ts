import { readFile, readlink } from "node:fs/promises";
import { systemCode } from "./error.ts";
import { processStart } from "./process-tree.ts";

/** Tells one process from every other that had or will have its number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own terms. */
  readonly start: string;
  /** Names the boot of the machine and the process space; a container that was started anew has another. */
  readonly boot: string;
}

let own: Promise<ProcessIdentity> | undefined;

export function ownIdentity(): Promise<ProcessIdentity> {
  own ??= Promise.all([processStart(process.pid), boot()]).then(([start, boot]) => ({
    pid: process.pid,
    start: start ?? "",
    boot,
  }));
  return own;
}

/** False when the process is gone, also where another one has its number now. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const self = await ownIdentity();
  if (identity.boot !== self.boot) return false;
  if (identity.pid === self.pid) return identity.start === self.start;
  // Where start times cannot be read, the number has to do.
  if (identity.start === "") return answers(identity.pid);
  return (await processStart(identity.pid)) === identity.start;
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

async function boot(): Promise<string> {
  if (process.platform !== "linux") return process.platform;
  const parts = [readFile("/proc/sys/kernel/random/boot_id", "utf8"), readlink("/proc/self/ns/pid")];
  const read = await Promise.allSettled(parts);
  return read.map((part) => (part.status === "fulfilled" ? part.value.trim() : "")).join(" ");
}
