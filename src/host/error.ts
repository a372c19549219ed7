/** Every way in which the machine refuses; docs/reference/errors.md says what each means. */
export const hostErrorCodes = [
  "not_found",
  "not_executable",
  "spawn_failed",
  "no_permission",
  "read_only",
  "disk_full",
  "not_a_file",
  "not_a_directory",
  "already_exists",
  "binary",
  "too_large",
  "invalid_path",
  "locked",
  "timed_out",
  "aborted",
  "network",
  "missing_package",
  "io",
] as const;
export type HostErrorCode = (typeof hostErrorCodes)[number];

const marker = Symbol.for("talaria.HostError");

export interface HostErrorFacts {
  /** The file, program or address that the error is about. */
  readonly subject?: string;
  readonly cause?: unknown;
}

/** The message names what failed, where, and what to do; `subject` is the file, program or address alone. */
export class HostError extends Error {
  readonly code: HostErrorCode;
  readonly subject: string | undefined;

  constructor(code: HostErrorCode, message: string, facts: HostErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = "HostError";
    this.code = code;
    this.subject = facts.subject;
    Object.defineProperty(this, marker, { value: true });
  }
}

/** True for a `HostError` of any copy of this package, with `code` if one is asked for. */
export function isHostError(error: unknown, code?: HostErrorCode): error is HostError {
  if (typeof error !== "object" || error === null || !(marker in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}

/** The system's own short name of an error (`ENOENT`), if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const fileErrors: Readonly<Record<string, readonly [HostErrorCode, string]>> = {
  ENOENT: ["not_found", "there is no such file or directory"],
  EACCES: ["no_permission", "permission denied; check its owner and mode"],
  EPERM: ["no_permission", "the operation is not permitted; check its owner, mode and attributes"],
  EROFS: ["read_only", "the file system is mounted read-only"],
  ENOSPC: ["disk_full", "no space is left on the disk; free some and try again"],
  EDQUOT: ["disk_full", "the disk quota is used up; free some space and try again"],
  EISDIR: ["not_a_file", "it is a directory"],
  ENOTDIR: ["not_a_directory", "a part of the path is not a directory"],
  EEXIST: ["already_exists", "it exists already"],
  ELOOP: ["invalid_path", "its symbolic links go in a circle"],
  ENAMETOOLONG: ["invalid_path", "the name is too long for the file system"],
  EINVAL: ["invalid_path", "the path is not valid here"],
  EMFILE: ["io", "too many files are open; raise `ulimit -n`"],
  EFBIG: ["too_large", "the file would be larger than the system allows"],
};

/** Turns a failed file operation into an error that names the file: `cannot <doing> <path>: <why>`. */
export function fileError(doing: string, path: string, cause: unknown): HostError {
  if (isHostError(cause)) return cause;
  const code = systemCode(cause);
  const [kind, why] = fileErrors[code ?? ""] ?? ["io", cause instanceof Error ? cause.message : String(cause)];
  return new HostError(kind, `cannot ${doing} ${path}: ${why}`, { subject: path, cause });
}
