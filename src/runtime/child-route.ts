import { createRoute, type ModelRoute, readChoice, selectModel } from "#models";
import type { House } from "./house.ts";
import { choiceIn, fallbacks, modelPorts } from "./model-route.ts";
import { modelSection } from "./model-section.ts";

/**
 * The models of sub-agents as `delegation.*` names them: a provider or address of their own, or another model at the
 * parent's provider. Where nothing is named they use the parent's. Rejects with what is wrong with the settings.
 */
export async function childRoute(house: House, parent: ModelRoute): Promise<ModelRoute> {
  const { settings } = house.config;
  const place = { provider: settings["delegation.provider"], base_url: settings["delegation.base_url"] };
  const access = { api_key: settings["delegation.api_key"], api_mode: settings["delegation.api_mode"] };
  const model = settings["delegation.model"];
  const hasPlace = Object.values(place).some(Boolean);
  if (!hasPlace && !model) return parent;
  const { choice, problems } = hasPlace
    ? choiceIn(house, { ...place, ...access, default: model })
    : { choice: choiceBeside(house, parent, readChoice(access).choice), problems: [] };
  for (const { key, message } of problems) house.log.warning(`delegation: ${key}: ${message}`);
  const chosen = await selectModel(hasPlace ? undefined : model, choice, house.environment, modelPorts);
  const limits = { maxRetries: settings["agent.api_max_retries"] };
  return createRoute([chosen.candidate, ...(await fallbacks(house))], limits, modelPorts);
}

type Choice = ReturnType<typeof choiceIn>["choice"];

/** Another model at a route's own provider: that of `model:` with all that is said there, or the one that `--model` named. */
export function choiceBeside(house: House, { current }: ModelRoute, access: Choice): Choice {
  const { choice } = choiceIn(house, modelSection(house.config));
  const isMain = choice.provider === current.provider || choice.baseUrl === current.baseUrl;
  if (isMain || current.apiMode === "offline") return { ...choice, ...access };
  const { cache, providers } = choiceIn(house, undefined).choice;
  const shared = { ...(cache && { cache }), ...(providers && { providers }) };
  return { ...shared, provider: current.provider, baseUrl: current.baseUrl, ...access };
}
