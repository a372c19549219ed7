/** Why the plugins room refuses; docs/reference/errors.md says what each code means. */
export const pluginErrorCodes = [
  "invalid_registration",
  "not_loadable",
  "no_register",
  "timed_out",
  "held_back",
  "unloaded",
  "unknown_plugin",
  "invalid_request",
  "not_allowed",
  "schema_mismatch",
] as const;
export type PluginErrorCode = (typeof pluginErrorCodes)[number];

const marker = Symbol.for("talaria.PluginError");

/** What cannot be done with a plugin, or what a plugin may not do. The message names the plugin's file or the argument. */
export class PluginError extends Error {
  readonly code: PluginErrorCode;

  constructor(code: PluginErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PluginError";
    this.code = code;
    Object.defineProperty(this, marker, { value: true });
  }
}

/** True for a `PluginError` of any copy of this package, with `code` if one is asked for. */
export function isPluginError(error: unknown, code?: PluginErrorCode): error is PluginError {
  if (typeof error !== "object" || error === null || !(marker in error)) return false;
  return code === undefined || ("code" in error && error.code === code);
}

/** Characters of what plugins throw that are told. */
const mostThrown = 4_000;

/** A text of a plugin at a length that can be told; what was cut before, and got a few words more, stays as it is. */
export const bounded = (text: string, most = mostThrown): string =>
  text.length <= most * 1.2 ? text : `${text.slice(0, most)}… (${text.length} characters)`;

/** The words of whatever was thrown, at most 4,000 characters of them. */
export function thrownText(error: unknown): string {
  try {
    return bounded(error instanceof Error ? String(error.message) || error.name : String(error));
  } catch {
    return "something was thrown that cannot be made a text";
  }
}
