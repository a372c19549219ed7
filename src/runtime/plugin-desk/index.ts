export { type Origin, openPluginDesk, originOf, type PluginDesk } from "./desk.ts";
export { examinePlugins, type PluginFinding, reviewOf } from "./examination.ts";
export {
  installedPlugin,
  keepVariable,
  missingVariables,
  type Offer,
  offerPlugin,
  removePlugin,
  type Update,
  updatePlugin,
} from "./installing.ts";
export type { OwnTests } from "./own-tests.ts";
export { createPlugin, type ScaffoldLanguage } from "./scaffold.ts";
export { disablePlugin, enablePlugin, forgetPlugin, reloadElsewhere, type Switched } from "./switching.ts";
export { type PluginTrial, type TriedEvent, tryPlugin } from "./trial.ts";
