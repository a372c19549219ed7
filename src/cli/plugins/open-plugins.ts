import { launchCommand } from "#host";
import { createRuntime, type PluginReport, type Plugins } from "#runtime";
import { slashNames } from "../chat/slash.ts";
import type { CommandContext } from "../command.ts";

/** Loads the plugins as a chat in this folder would, and lets them go again. */
export async function withPlugins<T>(
  { home, cwd, version }: CommandContext,
  work: (plugins: Plugins) => Promise<T>,
): Promise<T> {
  const runtime = await createRuntime({
    home,
    cwd,
    version,
    program: launchCommand(),
    slashCommands: slashNames,
    hooks: { acceptHooks: false, projectHooks: false },
  });
  try {
    return await work(await runtime.plugins());
  } finally {
    await runtime.close("listed");
  }
}

export type PluginState = "enabled" | "disabled" | "not enabled" | "failed" | "on demand";

/** The state of a plugin in a word. */
export function stateOf({ enabled, loaded, error }: PluginReport): PluginState {
  if (loaded) return "enabled";
  if (enabled) return "on demand";
  if (error === "disabled via config") return "disabled";
  return error === undefined || /^(?:not enabled in config|exclusive plugin)/.test(error) ? "not enabled" : "failed";
}
