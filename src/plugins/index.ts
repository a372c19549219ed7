export * from "./gateway-hooks/index.ts";
export type { LoadedPlugin, PluginLoader } from "./loader.ts";
export type { Candidate, EnvironmentNeed, Manifest, PluginCode, PluginKind, PluginSource } from "./manifest.ts";
export { type Occasion, occasion, onOccasion } from "./occasion.ts";
export type * from "./plugin-context.ts";
export type * from "./provider.ts";
export type * from "./registration.ts";
export { type Registry, registry, type Undo } from "./registry.ts";
