import { SessionError } from "../error.ts";

/** The primary result code of SQLite inside an error of `node:sqlite`; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;

export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED || code === PROTOCOL;
}

/** The file or its folder may not be written: reading may still work. */
export function isUnwritable(error: unknown): boolean {
  const code = resultCode(error);
  return code === READONLY || code === CANTOPEN;
}

/** Turns what SQLite reports into an error that names the file and says what to do. */
export function failure(file: string, error: unknown): Error {
  const code = resultCode(error);
  if (code === undefined) return error instanceof Error ? error : new Error(String(error));
  const told = error instanceof Error ? error.message : String(error);
  const say = (kind: SessionError["code"], text: string) => new SessionError(kind, text, { cause: error });
  switch (code) {
    case BUSY:
    case LOCKED:
    case PROTOCOL:
      return say("busy", `${file} is locked by another process. Try again when it has finished.`);
    case FULL:
      return say(
        "full",
        `No room left to write ${file}. Nothing that was stored is lost; free some space and try again.`,
      );
    case IOERR:
      return say(
        "full",
        `Could not write or read ${file} (${told}). The disk may be full or failing; nothing that was stored has been changed.`,
      );
    case CORRUPT:
    case NOTADB:
      return say("corrupt", corruption(file, told));
    case READONLY:
      return say(
        "read_only",
        `${file} may only be read, so nothing can be stored in it. Check the permissions of the file and its folder.`,
      );
    case CANTOPEN:
      return say(
        "cannot_open",
        `Cannot open ${file}. Check that its folder exists and that you may read and write there.`,
      );
    default:
      return say("failed", `${file}: ${told}`);
  }
}

function corruption(file: string, told: string): string {
  return (
    `${file} is damaged or is no session database (${told}). Nothing has been changed. ` +
    `Move it away to start afresh (mv '${file}' '${file}.broken'); what can be saved of it comes out of: sqlite3 '${file}.broken' .recover`
  );
}
