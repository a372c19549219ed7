import { appendFile, open } from "node:fs/promises";
import { fileError, systemCode } from "./error.ts";

export interface LineFile {
  readonly bytes: number;
  /** Without its line break; undefined when the file holds no whole line. */
  readonly lastLine: string | undefined;
}

const CHUNK = 65_536;
const LINE_BREAK = 10;

/**
 * Looks at the end of a file of lines and mends what a killed process left there: a last line without its break
 * is kept and completed when `isWhole` says so, else cut off. Undefined when there is no such file.
 */
export async function mendLineFile(path: string, isWhole: (line: string) => boolean): Promise<LineFile | undefined> {
  try {
    const file = await open(path, "r+");
    try {
      const { size } = await file.stat();
      const tail = await readTail(file, size);
      if (tail.torn.length > 0) {
        if (isWhole(tail.torn.toString("utf8"))) {
          await file.write("\n", size);
          return { bytes: size + 1, lastLine: tail.torn.toString("utf8") };
        }
        await file.truncate(size - tail.torn.length);
      }
      return { bytes: size - tail.torn.length, lastLine: tail.line?.toString("utf8") };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fileError("read and mend", path, error);
  }
}

interface Tail {
  readonly line: Buffer | undefined;
  /** What stands behind the last line break. */
  readonly torn: Buffer;
}

/** Reads backwards, in chunks, until a whole last line is there. */
async function readTail(file: Awaited<ReturnType<typeof open>>, size: number): Promise<Tail> {
  const chunks: Buffer[] = [];
  for (let end = size; end > 0; ) {
    const length = Math.min(CHUNK, end);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, end - length);
    chunks.unshift(buffer);
    end -= length;
    const breaks = chunks.reduce((sum, chunk) => sum + count(chunk), 0);
    if (breaks >= 2) break;
  }
  const tail = Buffer.concat(chunks);
  const last = tail.lastIndexOf(LINE_BREAK);
  if (last < 0) return { line: undefined, torn: tail };
  const before = last === 0 ? -1 : tail.lastIndexOf(LINE_BREAK, last - 1);
  return { line: tail.subarray(before + 1, last), torn: tail.subarray(last + 1) };
}

function count(chunk: Buffer): number {
  let breaks = 0;
  for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, at + 1)) breaks++;
  return breaks;
}

/** Appends text that ends in a line break in one write. The directory must exist; the file is made for its owner only. */
export async function appendText(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text, { mode: 0o600 });
  } catch (error) {
    throw fileError("append to", path, error);
  }
}
