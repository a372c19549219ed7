import type { TurnContext } from "#agent";
import {
  executors,
  type HookEngine,
  type HookExecutors,
  hookEngine,
  type LiveHooks,
  liveHooks,
  readSources,
} from "#hooks";
import { isTruthy, variable } from "#host";
import type { Layer } from "#kernel";
import type { HookOptions } from "../hooks.ts";
import { type HookPortsParts, hookPorts } from "./hook-ports.ts";

/** The hooks of a runtime, running. Loaded only where something is configured. */
export interface HookHouse {
  readonly live: LiveHooks;
  readonly engine: HookEngine;
  readonly executors: HookExecutors;
  /** Reads all sources anew and puts their rules in force. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export async function openHookHouse(
  layer: Layer<TurnContext>,
  parts: HookPortsParts,
  options: HookOptions,
): Promise<HookHouse> {
  const { house, cwd } = parts;
  const { settings } = house.config;
  const ports = hookPorts(parts);
  const accepted =
    (options.acceptHooks ?? false) ||
    settings.hooks_auto_accept ||
    isTruthy(variable("ACCEPT_HOOKS", house.environment));
  const run = executors(ports, { allowPrivateHosts: settings["hook_limits.private_hosts"] });
  const engine = hookEngine({
    executors: run.run,
    ports,
    mayRun: ({ source }) =>
      source.trust === "none" || accepted
        ? undefined
        : "not accepted: start with --accept-hooks, or set hooks_auto_accept",
    settings: {
      turnLimitMs: settings["hook_limits.turn_seconds"] * 1000,
      breakerFailures: settings["hook_limits.failures"],
      breakerOpenMs: settings["hook_limits.pause_seconds"] * 1000,
    },
  });
  const live = liveHooks<TurnContext>(layer, engine);
  const refresh = async (): Promise<void> => {
    const { sets } = await readSources({
      home: house.home.path,
      secondHome: house.home.second,
      project: cwd,
      environment: house.environment,
      projectTrusted: accepted,
      projectHooks: options.projectHooks ?? true,
      settingsOption: options.settings,
    });
    for (const { problems } of sets)
      for (const { where, message, level } of problems)
        house.log.write(level === "warning" ? "warning" : "info", `hooks: ${where}: ${message}`);
    await live.apply(sets);
  };
  await refresh();
  return { live, engine, executors: run, refresh, close: () => run.close() };
}
