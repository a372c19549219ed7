import type { Config, KeyPath } from "#config";

const names = [
  "provider",
  "base_url",
  "api_key",
  "api_mode",
  "context_length",
  "idle_timeout",
  "streaming",
  "default_headers",
] as const;

type Section = Record<string, unknown>;

/**
 * The section `model:` with what stands elsewhere: older places such as a `base_url` at the top level, and the environment.
 * A provider that the environment names takes no address and no key of another one along.
 */
export function modelSection({ values, settings, originOf }: Config): unknown {
  const written = values["model"];
  const isSection = typeof written === "object" && written !== null && !Array.isArray(written);
  const section: Section = isSection ? { ...written } : {};
  // Anything else that stands there is no section: its reader says so.
  if (!isSection && typeof written !== "string" && written !== undefined && written !== null) return written;
  const model = originOf("model.default").kind === "file" ? settings["model.default"] : undefined;
  if (model !== undefined) section["default"] ??= model;
  const isForced = originOf("model.provider").kind === "environment";
  const isOther = isForced && settings["model.provider"] !== section["provider"];
  for (const name of names) {
    const path: KeyPath = `model.${name}`;
    const { kind } = originOf(path);
    if (kind === "environment" || (kind === "file" && section[name] === undefined)) section[name] = settings[path];
  }
  if (!isOther) return section;
  const { provider, idle_timeout, streaming } = section;
  return {
    provider,
    ...(idle_timeout === undefined ? {} : { idle_timeout }),
    ...(streaming === undefined ? {} : { streaming }),
  };
}
