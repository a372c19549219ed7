import { isTruthy, type LogLevel, redact, tellError, variable } from "#host";
import { bounded } from "#plugins";
import type { House } from "../house.ts";

export type PluginLog = (level: LogLevel, message: string, error?: unknown) => void;

/** What is said of plugins: into the log, and with `PLUGINS_DEBUG` all of it to standard error too (docs/reference/plugins.md). */
export function pluginLog({ environment, log, config }: Pick<House, "environment" | "log" | "config">): PluginLog {
  const isDebugging = isTruthy(variable("PLUGINS_DEBUG", environment)) || config.settings["plugins.debug"];
  return (level, message, error) => {
    if (!isDebugging) return log.write(level, message, error === undefined ? {} : { error });
    const trace = error instanceof Error && error.stack !== undefined ? `\n${bounded(error.stack)}` : "";
    log.write(level, `[plugins] ${level.toUpperCase()} ${message}${trace}`);
    tellError(`${redact(`[plugins] ${level.toUpperCase()} ${message}${trace}`)}\n`);
  };
}
