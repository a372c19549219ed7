import { appendFileSync } from "node:fs";
import { appendFile, rename, stat, unlink } from "node:fs/promises";
import { fileError, systemCode } from "./error.ts";
import { tryLock } from "./lock.ts";
import { redact, redactValue } from "./secrets.ts";

export const logLevels = ["debug", "info", "warning", "error"] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Settles when all that was said before is in the file, or could not be written. */
  flush(): Promise<void>;
  /** Why lines were lost since the start, undefined while none were. */
  readonly trouble: string | undefined;
}

export interface LogOptions {
  /** Its directory must exist. */
  readonly file: string;
  readonly level?: LogLevel;
  /** Size in bytes after which the file is put aside as `<file>.1`; 5 MB. */
  readonly maxBytes?: number;
  /** Files kept aside; 3. */
  readonly keep?: number;
  /** Switches the blanking of secrets off. */
  readonly isRaw?: boolean;
}

/** The level of a word of any spelling (`WARN`, `Warning`); undefined for other words. */
export function logLevel(word: string): LogLevel | undefined {
  const lower = word.trim().toLowerCase();
  if (lower === "warn") return "warning";
  return logLevels.find((level) => level === lower);
}

/** Characters of one text that are looked at at all: secrets are searched in each of them. */
const longestText = 64 * 1024;
const cut = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText)}… (${text.length} characters)`;

/** Errors as plain data, with their causes. */
function plainError(error: Error, depth = 0): LogFields {
  const code = systemCode(error);
  return {
    name: error.name,
    message: cut(String(error.message)),
    ...(code === undefined ? {} : { code }),
    ...(error.stack === undefined || depth > 0 ? {} : { stack: cut(String(error.stack)) }),
    ...(error.cause instanceof Error && depth < 5 ? { cause: plainError(error.cause, depth + 1) } : {}),
  };
}

function logLine(level: LogLevel, whole: string, fields: LogFields | undefined, isRaw: boolean): string {
  const message = cut(whole);
  const plain = Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, value]) => [name, value instanceof Error ? plainError(value) : value]),
  );
  const record = { time: new Date().toISOString(), level, message, ...plain, pid: process.pid };
  const clean = isRaw ? record : { ...(redactValue(record) as LogFields), message: redact(message) };
  try {
    return JSON.stringify(clean, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  } catch (error) {
    return JSON.stringify({
      time: record.time,
      level,
      message: redact(message),
      lost: String(error),
      pid: process.pid,
    });
  }
}

const longestLine = 64 * 1024;
const mostWaiting = 10_000;

/** What logs have to write at once where the process ends now. */
const atEnd = new Set<() => void>();

function unwritten(write: () => void): void {
  if (!process.listeners("exit").includes(writeAll)) process.on("exit", writeAll);
  atEnd.add(write);
}

function writeAll(): void {
  for (const write of atEnd) write();
}

/** JSON lines in a file that several processes may share. Never throws and never makes the caller wait. */
export function log(options: LogOptions): Log {
  const least = logLevels.indexOf(options.level ?? "info");
  const maxBytes = options.maxBytes ?? 5_000_000;
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;
  let trouble: string | undefined;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      try {
        await appendFile(options.file, lines.join(""), { mode: 0o600 });
        await rotate(options.file, maxBytes, options.keep ?? 3);
      } catch (error) {
        trouble = fileError("write the log", options.file, error).message;
      }
    }
  };
  const write = (level: LogLevel, message: string, fields?: LogFields): void => {
    if (logLevels.indexOf(level) < least || waiting.length >= mostWaiting) return;
    const line = logLine(level, message, fields, options.isRaw === true);
    waiting.push(
      `${line.length > longestLine ? logLine(level, `${message.slice(0, 8000)} [line cut]`, {}, false) : line}\n`,
    );
    if (writing !== undefined) return;
    unwritten(writeAtEnd);
    writing = Promise.resolve()
      .then(drain)
      .finally(() => {
        atEnd.delete(writeAtEnd);
        writing = undefined;
      });
  };
  const writeAtEnd = (): void => {
    try {
      appendFileSync(options.file, waiting.join(""), { mode: 0o600 });
    } catch (error) {
      trouble = String(error);
    }
  };
  return {
    write,
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warning: (message, fields) => write("warning", message, fields),
    error: (message, fields) => write("error", message, fields),
    flush: async () => writing,
    get trouble() {
      return trouble;
    },
  };
}

/** Puts a file that has grown too large aside; one process does it, the others go on by its name. */
async function rotate(file: string, maxBytes: number, keep: number): Promise<void> {
  if ((await stat(file)).size <= maxBytes) return;
  const lock = await tryLock(`${file}.lock`);
  if (!("release" in lock)) return;
  try {
    if ((await stat(file)).size <= maxBytes) return;
    if (keep === 0) return await unlink(file);
    for (let number = keep - 1; number >= 1; number -= 1) {
      await rename(`${file}.${number}`, `${file}.${number + 1}`).catch(ignoreMissing);
    }
    await rename(file, `${file}.1`);
  } finally {
    await lock.release();
  }
}

function ignoreMissing(error: unknown): void {
  if (systemCode(error) !== "ENOENT") throw error;
}
