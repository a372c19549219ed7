import type * as zod from "zod";
import type { MaybePromise, Z } from "#kernel";
import type { PluginContext, PluginModule } from "./plugin-context.ts";

type ConfigSchema = (z: Z) => zod.ZodType;

/** A plugin as its module exports it by default. */
export interface PluginDefinition<S extends ConfigSchema = ConfigSchema> {
  /** What `plugins.entries.<key>` has to be: checked before `register`, which gets what the schema makes of it. */
  readonly config?: S;
  register(context: Omit<PluginContext, "config"> & { readonly config: zod.infer<ReturnType<S>> }): MaybePromise<void>;
}

/** Gives a plugin its types: `export default definePlugin((context) => { … })`, or an object with `register` and `config`. */
export function definePlugin(register: (context: PluginContext) => MaybePromise<void>): PluginModule;
export function definePlugin<S extends ConfigSchema>(
  definition: PluginDefinition<S> & { readonly config: S },
): PluginModule;
export function definePlugin(definition: PluginModule): PluginModule;
export function definePlugin(
  plugin: PluginModule | ((context: PluginContext) => MaybePromise<void>) | PluginDefinition,
): PluginModule {
  return (typeof plugin === "function" ? { register: plugin } : plugin) as PluginModule;
}
