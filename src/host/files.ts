import { randomBytes } from "node:crypto";
import { readFileSync, type Stats } from "node:fs";
import {
  access,
  appendFile,
  chmod,
  constants,
  mkdir,
  open,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { checkPath } from "./checked-path.ts";
import { fileError, HostError, isHostError, systemCode } from "./error.ts";
import { fileFacts } from "./file-facts.ts";
import { decodeText, encodeText, type TextEncoding, type TextFile } from "./text-encoding.ts";
import { writeTarget } from "./write-target.ts";

function kindOf(facts: Stats): string {
  if (facts.isDirectory()) return "a directory";
  if (facts.isFIFO()) return "a named pipe";
  if (facts.isSocket()) return "a socket";
  return facts.isCharacterDevice() || facts.isBlockDevice() ? "a device" : "not a regular file";
}

export interface ReadLimits {
  /** Larger files are refused as `too_large` before they are read; default 64 MiB. */
  readonly maxBytes?: number;
}

/** The bytes of a regular file. Devices, pipes and sockets are refused, since reading them may never end. */
export async function readBytes(path: string, limits: ReadLimits = {}): Promise<Buffer> {
  checkPath(path);
  const maxBytes = limits.maxBytes ?? 64 << 20;
  try {
    const facts = await stat(path);
    if (!facts.isFile()) {
      throw new HostError("not_a_file", `cannot read ${path}: it is ${kindOf(facts)}`, { subject: path });
    }
    const tooLarge = (size: number): HostError =>
      new HostError("too_large", `cannot read ${path}: it has ${size} bytes, more than the limit of ${maxBytes}`, {
        subject: path,
      });
    if (facts.size > maxBytes) throw tooLarge(facts.size);
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const bytes = await file.readFile();
    if (bytes.length > maxBytes) throw tooLarge(bytes.length);
    return bytes;
  } catch (error) {
    throw fileError("read", path, error);
  }
}

/** A text file decoded, with what is needed to write it back as it was. Throws `binary` with the reason for anything else. */
export async function readText(path: string, limits: ReadLimits = {}): Promise<TextFile> {
  const decoded = decodeText(await readBytes(path, limits));
  if ("binary" in decoded) {
    throw new HostError("binary", `cannot read ${path} as text: ${decoded.binary}`, { subject: path });
  }
  return decoded;
}

/** As `readText`, undefined where there is no such file. */
export async function readTextIfExists(path: string, limits: ReadLimits = {}): Promise<TextFile | undefined> {
  try {
    return await readText(path, limits);
  } catch (error) {
    if (isHostError(error, "not_found") || isHostError(error, "not_a_directory")) return undefined;
    throw error;
  }
}

export interface WriteOptions {
  readonly encoding?: TextEncoding;
  /** For a new file; an existing one keeps its own. Default 0o666 less the umask. */
  readonly mode?: number;
  /** Waits until the bytes are on the disk. */
  readonly sync?: boolean;
}

/**
 * Replaces a file whole or not at all: a neighbour is written and renamed over it. Mode and owner stay, links are followed.
 * Where the directory takes no neighbour, or the file is a mount of its own, it is overwritten in place and put back if that fails.
 */
export async function writeAtomic(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
  checkPath(path);
  try {
    const target = await writeTarget(path);
    const existing = await stat(target).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (existing !== undefined) {
      if (!existing.isFile()) {
        throw new HostError("not_a_file", `cannot write ${path}: it is ${kindOf(existing)}`, { subject: path });
      }
      await access(target, constants.W_OK);
    }
    const bytes = typeof data === "string" ? encodeText(data, options.encoding ?? "utf-8") : data;
    await replace(target, bytes, existing, options);
  } catch (error) {
    throw fileError("write", path, error);
  }
}

async function replace(
  target: string,
  bytes: Uint8Array,
  existing: Stats | undefined,
  options: WriteOptions,
): Promise<void> {
  const name = `.${basename(target).slice(0, 100)}.${randomBytes(6).toString("hex")}.tmp`;
  const temporary = join(dirname(target), name);
  try {
    await writeNeighbour(temporary, bytes, existing, options);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined); // it may never have come to be; the first error is the one to tell
    if (existing === undefined || !["EACCES", "EPERM", "EBUSY", "EXDEV"].includes(systemCode(error) ?? "")) throw error;
    await overwrite(target, bytes);
  }
}

