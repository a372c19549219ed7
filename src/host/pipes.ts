import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/*
 * Node connects children by socket pairs, and a socket cannot be opened by name: `echo … > /dev/stderr`, usual in scripts,
 * fails. These are true pipes. Node has no call that makes one, so a few named ones are made at once, kept by a handle that
 * counts neither as reader nor as writer, and their names taken away.
 */

/** Linux's O_PATH. */
const handleOnly = 0o10000000;
const batch = 12;

const free: number[] = [];
let growing: Promise<void> | undefined;
let unavailable = process.platform !== "linux";

/** Runs `mkfifo` with these arguments; false where it fails. */
export type MakePipes = (args: readonly string[]) => Promise<boolean>;

const makeByNode: MakePipes = (args) =>
  new Promise((resolve) => {
    execFile("mkfifo", args, (error) => resolve(error === null));
  });

async function grow(make: MakePipes): Promise<void> {
  let directory: string | undefined;
  try {
    directory = await mkdtemp(join(tmpdir(), "talaria-pipes-"));
    const names = Array.from({ length: batch }, (_, index) => join(directory ?? "", String(index)));
    const args = ["-m", "600", ...names];
    if (!(await make(args))) await makeByNode(args);
    for (const name of names) free.push(openSync(name, handleOnly));
  } catch {
    unavailable = true; // no mkfifo, no room for it or no /proc: socket pairs serve
  } finally {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  }
}

async function take(make = makeByNode): Promise<number | undefined> {
  while (free.length === 0 && !unavailable) {
    growing ??= grow(make).finally(() => {
      growing = undefined;
    });
    await growing;
  }
  return free.pop();
}

const openEnd = (handle: number, flags: number): number => openSync(`/proc/self/fd/${handle}`, flags);

/** A pipe whose writers open it by `path`; `reader` is our end, which never blocks. */
export interface NamedPipe {
  readonly path: string;
  readonly reader: number;
  /** Gives it back once `reader` is closed; it serves again only where all writers were seen to be gone. */
  release(isOver: boolean): void;
}

/** A pipe that another process of this user opens by its path; undefined where there are none. `make` spares a fork of Node. */
export async function namedPipe(make?: MakePipes): Promise<NamedPipe | undefined> {
  const handle = free.pop() ?? (await take(make));
  if (handle === undefined) return undefined;
  try {
    const reader = openEnd(handle, constants.O_RDONLY | constants.O_NONBLOCK);
    const path = `/proc/${process.pid}/fd/${handle}`;
    return { path, reader, release: (isOver) => (isOver ? void free.push(handle) : closeSync(handle)) };
  } catch {
    return giveUp(handle);
  }
}

/** One pipe: the child's end as a descriptor that must be closed here once the child has it, ours as a stream. */
export interface Pipe {
  readonly childEnd: number;
  readonly stream: Socket;
}

/** A pipe from a child to us; undefined where there are none. */
export async function outputPipe(): Promise<Pipe | undefined> {
  const handle = await take();
  if (handle === undefined) return undefined;
  try {
    const ours = openEnd(handle, constants.O_RDONLY | constants.O_NONBLOCK);
    const stream = new Socket({ fd: ours, readable: true, writable: false });
    const childEnd = openEnd(handle, constants.O_WRONLY);
    // The end of the text is the end of all writers: only then may the pipe serve again.
    let isOver = false;
    stream.once("end", () => {
      isOver = true;
    });
    stream.once("close", () => (isOver ? free.push(handle) : closeSync(handle)));
    return { childEnd, stream };
  } catch {
    return giveUp(handle);
  }
}

function giveUp(handle: number): undefined {
  unavailable = true;
  closeSync(handle);
  return undefined;
}
