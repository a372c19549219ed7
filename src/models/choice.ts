import { type ApiMode, apiModeOf, apiModes } from "./api-mode.ts";
import { findProvider, type Provider, providerAt } from "./catalogue.ts";

const keyStrategies = ["fill_first", "round_robin", "random", "least_used"] as const;
/** `fill_first` stays with a key until it is refused; the others choose one for each call. */
export type KeyStrategy = (typeof keyStrategies)[number];

/** What the person asked for, from `model:` of config.yaml and from the command line. Everything may be absent. */
export interface ModelChoice {
  /** A name of the catalogue; `auto` counts as absent. */
  readonly provider?: string;
  /** Hermes's `model.default`. */
  readonly model?: string;
  readonly baseUrl?: string;
  /** False: answers are asked for in one piece. */
  readonly streaming?: boolean;
  /** Several keys are tried in turn. */
  readonly apiKeys?: readonly string[];
  readonly apiMode?: ApiMode;
  readonly contextWindow?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idleTimeoutMs?: number;
  /** `off` where the person switched cache marks off; how long Anthropic keeps what is marked; 5m. */
  readonly cache?: "off" | "5m" | "1h";
  /** How several keys of a provider are used, by its name; `fill_first` where it is not there. */
  readonly keyStrategies?: Readonly<Record<string, KeyStrategy>>;
  /** Providers of the person's own, as `readProviders` gives them. */
  readonly providers?: readonly Provider[];
}

/** Something in `model:` that cannot be meant: shown as a warning, and the value is left out. */
export interface ChoiceProblem {
  readonly key: string;
  readonly message: string;
}

type Section = Readonly<Record<string, unknown>>;

/** Hermes's shape of `model:`: a mapping with `provider`, `default`, `base_url`, `api_key`, or only a model's name. */
export function readChoice(section: unknown): {
  readonly choice: ModelChoice;
  readonly problems: readonly ChoiceProblem[];
} {
  if (section === undefined || section === null || section === "") return { choice: {}, problems: [] };
  if (typeof section === "string") return { choice: { model: section.trim() }, problems: [] };
  if (typeof section !== "object" || Array.isArray(section)) {
    return {
      choice: {},
      problems: [{ key: "model", message: "must be a mapping with provider, default, base_url and api_key" }],
    };
  }
  const problems: ChoiceProblem[] = [];
  const read = reader(section as Section, problems);
  const provider = read.text("provider");
  const apiKeys = read.keys("api_key");
  const idleSeconds = read.count("idle_timeout");
  const choice: ModelChoice = withoutUndefined({
    provider: provider?.toLowerCase() === "auto" ? undefined : provider,
    model: read.text("default") ?? read.text("model") ?? read.text("name"),
    baseUrl: read.url("base_url"),
    apiKeys: apiKeys.length > 0 ? apiKeys : undefined,
    apiMode: read.mode("api_mode"),
    streaming: (section as Section)["streaming"] === false ? false : undefined,
    contextWindow: read.count("context_length"),
    idleTimeoutMs: idleSeconds === undefined ? undefined : idleSeconds * 1000,
    headers: read.headers("default_headers") ?? read.headers("extra_headers") ?? read.headers("headers"),
  });
  return { choice, problems };
}

type Defined<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}

function reader(section: Section, problems: ChoiceProblem[]) {
  const wrong = (key: string, wanted: string): undefined => {
    problems.push({ key: `model.${key}`, message: `must be ${wanted}` });
  };
  return {
    text(key: string): string | undefined {
      const value = section[key];
      if (value === undefined || value === null || value === "") return undefined;
      if (typeof value === "string" || typeof value === "number") return String(value).trim();
      return wrong(key, "text");
    },
    mode(key: string): ApiMode | undefined {
      const word = this.text(key);
      return word === undefined
        ? undefined
        : (apiModeOf(word) ?? wrong(key, `one of ${apiModes.join(", ")}, not ${word}`));
    },
    count(key: string): number | undefined {
      const value = section[key];
      if (value === undefined || value === null) return undefined;
      return typeof value === "number" && value > 0 ? value : wrong(key, "a number above 0");
    },
    keys(key: string): readonly string[] {
      const value = section[key];
      if (Array.isArray(value)) return value.filter((each) => typeof each === "string").flatMap(splitKeys);
      const text = this.text(key);
      return text ? splitKeys(text) : [];
    },
    url(key: string): string | undefined {
      const value = this.text(key);
      return value === undefined || URL.canParse(value)
        ? value
        : wrong(key, `an address such as https://host/v1, not ${value}`);
    },
    headers(key: string): Readonly<Record<string, string>> | undefined {
      const value = section[key];
      if (value === undefined || value === null) return undefined;
      if (typeof value !== "object") return wrong(key, "a mapping of names to text");
      return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
    },
  };
}

/** Several keys may stand in one value, separated by commas or spaces. */
export function splitKeys(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export interface Reference {
  readonly provider?: Provider;
  readonly model?: string;
  /** The provider was not named but told from the model's name. */
  readonly guessed?: true;
}

const families: readonly (readonly [RegExp, string])[] = [
  [/^claude/, "anthropic"],
  [/^(gpt-|chatgpt|o\d)/, "openai"],
  [/^gemini/, "google"],
  [/^deepseek/, "deepseek"],
  [/^grok/, "xai"],
  [/^(mistral|codestral|ministral|magistral)/, "mistral"],
];

/**
 * Reads `provider/name`, `provider`, or a bare name whose family is known. Names may hold slashes of their own:
 * `openrouter/anthropic/claude-sonnet-5.5` is a model at OpenRouter.
 */
export function parseReference(text: string, own: readonly Provider[] = []): Reference {
  const wanted = text.trim();
  const slash = wanted.indexOf("/");
  const head = slash < 0 ? wanted : wanted.slice(0, slash);
  const rest = slash < 0 ? "" : wanted.slice(slash + 1).trim();
  const named = findProvider(head, own);
  if (named) return rest ? { provider: named, model: rest } : { provider: named };
  const family = families.find(([pattern]) => slash < 0 && pattern.test(wanted.toLowerCase()))?.[1];
  const guessed = family ? findProvider(family, own) : undefined;
  return guessed ? { provider: guessed, model: wanted, guessed: true } : { model: wanted };
}

/** The provider that a choice names, by name or by its address. */
export function chosenProvider(choice: ModelChoice): Provider | undefined {
  if (choice.provider) return findProvider(choice.provider, choice.providers);
  if (!choice.baseUrl) return undefined;
  return providerAt(choice.baseUrl) ?? findProvider("custom");
}

/** `credential_pool_strategies` of the configuration; a strategy that nobody knows is left out and reported. */
export function readKeyStrategies(mapping: Readonly<Record<string, unknown>>): {
  readonly strategies: Readonly<Record<string, KeyStrategy>>;
  readonly problems: readonly ChoiceProblem[];
} {
  const strategies: Record<string, KeyStrategy> = {};
  const problems: ChoiceProblem[] = [];
  for (const [provider, wanted] of Object.entries(mapping)) {
    const strategy = keyStrategies.find((name) => name === wanted);
    if (strategy !== undefined) strategies[provider] = strategy;
    else
      problems.push({
        key: `credential_pool_strategies.${provider}`,
        message: `must be one of ${keyStrategies.join(", ")}`,
      });
  }
  return { strategies, problems };
}
