import { after, http, now } from "#host";
import {
  type Candidate,
  createRoute,
  type ModelPorts,
  type ModelRoute,
  readChoice,
  readKeyStrategies,
  readProviders,
  selectModel,
} from "#models";
import type { SessionRecord } from "#sessions";
import type { House } from "./house.ts";
import { modelSection } from "./model-section.ts";

/** The names that the provider of a reference offers. */
export async function offeredModels(house: House, reference?: string): Promise<readonly string[]> {
  const { choice } = choiceIn(house, modelSection(house.config));
  const { candidate } = await selectModel(reference, choice, house.environment, modelPorts);
  return candidate.offered ? candidate.offered() : candidate.models.map(({ id }) => id);
}

/** What models need of the machine. */
export const modelPorts: ModelPorts = {
  fetch: (address, init) =>
    http(typeof address === "object" && "url" in address ? address.url : address, init as never),
  clock: { now, timer: (ms, run) => after(ms, run, true) },
  random: Math.random,
};

/** A section that names a model, with the person's own providers and their wish for caching. */
export function choiceIn({ config: { settings } }: House, section: unknown): ReturnType<typeof readChoice> {
  const { choice, problems } = readChoice(section);
  const own = readProviders(settings.custom_providers, settings.providers);
  const cache = settings["prompt_caching.enabled"] ? settings["prompt_caching.cache_ttl"] : "off";
  const pools = readKeyStrategies(settings.credential_pool_strategies);
  return {
    choice: { ...choice, cache, providers: own.providers, keyStrategies: pools.strategies },
    problems: [...problems, ...own.problems, ...pools.problems],
  };
}

/** The models to use, in order: what is named, else what the settings and the machine offer; then the fallbacks of the settings. */
export async function modelRoute(house: House, reference?: string): Promise<ModelRoute> {
  const { config, environment, log } = house;
  const { choice, problems } = choiceIn(house, modelSection(config));
  for (const { key, message } of problems) log.warning(`${config.file}: ${key}: ${message}`);
  const chosen = reference ?? config.settings["model.default"];
  const first = await selectModel(reference ?? fromEnvironment(house, chosen), choice, environment, modelPorts);
  log.debug(`model ${first.candidate.models[0].provider}/${first.candidate.models[0].id} (${first.origin})`);
  const others = await fallbacks(house);
  const settings = { maxRetries: config.settings["agent.api_max_retries"] };
  return createRoute([first.candidate, ...others], settings, modelPorts);
}

/** A resumed session goes on with its own model; where that one cannot be used any more, with what the settings say. */
export async function resumedRoute(house: House, { provider, model, id }: SessionRecord): Promise<ModelRoute> {
  if (provider === "offline" || model === "") return modelRoute(house);
  try {
    return await modelRoute(house, `${provider}/${model}`);
  } catch (error) {
    house.log.warning(
      `session ${id}: its model ${provider}/${model} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
    return modelRoute(house);
  }
}

/** `TALARIA_MODEL` and its like name a model as `--model` does; what the file says comes in with its own provider and address. */
function fromEnvironment({ config }: House, chosen: string | undefined): string | undefined {
  return config.originOf("model.default").kind === "environment" ? chosen : undefined;
}

/** `fallback_model` and `fallback_providers`; one that cannot be used is left out with a warning. */
export async function fallbacks(house: House): Promise<readonly Candidate[]> {
  const { config, environment, log } = house;
  const { fallback_model: one, fallback_providers: list } = config.settings;
  const entries: readonly unknown[] = [...(Object.keys(one).length > 0 ? [one] : []), ...list];
  const found: Candidate[] = [];
  for (const entry of entries) {
    try {
      const named = typeof entry === "string" ? entry : undefined;
      const { choice } = choiceIn(house, named === undefined ? renamed(entry) : undefined);
      found.push((await selectModel(named, choice, environment, modelPorts)).candidate);
    } catch (error) {
      log.warning(
        `fallback ${JSON.stringify(entry)} is left out: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return found;
}

/** Fallbacks call the model's name `model`, the section `model:` calls it `default`. */
function renamed(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  const { model, ...rest } = entry as Readonly<Record<string, unknown>>;
  return { ...rest, ...(model === undefined ? {} : { default: model }) };
}
