import type { Helper } from "#agent";
import type { Config } from "#config";
import { createRoute, type ModelRoute, readChoice, selectModel } from "#models";
import type { AuxiliaryTask } from "#plugins";
import { choiceBeside } from "./child-route.ts";
import type { House } from "./house.ts";
import { choiceIn, fallbacks, modelPorts } from "./model-route.ts";

type Values = Readonly<Record<string, unknown>>;

/** Who helps with which task (docs/reference/plugins-in-use.md). */
export interface Auxiliary {
  /** Rejects with what is wrong with the settings of the task. */
  helper(task: string, own: ModelRoute, registered?: AuxiliaryTask): Promise<Helper>;
}

export function auxiliary(house: House, config: () => Promise<Config>): Auxiliary {
  const routes = new Map<string, Promise<ModelRoute>>();
  return {
    async helper(task, own, registered) {
      const section = taskSection(task, registered?.defaults, await config(), house.environment);
      const timeout = Number(section["timeout"]);
      const extraBody = section["extra_body"];
      const limit = Number.isFinite(timeout) && timeout > 0 ? { limitMs: timeout * 1000 } : {};
      const extra = isMapping(extraBody) && Object.keys(extraBody).length > 0 ? { extraBody } : {};
      return { ...limit, ...extra, route: await routeFor(house, task, section, { own, routes }) };
    },
  };
}

const isMapping = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The environment (`AUXILIARY_<TASK>_MODEL` and its like) over the file over what the plugin registered. */
function taskSection(
  task: string,
  defaults: Values | undefined,
  config: Config,
  environment: House["environment"],
): Values {
  const inFile = config.settings.auxiliary[task];
  const names = ["provider", "model", "base_url", "api_key", "timeout"];
  const fromEnvironment = names.flatMap((name) => {
    const value = environment[`AUXILIARY_${task.toUpperCase()}_${name.toUpperCase()}`]?.trim();
    return value ? [[name, value] as const] : [];
  });
  const given = Object.entries(isMapping(inFile) ? inFile : {}).filter(([, value]) => value !== null && value !== "");
  return { ...defaults, ...Object.fromEntries(given), ...Object.fromEntries(fromEnvironment) };
}

interface Around {
  readonly own: ModelRoute;
  readonly routes: Map<string, Promise<ModelRoute>>;
}

function routeFor(house: House, task: string, section: Values, { own, routes }: Around): Promise<ModelRoute> {
  const text = (name: string): string => (typeof section[name] === "string" ? section[name].trim() : "");
  const provider = ["auto", "main"].includes(text("provider").toLowerCase()) ? "" : text("provider");
  const wanted = { provider, base_url: text("base_url"), api_key: text("api_key"), default: text("model") };
  if (Object.values(wanted).every((value) => value === "")) return Promise.resolve(own);
  const isBeside = provider === "" && wanted.base_url === "";
  const beside = isBeside ? `${own.current.provider} ${own.current.baseUrl}` : "";
  const key = JSON.stringify([wanted, beside]);
  const known = routes.get(key);
  if (known !== undefined) return known;
  const made = isBeside ? besideRoute(house, wanted, own) : ownRoute(house, task, wanted);
  routes.set(key, made);
  made.catch(() => routes.delete(key)); // whoever asked is told; the next one tries anew
  return made;
}

async function ownRoute(house: House, task: string, section: Values): Promise<ModelRoute> {
  const { choice, problems } = choiceIn(house, section);
  for (const { key, message } of problems) house.log.warning(`auxiliary.${task}: ${key}: ${message}`);
  const { candidate } = await selectModel(undefined, choice, house.environment, modelPorts);
  return routeOver(house, candidate);
}

async function besideRoute(house: House, section: Values, own: ModelRoute): Promise<ModelRoute> {
  const { choice } = readChoice({ api_key: section["api_key"] });
  const model =
    typeof section["default"] === "string" && section["default"] !== "" ? section["default"] : own.current.id;
  const beside = choiceBeside(house, own, choice);
  const { candidate } = await selectModel(undefined, { ...beside, model }, house.environment, modelPorts);
  return routeOver(house, candidate);
}

async function routeOver(house: House, candidate: Parameters<typeof createRoute>[0][number]): Promise<ModelRoute> {
  const limits = { maxRetries: house.config.settings["agent.api_max_retries"] };
  return createRoute([candidate, ...(await fallbacks(house))], limits, modelPorts);
}
