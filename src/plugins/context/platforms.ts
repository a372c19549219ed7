import type { AuxiliaryTask, PlatformRegistration, SlackAction } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { described, given, invalid, isMapping, needsFunction, needsText } from "./checks.ts";
import type { ContextParts } from "./parts.ts";

const named = ["name", "label", "adapterFactory", "check", "validateConfig", "requiredEnv", "installHint"];

/** Keys of a platform's entry beyond those that have a field of their own. */
const entryKeys = new Set(
  (
    "setup setupFn source pluginName allowedUsersEnv allowAllEnv maxMessageLength piiSafe emoji allowUpdateCommand " +
    "platformHint envEnablement envEnablementFn applyYamlConfig applyYamlConfigFn cronDeliverEnvVar standaloneSender " +
    "standaloneSenderFn isConnected enforcesOwnAccessPolicy supportsCodeBlocks typedCommandPrefix"
  ).split(" "),
);

export function registerPlatform(
  platform: Omit<PlatformRegistration, "rest"> & Readonly<Record<string, unknown>>,
  { scope, owner }: ContextParts,
): Undo {
  const values = given("registerPlatform", platform);
  for (const key of ["name", "label"]) needsText("registerPlatform", values, key);
  for (const key of ["adapterFactory", "check"]) needsFunction("registerPlatform", values, key);
  const rest = Object.fromEntries(Object.entries(values).filter(([key]) => !named.includes(key)));
  const unknown = Object.keys(rest).find((key) => !entryKeys.has(key));
  if (unknown !== undefined)
    throw invalid(
      `registerPlatform got an unexpected key '${unknown}'; it knows ${[...named, ...entryKeys].join(", ")}`,
    );
  const own = Object.fromEntries(named.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]));
  const entry = { ...own, rest: { source: "plugin", pluginName: owner.name, ...rest } };
  return scope.add("platform", entry as unknown as PlatformRegistration);
}

export function registerSlackAction(handler: SlackAction, { scope }: ContextParts): Undo {
  const values = given("registerSlackActionHandler", handler);
  needsFunction("registerSlackActionHandler", values, "callback");
  const { actionId } = values;
  const blank = actionId === undefined || actionId === null || (typeof actionId === "string" && actionId.trim() === "");
  if (blank) throw invalid(`registerSlackActionHandler: actionId has to be given, and is ${described(actionId)}`);
  return scope.add("slackAction", handler);
}

/** Auxiliary tasks of the program itself. */
const ownTasks = new Set([
  "vision",
  "compression",
  "web_extract",
  "approval",
  "mcp",
  "title_generation",
  "tts_audio_tags",
  "skills_hub",
  "triage_specifier",
  "kanban_decomposer",
  "profile_describer",
  "curator",
]);

const taskDefaults = { provider: "auto", model: "", base_url: "", api_key: "", timeout: 60, extra_body: {} };

/** Registers an auxiliary task; a second time by the same plugin it takes the place of the first. */
export function registerAuxiliaryTask(task: AuxiliaryTask, { scope, registry, owner }: ContextParts): Undo {
  const values = given("registerAuxiliaryTask", task);
  const { key } = values;
  if (typeof key !== "string" || key === "")
    throw invalid(`registerAuxiliaryTask: key has to be a text that is not empty, and is ${described(key)}`);
  if (!/^[\p{L}\p{N}_]+$/u.test(key))
    throw invalid(`registerAuxiliaryTask: key '${key}' may hold letters, digits and _ only`);
  if (ownTasks.has(key)) throw invalid(`registerAuxiliaryTask: '${key}' is a task of the program itself`);
  const other = registry.of("auxiliaryTask").find((one) => one.value.key === key && one.owner.key !== owner.key);
  if (other !== undefined)
    throw invalid(`registerAuxiliaryTask: '${key}' is already registered by plugin ${other.owner.key}`);
  if (values["defaults"] !== undefined && !isMapping(values["defaults"]))
    throw invalid(`registerAuxiliaryTask: defaults of '${key}' have to be an object`);
  const { displayName, description } = task;
  return scope.add("auxiliaryTask", {
    key,
    displayName: typeof displayName === "string" && displayName !== "" ? displayName : key,
    description: typeof description === "string" ? description : "",
    defaults: { ...taskDefaults, ...task.defaults },
  });
}