async function writeNeighbour(
  temporary: string,
  bytes: Uint8Array,
  existing: Stats | undefined,
  options: WriteOptions,
): Promise<void> {
  await using file = await open(temporary, "wx", existing === undefined ? (options.mode ?? 0o666) : 0o600);
  await file.writeFile(bytes);
  if (existing !== undefined) {
    const own = await file.stat();
    if (own.uid !== existing.uid || own.gid !== existing.gid) {
      await file.chown(existing.uid, existing.gid).catch(() => undefined); // only a superuser may give files away
    }
    await file.chmod(existing.mode & 0o7777);
  }
  if (options.sync === true) await file.sync();
}

async function overwrite(target: string, bytes: Uint8Array): Promise<void> {
  const before = await readBytes(target, { maxBytes: Number.MAX_SAFE_INTEGER });
  try {
    await writeFile(target, bytes);
  } catch (error) {
    await writeFile(target, before).catch((lost: unknown) => {
      throw new AggregateError([error, lost], "the write failed, and so did putting the old content back");
    });
    throw error;
  }
}

/** Not Node's own `recursive`: that one never ends in places such as /proc, where the parent exists and ENOENT is answered. */
async function makeDirectories(path: string, options: { readonly mode?: number }): Promise<void> {
  const refusal = await mkdir(path, options).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal === undefined || (await isDirectoryAt(path))) return;
  const parent = dirname(path);
  if (systemCode(refusal) !== "ENOENT" || parent === path) throw refusal;
  if (!(await isDirectoryAt(parent))) await makeDirectories(parent, options);
  await mkdir(path, options).catch(async (error: unknown) => {
    if (!(await isDirectoryAt(path))) throw error;
  });
}

async function isDirectoryAt(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

/** Creates a directory and those above it; existing ones are left as they are. */
export async function ensureDirectory(path: string, mode?: number): Promise<void> {
  checkPath(path);
  try {
    await makeDirectories(path, mode === undefined ? {} : { mode });
  } catch (error) {
    if (systemCode(error) === "EEXIST") {
      throw new HostError("not_a_directory", `cannot create the directory ${path}: a file of that name exists`, {
        subject: path,
        cause: error,
      });
    }
    throw fileError("create the directory", path, error);
  }
}

/** Whoever may read the file may run it, too. */
export async function makeExecutable(path: string): Promise<void> {
  checkPath(path);
  try {
    const { mode } = await stat(path);
    await chmod(path, (mode & 0o7777) | ((mode & 0o444) >> 2));
  } catch (error) {
    throw fileError("make executable", path, error);
  }
}

/** Appends one line in one write, so that lines of several processes do not mix. The directory must exist. */
export async function appendLine(path: string, line: string, mode = 0o600): Promise<void> {
  checkPath(path);
  try {
    await appendFile(path, `${line}\n`, { mode });
  } catch (error) {
    throw fileError("append to", path, error);
  }
}

/** The text of a small file at once, for starts in which many are read one after another; undefined where it cannot be read. */
export function textNow(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // whoever needs the file says what is wrong with it
  }
}

/** The first bytes of a regular file, fewer where it is shorter; undefined where there is none. */
export async function readStart(path: string, bytes: number): Promise<Buffer | undefined> {
  try {
    if ((await fileFacts(path))?.kind !== "file") return undefined;
    await using file = await open(path, "r");
    const { bytesRead, buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw fileError("read", path, error);
  }
}

/** Whether this user may write the file, or create files in the directory. A read-only file system says no. */
export async function mayWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Deletes one file; false when there was none. */
export async function remove(path: string): Promise<boolean> {
  checkPath(path);
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw fileError("delete", path, error);
  }
}

/** Removes a directory and all that is in it; no error where there is none. */
export async function removeTree(path: string): Promise<void> {
  checkPath(path);
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    throw fileError("remove", path, error);
  }
}
