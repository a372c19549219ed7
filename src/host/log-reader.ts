import { open } from "node:fs/promises";
import { sleep } from "./clock.ts";
import { fileError, isHostError, systemCode } from "./error.ts";
import { type LogLevel, logLevel, logLevels } from "./log.ts";

export interface LogRecord {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  /** All else that the line holds. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface LogReading {
  /** Records from the end with which to begin; 50. */
  readonly last?: number;
  readonly level?: LogLevel;
  /** Go on with what is added, across rotations, until aborted. */
  readonly follow?: AbortSignal;
}

function parseRecord(line: string): LogRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== "object" || value === null) return undefined;
    const { time, level, message, ...fields } = value as Readonly<Record<string, unknown>>;
    const known = typeof level === "string" ? logLevel(level) : undefined;
    if (known === undefined || typeof message !== "string") return undefined;
    return { time: typeof time === "string" ? time : "", level: known, message, fields };
  } catch {
    // A line that another program wrote, or half of one: shown as it is.
    return { time: "", level: "info", message: line, fields: {} };
  }
}

interface Piece {
  readonly text: string;
  readonly end: number;
  readonly inode: number;
}

/** Bytes from `from` to the end of the file; undefined when it does not exist. A `from` beyond the end means a new file. */
async function readFrom(file: string, from: (size: number, inode: number) => number): Promise<Piece | undefined> {
  try {
    await using handle = await open(file, "r");
    const { size, ino } = await handle.stat();
    const start = from(size, ino);
    const buffer = Buffer.alloc(Math.min(Math.max(0, size - start), 4 << 20));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    const whole = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    return { text: buffer.toString("utf8", 0, whole), end: start + whole, inode: ino };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fileError("read", file, error);
  }
}

const recordsOf = (text: string, level: LogLevel): readonly LogRecord[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map(parseRecord)
    .filter((record) => record !== undefined)
    .filter((record) => logLevels.indexOf(record.level) >= logLevels.indexOf(level));

/** The last records of a log and, with `follow`, those that come after. A missing file is an empty log. */
export async function* readLog(file: string, reading: LogReading = {}): AsyncGenerator<LogRecord> {
  const level = reading.level ?? "debug";
  const first = await readFrom(file, (size) => Math.max(0, size - (4 << 20)));
  const last = recordsOf(first?.text ?? "", level);
  yield* last.slice(Math.max(0, last.length - (reading.last ?? 50)));
  const { follow } = reading;
  let place = first;
  while (follow !== undefined && !follow.aborted) {
    const { end, inode } = place ?? { end: 0, inode: -1 };
    const more = await readFrom(file, (size, now) => (now === inode && size >= end ? end : 0));
    if (more !== undefined) {
      place = more;
      yield* recordsOf(more.text, level);
      if (more.text !== "") continue;
    }
    if (await isOver(follow)) return;
  }
}

async function isOver(signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(150, signal);
    return false;
  } catch (error) {
    if (isHostError(error, "aborted")) return true;
    throw error;
  }
}
