/** Why a command on the configuration is refused; docs/reference/errors.md says what each code means. */
export const configErrorCodes = ["unknown_key", "wrong_type", "broken_file", "not_writable", "no_home"] as const;
export type ConfigErrorCode = (typeof configErrorCodes)[number];

const marker = Symbol.for("talaria.ConfigError");

/** A command on the configuration that cannot be carried out. Problems that are merely found in a file are `Problem` values. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ConfigError";
    this.code = code;
    Object.defineProperty(this, marker, { value: true });
  }
}

/** True for a `ConfigError` of any copy of this package, with `code` if one is asked for. */
export function isConfigError(error: unknown, code?: ConfigErrorCode): error is ConfigError {
  if (typeof error !== "object" || error === null || !(marker in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}
