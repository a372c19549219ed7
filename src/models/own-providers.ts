import { apiModeOf } from "./api-mode.ts";
import { catalogue, findProvider, type Protocol, type Provider } from "./catalogue.ts";
import type { ChoiceProblem } from "./choice.ts";

type Section = Readonly<Record<string, unknown>>;

/**
 * Providers of the person's own: `custom_providers` (a list of `name`, `base_url`, `api_key` or `key_env`, `model`, `api_mode`) and
 * `providers` (settings by name; a name of the catalogue changes that provider, another one adds a provider).
 */
export function readProviders(
  custom: unknown,
  byName: unknown,
): { readonly providers: readonly Provider[]; readonly problems: readonly ChoiceProblem[] } {
  const problems: ChoiceProblem[] = [];
  const listed = (Array.isArray(custom) ? custom : []).map((entry: unknown, index) => ({
    key: `custom_providers[${index}]`,
    entry: asSection(entry),
  }));
  const named = Object.entries(asSection(byName) ?? {}).map(([name, entry]) => {
    const section = asSection(entry);
    return { key: `providers.${name}`, entry: section && { ...section, name } };
  });
  const providers = [...named, ...listed].flatMap(({ key, entry }) => {
    const made = entry && provider(entry);
    if (typeof made === "object") return [made];
    problems.push({ key, message: made ?? "must be a mapping" });
    return [];
  });
  return { providers, problems };
}

/** The provider, or what is wrong with it. */
function provider(entry: Section): Provider | string {
  const name = textIn(entry, "name");
  if (!name) return "needs a name";
  const known = findProvider(name);
  const baseUrl = textIn(entry, "base_url") ?? textIn(entry, "api") ?? textIn(entry, "url");
  if (!known && !baseUrl) return "needs a base_url";
  if (baseUrl && !URL.canParse(baseUrl)) return `base_url is no address: ${baseUrl}`;
  const models = entry["models"];
  const model = textIn(entry, "model") ?? textIn(entry, "default_model") ?? firstName(models);
  const keyVariable = textIn(entry, "key_env");
  const apiKey = textIn(entry, "api_key");
  const apiMode = apiModeOf(textIn(entry, "api_mode"));
  const base: Provider = known ?? {
    name,
    title: name,
    protocol: protocolOf(entry),
    baseUrl: "",
    keys: [],
    local: true,
  };
  return {
    ...base,
    ...(baseUrl && { baseUrl: baseUrl.replace(/\/+$/, "") }),
    ...(keyVariable && { keys: [keyVariable, ...base.keys] }),
    ...(apiKey && { apiKey }),
    ...(apiMode && { apiMode }),
    ...(model && { model }),
  };
}

function protocolOf(entry: Section): Protocol {
  return textIn(entry, "api_mode") === "anthropic_messages" ? "anthropic" : "chat";
}

function firstName(models: unknown): string | undefined {
  if (Array.isArray(models)) return models.find((model) => typeof model === "string");
  return Object.keys(asSection(models) ?? {})[0];
}

function textIn(entry: Section, key: string): string | undefined {
  const value = entry[key];
  return typeof value === "string" && value.trim() ? value.trim() : undefined;
}

function asSection(value: unknown): Section | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Section) : undefined;
}

/** The names that `provider` may have. */
export function providerNames(own: readonly Provider[] = []): readonly string[] {
  return [...new Set([...own, ...catalogue].map(({ name }) => name)), "offline"];
}
