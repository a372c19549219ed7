import { clipped } from "#host";
import type { Plugins } from "#plugins";
import type { House } from "../house.ts";

/** Columns of what went wrong; the whole of it is in the log. */
const mostColumns = 300;

/** What a person should know of the plugins that they have enabled: those that are not there, and those that could not be loaded. */
export function pluginWarnings(plugins: Pick<Plugins, "find">, { config }: Pick<House, "config">): readonly string[] {
  const { "plugins.enabled": enabled, "plugins.disabled": disabled } = config.settings;
  return [...new Set(enabled)].flatMap((name) => {
    if (disabled.includes(name)) return [];
    const report = plugins.find(name);
    if (report === undefined)
      return [
        `${config.file}: plugins.enabled: there is no plugin '${name}'; 'talaria plugins list' shows what is there`,
      ];
    if (report.loaded || report.error === undefined || disabled.includes(report.key)) return [];
    const [reason = ""] = report.error.split("\n");
    const more = `'talaria plugins info ${report.key}' tells more`;
    return [`plugin ${report.key} is not loaded: ${clipped(reason, mostColumns)}; ${more}`];
  });
}
