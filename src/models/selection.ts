import { catalogue, findProvider, type Protocol, type Provider } from "./catalogue.ts";
import { chosenProvider, type KeyStrategy, type ModelChoice, parseReference, splitKeys } from "./choice.ts";
import type { Connection } from "./connection.ts";
import { type ModelAddress, ModelError } from "./error.ts";
import { findLocalServer, firstModel, listModels } from "./listing.ts";
import type { Model } from "./model.ts";
import { offlineModel } from "./offline/offline-model.ts";
import { providerNames } from "./own-providers.ts";
import type { ModelPorts } from "./ports.ts";
import { providerModel } from "./provider-model.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** One place of the fallback list: the same model under each of its credentials, in order. */
export interface Candidate {
  readonly models: readonly [Model, ...Model[]];
  /** Which of them a call begins with; `fill_first`. */
  readonly keyStrategy?: KeyStrategy;
  /** The names that this provider offers; rejects with a `ModelError`. Absent: it offers no list. */
  readonly offered?: () => Promise<readonly string[]>;
}

export interface Selection {
  readonly candidate: Candidate;
  /** Where the choice came from; `offline` when nothing at all was found. */
  readonly origin: "named" | "config" | "environment" | "local-server" | "offline";
}

/**
 * Chooses a model. `reference` is what `--model` or `/model` said; without it `model:` of the config decides, then keys and
 * addresses in the environment, then a server on its usual loopback port, then the offline model.
 * Rejects with `not_configured` when what was named cannot be used.
 */
export async function selectModel(
  reference: string | undefined,
  choice: ModelChoice,
  environment: Environment,
  ports: ModelPorts,
): Promise<Selection> {
  const named = reference?.trim() || undefined;
  if (named) {
    if (isOffline(named)) return { candidate: { models: [offlineModel()] }, origin: "named" };
    return { candidate: await namedCandidate(named, choice, environment, ports), origin: "named" };
  }
  if (choice.provider && isOffline(choice.provider))
    return { candidate: { models: [offlineModel()] }, origin: "config" };
  if (choice.provider || choice.baseUrl) {
    const provider = chosenProvider(choice) ?? unknownProvider(choice.provider ?? "", choice.providers);
    return { candidate: await candidateAt(provider, choice, environment, ports), origin: "config" };
  }
  if (choice.model) {
    if (isOffline(choice.model)) return { candidate: { models: [offlineModel()] }, origin: "config" };
    return { candidate: await namedCandidate(choice.model, choice, environment, ports), origin: "config" };
  }
  return detected(choice, environment, ports);
}

async function detected(choice: ModelChoice, environment: Environment, ports: ModelPorts): Promise<Selection> {
  const provider = available(choice, environment);
  if (provider) return { candidate: await candidateAt(provider, choice, environment, ports), origin: "environment" };
  const server = await findLocalServer(catalogue, ports);
  if (server) {
    const candidate = await candidateAt(server.provider, { ...choice, model: server.model }, environment, ports);
    return { candidate, origin: "local-server" };
  }
  return { candidate: { models: [offlineModel()] }, origin: "offline" };
}

/**
 * `provider/name`, or a name alone. A bare name belongs to the configured provider, where there is one. An aggregator in the
 * config or the environment takes `vendor/name` where the vendor itself has no key.
 */
async function namedCandidate(
  named: string,
  choice: ModelChoice,
  environment: Environment,
  ports: ModelPorts,
): Promise<Candidate> {
  const reference = parseReference(named, choice.providers);
  const configured = chosenProvider(choice);
  const at = (provider: Provider, model: string | undefined) =>
    candidateAt(provider, { ...ownedBy(provider, choice), ...withModel(model) }, environment, ports);
  const { provider } = reference;
  const isFree = provider && !(configured && reference.guessed);
  if (isFree && (provider.name === configured?.name || isUsable(provider, environment)))
    return at(provider, reference.model);
  if (configured && (!isFree || named.includes("/"))) return at(configured, named);
  if (provider) return at(provider, reference.model);
  const aggregator = findProvider("openrouter", choice.providers);
  if (aggregator && named.includes("/") && hasCredential(aggregator, environment)) return at(aggregator, named);
  const other = available(choice, environment);
  return other && !named.includes("/") ? at(other, named) : unknownProvider(named, choice.providers);
}

