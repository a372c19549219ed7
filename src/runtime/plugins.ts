import type { Agent, TurnContext } from "#agent";
import { loadConfig } from "#config";
import { type FileFacts, fileFacts, isTruthy, variable } from "#host";
import type { Layer } from "#kernel";
import type { Plugins } from "#plugins";
import type { House } from "./house.ts";

/** Plugins as the runtime holds them: where none is enabled, nothing of them is loaded until somebody asks. */
export interface PluginDesk {
  /** Loads the enabled ones, if there are any. */
  ready(): Promise<void>;
  /** The room itself, opened by this. */
  open(): Promise<Plugins>;
  /** The loop, before each of whose turns an edit of the configuration comes into force. */
  around(agent: Agent): Agent;
  close(): Promise<void>;
}

export interface PluginPlace {
  readonly house: House;
  readonly cwd: string;
  readonly ownCommands: readonly string[];
}

export function plugins(layer: Layer<TurnContext>, place: PluginPlace): PluginDesk {
  const { house } = place;
  const { file } = house.config;
  let opened: Promise<Plugins> | undefined;
  let seen: FileFacts | undefined;
  const open = (): Promise<Plugins> => {
    opened ??= import("./plugins/plugin-house.ts").then(({ openPlugins }) => openPlugins({ ...place, layer }));
    return opened;
  };
  const refresh = async (): Promise<void> => {
    const facts = await fileFacts(file).catch(() => undefined); // gone, or not to be read: what was read stays
    if (facts === undefined || (facts.modifiedMs === seen?.modifiedMs && facts.identity === seen.identity)) return;
    const isFirst = seen === undefined;
    seen = facts;
    if (isFirst) return;
    const config = await loadConfig({ file, environment: house.environment });
    if (config.settings["plugins.enabled"].length === 0 && opened === undefined) return;
    const { pluginSettings } = await import("./plugins/plugin-house.ts");
    await (await open()).apply(pluginSettings({ config }));
  };
  return {
    open,
    async ready() {
      await refresh();
      const isSafe = isTruthy(variable("SAFE_MODE", house.environment));
      if (!isSafe && house.config.settings["plugins.enabled"].length > 0) await open();
    },
    around: (agent) => ({
      open: (options) => agent.open(options),
      async runTurn(session, input, surface) {
        await refresh();
        return agent.runTurn(session, input, surface);
      },
    }),
    close: async () => (await opened)?.close(),
  };
}
