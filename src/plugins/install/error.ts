/** Why a plugin could not be installed, updated or removed (docs/reference/errors.md). */
export const installErrorCodes = [
  "bad_address",
  "not_found",
  "no_program",
  "fetch_failed",
  "outside",
  "not_a_plugin",
  "bad_name",
  "too_new",
  "not_installed",
  "no_origin",
] as const;
export type InstallErrorCode = (typeof installErrorCodes)[number];

/** The message names what failed and what to do. */
export class InstallError extends Error {
  override readonly name = "InstallError";
  readonly code: InstallErrorCode;
  constructor(code: InstallErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
