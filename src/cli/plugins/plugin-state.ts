import type { PluginReport } from "#runtime";

export type PluginState = "enabled" | "disabled" | "not enabled" | "failed" | "on demand";

/** The state of a plugin in a word. */
export function stateOf({ enabled, loaded, error }: PluginReport): PluginState {
  if (loaded) return "enabled";
  if (enabled) return "on demand";
  if (error === "disabled via config") return "disabled";
  return error === undefined || /^(?:not enabled in config|exclusive plugin)/.test(error) ? "not enabled" : "failed";
}

/** `2 tools, 1 hook`. */
export function registered({ tools, hooks, middleware, commands, others }: PluginReport): string {
  const counts: readonly (readonly [number, string])[] = [
    [tools.length, "tool"],
    [hooks.length, "hook"],
    [middleware.length, "middleware"],
    [commands.length, "command"],
    [others.length, "other"],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}${count === 1 || name === "middleware" ? "" : "s"}`)
    .join(", ");
}