function withModel(model: string | undefined): { readonly model?: string } {
  return model === undefined ? {} : { model };
}

/** Address, key and sizes belong to the provider that the config is about; another one must not be sent them. */
function ownedBy(provider: Provider, choice: ModelChoice): ModelChoice {
  const owner =
    chosenProvider(choice) ?? (choice.model ? parseReference(choice.model, choice.providers).provider : undefined);
  if (!owner || owner.name === provider.name) return choice;
  const { idleTimeoutMs, cache, providers, keyStrategies } = choice;
  return {
    ...(keyStrategies && { keyStrategies }),
    ...(cache && { cache }),
    ...(providers && { providers }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  };
}

async function candidateAt(
  provider: Provider,
  choice: ModelChoice,
  environment: Environment,
  ports: ModelPorts,
): Promise<Candidate> {
  const baseUrl = baseUrlOf(provider, choice, environment);
  const keys = keysOf(provider, choice, environment);
  const address = { provider: provider.name, id: choice.model ?? "(no model)", baseUrl };
  checkAddress(provider, baseUrl, address);
  if (keys.length === 0 && needsKey(provider, baseUrl, environment)) {
    const names = provider.keys.join(" or ");
    throw notConfigured(
      address,
      "no API key is set",
      `Set ${names || "model.api_key"} in the environment or in the home's .env, or model.api_key in config.yaml.`,
    );
  }
  const apiMode = choice.apiMode ?? provider.apiMode;
  const shared: Omit<Connection, "model" | "apiKey"> = {
    provider,
    baseUrl,
    environment,
    ...(apiMode && { apiMode }),
    ...(choice.contextWindow !== undefined && { contextWindow: choice.contextWindow }),
    ...(choice.headers && { headers: choice.headers }),
    ...(choice.idleTimeoutMs !== undefined && { idleTimeoutMs: choice.idleTimeoutMs }),
    ...(choice.streaming === false && { streaming: false }),
    ...(choice.cache && { cache: choice.cache }),
  };
  const model = choice.model ?? (await defaultModel(shared, keys[0], ports));
  const [first, ...more] = keys.map((apiKey) => providerModel({ ...shared, model, apiKey }, ports));
  return {
    models: [first ?? providerModel({ ...shared, model, apiKey: undefined }, ports), ...more],
    keyStrategy: choice.keyStrategies?.[provider.name] ?? "fill_first",
    offered: () => listModels({ ...shared, model, apiKey: keys[0] }, ports),
  };
}

function checkAddress(provider: Provider, baseUrl: string, address: ModelAddress): void {
  const place = `model.base_url in config.yaml${provider.urls ? ` or ${provider.urls[0]}` : ""}`;
  if (!baseUrl && provider.protocol !== "bedrock") throw notConfigured(address, "no address is set", `Set ${place}.`);
  if (!baseUrl || URL.canParse(baseUrl)) return;
  throw notConfigured(
    address,
    "its address cannot be read",
    `Set ${place} to something like http://127.0.0.1:8080/v1.`,
  );
}

/** The vendor's usual model at its own address; anywhere else the first that the server lists. */
async function defaultModel(
  shared: Omit<Connection, "model" | "apiKey">,
  apiKey: string | undefined,
  ports: ModelPorts,
): Promise<string> {
  const { provider, baseUrl } = shared;
  if (provider.model && baseUrl === provider.baseUrl) return provider.model;
  const listed = await firstModel({ ...shared, model: "", apiKey }, ports);
  const model = listed ?? provider.model;
  if (model) return model;
  const address = { provider: provider.name, id: "(no model)", baseUrl };
  throw notConfigured(
    address,
    "no model is named and the server lists none",
    "Set model.default in config.yaml or use --model provider/name.",
  );
}

function baseUrlOf(provider: Provider, choice: ModelChoice, environment: Environment): string {
  const given = choice.baseUrl ?? addressIn(provider, environment);
  return given
    ? normalUrl(given, choice.apiMode === "anthropic_messages" ? "anthropic" : provider.protocol)
    : provider.baseUrl;
}

/** With a scheme, without a slash at the end, and with the version segment that the provider package expects. */
function normalUrl(given: string, protocol: Protocol): string {
  const withScheme = /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`;
  const trimmed = withScheme.replace(/\/+$/, "");
  if (!URL.canParse(trimmed)) return trimmed;
  const path = new URL(trimmed).pathname;
  if (protocol === "azure") return path === "/" ? `${trimmed}/openai` : trimmed;
  if (protocol === "bedrock") return trimmed;
  if (protocol === "google") return path === "/" ? `${trimmed}/v1beta` : trimmed;
  if (protocol === "anthropic") return /\/v\d+$/.test(path) ? trimmed : `${trimmed}/v1`;
  // A bare host: every OpenAI-compatible server keeps its API under /v1.
  return path === "/" ? `${trimmed}/v1` : trimmed;
}

function keysOf(provider: Provider, choice: ModelChoice, environment: Environment): readonly string[] {
  if (choice.apiKeys?.length) return choice.apiKeys;
  if (provider.apiKey) return splitKeys(provider.apiKey);
  const found = provider.keys.flatMap((name) => splitKeys(environment[name] ?? ""));
  // Hermes's custom provider takes OpenAI's key, where its address is not somebody else's.
  if (found.length === 0 && provider.name === "custom") return splitKeys(environment["OPENAI_API_KEY"] ?? "");
  return [...new Set(found)];
}

/** The best known provider: address and key, an address on this machine, a key, an address, an address of a local server. */
function available({ providers: own = [] }: ModelChoice, environment: Environment): Provider | undefined {
  const all = catalogue.map((provider) => findProvider(provider.name, own) ?? provider);
  const addressed = all.filter((each) => addressIn(each, environment));
  const keyed = all.filter((each) => hasCredential(each, environment));
  const remote = addressed.filter((each) => !each.local);
  return (
    remote.find((each) => keyed.includes(each)) ??
    remote.find((each) => /\/\/(127\.|localhost|\[::1\])/.test(addressIn(each, environment) ?? "")) ??
    keyed[0] ??
    remote[0] ??
    addressed[0]
  );
}

function addressIn(provider: Provider, environment: Environment): string | undefined {
  return provider.urls?.map((name) => environment[name]?.trim()).find(Boolean);
}

function hasCredential(provider: Provider, environment: Environment): boolean {
  if (provider.local || provider.protocol === "azure") return false;
  if (provider.apiKey) return true;
  return (
    provider.keys.some((name) => environment[name]?.trim()) ||
    (provider.protocol === "bedrock" && hasAccessKey(environment))
  );
}

function hasAccessKey(environment: Environment): boolean {
  return Boolean(environment["AWS_ACCESS_KEY_ID"] && environment["AWS_SECRET_ACCESS_KEY"]);
}

function isUsable(provider: Provider, environment: Environment): boolean {
  return provider.local === true || Boolean(addressIn(provider, environment)) || hasCredential(provider, environment);
}

/** A server at an address of the person's own may do without a key. */
function needsKey(provider: Provider, baseUrl: string, environment: Environment): boolean {
  if (provider.local) return false;
  if (provider.protocol === "bedrock") return !hasAccessKey(environment);
  return baseUrl === provider.baseUrl;
}

function isOffline(name: string): boolean {
  return /^offline(\/|$)/i.test(name.trim());
}

function unknownProvider(name: string, own: readonly Provider[] = []): never {
  const known = providerNames(own).join(", ");
  throw notConfigured(
    { provider: "", id: name, baseUrl: "" },
    "it names no known provider, and none is configured",
    `Write provider/name with one of: ${known}.`,
  );
}

function notConfigured(address: ModelAddress, summary: string, advice: string): ModelError {
  return new ModelError({ code: "not_configured", address, summary, advice });
}
