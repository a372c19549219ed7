/**
 * `busy`: another process kept the database locked; `full`: no room on the disk; `corrupt`: the file is damaged or no database;
 * `newer_schema`: a newer Talaria wrote it; `foreign`: it belongs to another program; `read_only`: it may only be read;
 * `cannot_open`: missing folder or no permission; `not_found`, `exists`, `title_taken`, `ambiguous`, `in_use`: about the session named.
 */
export type SessionErrorCode =
  | "busy"
  | "full"
  | "corrupt"
  | "newer_schema"
  | "foreign"
  | "read_only"
  | "cannot_open"
  | "failed"
  | "not_found"
  | "exists"
  | "title_taken"
  | "ambiguous"
  | "in_use";

const marker: unique symbol = Symbol.for("talaria.SessionError");

/** What went wrong with stored sessions; see docs/reference/sessions.md, "Errors". Check with `isSessionError`, which works across copies of the package. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly [marker] = true;
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export function isSessionError(error: unknown, code?: SessionErrorCode): error is SessionError {
  if (typeof error !== "object" || error === null || !(marker in error)) return false;
  return code === undefined || (error as SessionError).code === code;
}
