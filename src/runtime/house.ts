import { type Config, describeProblem, findHome, type Home, homeFile, loadConfig, prepareHome } from "#config";
import {
  type Environment,
  isTruthy,
  type Log,
  log,
  logLevel,
  environment as ownEnvironment,
  readDotenv,
  registerEnvironmentSecrets,
  useTimeZone,
  variable,
} from "#host";

export interface HouseOptions {
  /** `--home`. */
  readonly home: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly environment?: Environment;
  /** Wins over the settings. */
  readonly toolsets?: readonly string[] | undefined;
  /** Nothing is created or written, not even a log. */
  readonly readOnly?: boolean;
}

/** What everything stands on: the home, its settings, the environment with the home's `.env`, and the log. */
export interface House {
  readonly home: Home;
  readonly config: Config;
  /** The process's environment wins over the home's `.env`. */
  readonly environment: Environment;
  readonly log: Log;
  /** What is wrong with the settings, one sentence each, with file and line. */
  readonly warnings: readonly string[];
}

/** Opens the house. Rejects with a `ConfigError` when there can be no home; wrong settings are only warnings. */
export async function openHouse({
  home: option,
  cwd,
  environment = ownEnvironment(),
  toolsets,
  readOnly,
}: HouseOptions): Promise<House> {
  const home = await findHome({ cwd, environment, ...(option === undefined ? {} : { option }) });
  if (!readOnly) await prepareHome(home);
  const warnings: string[] = [];
  const dotenv = await readDotenv(homeFile.environment(home), environment).catch((error: unknown) => {
    warnings.push(error instanceof Error ? error.message : String(error));
    return { values: {}, badLines: [] };
  });
  for (const line of dotenv.badLines)
    warnings.push(`${homeFile.environment(home)}:${line}: no assignment; the line is left out`);
  const whole = { ...dotenv.values, ...environment };
  registerEnvironmentSecrets(whole);
  const named = toolsets && { toolsets: { value: toolsets, name: "--toolsets" } };
  const config = await loadConfig({
    file: homeFile.config(home),
    environment: whole,
    ...(named && { options: named }),
  });
  warnings.push(...config.problems.map(describeProblem));
  useTimeZone(config.settings.timezone);
  return {
    home,
    config,
    environment: whole,
    warnings,
    log:
      readOnly || !home.isWritable
        ? silent
        : fileLog(home, config, isTruthy(variable("PLUGINS_DEBUG", whole)) || config.settings["plugins.debug"]),
  };
}

function fileLog(home: Home, { settings }: Config, isDebugging: boolean): Log {
  return log({
    file: homeFile.log(home),
    level: isDebugging ? "debug" : (logLevel(settings["logging.level"]) ?? "info"),
    maxBytes: settings["logging.max_size_mb"] * 1_000_000,
    keep: settings["logging.backup_count"],
    isRaw: !settings["security.redact_secrets"],
  });
}

const nothing = (): void => undefined;
const silent: Log = {
  write: nothing,
  debug: nothing,
  info: nothing,
  warning: nothing,
  error: nothing,
  flush: async () => undefined,
  trouble: undefined,
};
