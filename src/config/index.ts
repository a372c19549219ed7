export {
  type Config,
  type ConfigSources,
  describeOrigin,
  loadConfig,
  type Origin,
} from "./config.ts";
export { appendItem, parseSetting, removeItem, setKey, splitPath, unsetKey } from "./edit.ts";
export { ConfigError, type ConfigErrorCode, isConfigError } from "./error.ts";
export { type ConfigFile, type FileEntry, readConfigFile } from "./file-reader.ts";
export { findHome, type Home, type HomeSearch, homeFile, prepareHome } from "./home.ts";
export type { Key, Mapping, Shape } from "./key.ts";
export { type KeyPath, keyAt, keyPaths, type Settings } from "./keys/index.ts";
export { nearest } from "./nearest.ts";
export { describeProblem, type Problem } from "./problem.ts";
export { configReference, configSchema } from "./reference.ts";
export { nearestPath } from "./unknown-keys.ts";
export { parseYamlText } from "./yaml-text.ts";
