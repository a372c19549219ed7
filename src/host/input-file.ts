import { closeSync, constants, openSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";

/** Linux's O_TMPFILE: a file without a name, gone with its last descriptor. */
const nameless = 0o20200000;

/**
 * What a child reads as its standard input, in a file in memory: unlike a socket it can be opened by name
 * (`cat /dev/stdin`), and a reader that stops early stops nobody. A descriptor to be closed here once the child has it;
 * undefined where there are no such files or no room.
 */
export async function inputFile(input: string | Uint8Array): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  for (const directory of ["/dev/shm", tmpdir()]) {
    const descriptor = await write(directory, input).catch(() => undefined); // full or not there: the next place, then a pipe
    if (descriptor !== undefined) return descriptor;
  }
  return undefined;
}

async function write(directory: string, input: string | Uint8Array): Promise<number> {
  const file = await open(directory, constants.O_RDWR | nameless, 0o600);
  try {
    await file.writeFile(input);
    return openSync(`/proc/self/fd/${file.fd}`, constants.O_RDONLY);
  } finally {
    await file.close();
  }
}

/** The same at once, for an input that is short enough to be written to memory while everybody waits; a descriptor of ours. */
export function inputFileNow(input: string): number | undefined {
  if (process.platform !== "linux") return undefined;
  let descriptor: number | undefined;
  try {
    descriptor = openSync("/dev/shm", constants.O_RDWR | nameless, 0o600);
    const bytes = Buffer.from(input);
    if (writeSync(descriptor, bytes) === bytes.length) return descriptor;
  } catch {
    // full or not there: a pipe of Node serves
  }
  if (descriptor !== undefined) closeSync(descriptor);
  return undefined;
}
