import { PluginError } from "../error.ts";
import type { CompletionOptions } from "../plugin-context.ts";

/** An override that the configuration does not allow; the message names the key that would allow it. */
export class PluginLlmTrustError extends PluginError {
  constructor(message: string) {
    super("not_allowed", message);
    this.name = "PluginLlmTrustError";
  }
}

type Values = Readonly<Record<string, unknown>>;

interface Override {
  readonly option: "provider" | "model" | "agentId" | "profile";
  readonly flag: string;
  readonly list?: string;
}

/** In the order in which they are checked. */
const overrides: readonly Override[] = [
  { option: "provider", flag: "allow_provider_override", list: "allowed_providers" },
  { option: "model", flag: "allow_model_override", list: "allowed_models" },
  { option: "agentId", flag: "allow_agent_id_override" },
  { option: "profile", flag: "allow_profile_override" },
];

const mapping = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {};

/**
 * Throws a `PluginLlmTrustError` for the first override that `plugins.entries.<key>.llm` does not allow. `warn` hears of a
 * switch that is neither true nor false: such a one is off.
 */
export function checkOverrides(
  key: string,
  wanted: CompletionOptions,
  entry: unknown,
  warn: (message: string) => void,
): void {
  const policy = mapping(mapping(entry)["llm"]);
  for (const { option, flag, list } of overrides) {
    const value = wanted[option]?.trim();
    if (value === undefined || value === "") continue;
    const place = `plugins.entries.${key}.llm`;
    if (!isOn(policy[flag], `${place}.${flag}`, warn))
      throw new PluginLlmTrustError(
        `plugin ${key} may not choose ${named[option]} ('${value}'): ${place}.${flag} is not true in config.yaml`,
      );
    const allowed = list === undefined ? undefined : policy[list];
    if (!Array.isArray(allowed)) continue;
    const names = allowed.map((name) => String(name).trim().toLowerCase());
    if (names.includes("*") || names.includes(value.toLowerCase())) continue;
    throw new PluginLlmTrustError(
      `plugin ${key} may not choose ${named[option]} '${value}': it is not in ${place}.${list} of config.yaml`,
    );
  }
}

const named: Readonly<Record<Override["option"], string>> = {
  provider: "the provider",
  model: "the model",
  agentId: "the agent id",
  profile: "the profile",
};

function isOn(value: unknown, place: string, warn: (message: string) => void): boolean {
  if (value === true || value === 1) return true;
  if (value === undefined || value === null || value === false || value === 0) return false;
  warn(`${place} must be true or false, but is ${JSON.stringify(value)}: it counts as false`);
  return false;
}
