import { isKnownToolset } from "#agent";
import { type Config, describeOrigin, type KeyPath } from "#config";

/** Names of toolsets that nothing brings. With plugins switched on any name may be one of theirs. */
export function toolsetWarnings(config: Config): readonly string[] {
  const { settings } = config;
  if (settings["plugins.enabled"].length > 0) return [];
  const isKnown = (name: string): boolean =>
    isKnownToolset(name) || Object.hasOwn(settings.mcp_servers, name.replace(/^mcp-/, ""));
  return (["toolsets", "agent.disabled_toolsets"] as const satisfies readonly KeyPath[]).flatMap((path) =>
    settings[path]
      .filter((name) => !isKnown(name))
      .map((name) => `${describeOrigin(config.originOf(path))}: ${path}: there is no toolset ${name}`),
  );
}
