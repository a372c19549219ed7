import type { Candidate, PluginCode } from "./manifest.ts";
import type { PluginContext } from "./plugin-context.ts";

/** Brings a plugin's code to life. One for each language. */
export interface PluginLoader<L extends PluginCode["language"] = PluginCode["language"]> {
  readonly language: L;
  /**
   * Imports the plugin and runs its `register`. Rejects with an error whose message names the file and what to do;
   * whatever had been registered by then is undone by the caller. `fresh`: the code is read anew, it was loaded before.
   */
  load(candidate: Candidate, context: PluginContext, options: { readonly fresh: boolean }): Promise<LoadedPlugin>;
  /** Starts what was put off until it is needed, so that the first call does not wait for it. */
  wake?(): Promise<void>;
  /** Ends what the loader keeps running. */
  close(): Promise<void>;
}

export interface LoadedPlugin {
  /** Lets go of the code, after everything it had registered was undone. */
  unload(): Promise<void>;
}
