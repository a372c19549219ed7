import type { Agent, TurnContext } from "#agent";
import { loadConfig } from "#config";
import { type FileFacts, fileFacts, isTruthy, now, variable } from "#host";
import type { Layer } from "#kernel";
import type { Plugins } from "#plugins";
import type { House } from "./house.ts";
import type { PluginHouse, PluginParts } from "./plugins/plugin-house.ts";
import { printedLines } from "./python/printed-lines.ts";
import { reloadFile } from "./reload-file.ts";

/** Plugins as the runtime holds them: where none is enabled, nothing of them is loaded until somebody asks. */
export interface PluginDesk {
  /** What people should know of the plugins that they enabled, once `ready`. */
  readonly warnings: readonly string[];
  /** Loads the enabled ones, if there are any. */
  ready(): Promise<void>;
  /** The room itself, opened by this. */
  open(): Promise<Plugins>;
  /** The room, once it is open. */
  current(): Plugins | undefined;
  /** What of the plugins is in use; undefined before the room was opened. */
  readonly inUse: PluginHouse | undefined;
  /** The loop, before each of whose turns an edit of the configuration comes into force. */
  around(agent: Agent): Agent;
  close(): Promise<void>;
}

export type PluginPlace = Omit<PluginParts, "layer" | "print">;

export function plugins(layer: Layer<TurnContext>, place: PluginPlace): PluginDesk {
  const { house } = place;
  const { file } = house.config;
  let opened: Promise<PluginHouse> | undefined;
  let current: PluginHouse | undefined;
  let since = now();
  const warnings: string[] = [];
  const printed = printedLines();
  const config = changes(file);
  const reloads = changes(reloadFile(house.home.path));
  const begin = async (): Promise<PluginHouse> => {
    const { openPlugins } = await import("./plugins/plugin-house.ts");
    current = await openPlugins({ ...place, layer, print: printed.print });
    return current;
  };
  const open = async (): Promise<Plugins> => {
    opened ??= begin();
    return (await opened).plugins;
  };
  /** What another process, or the person with an editor, has changed since the last turn. */
  const refresh = async (): Promise<void> => {
    const [isEdited, isAsked] = await Promise.all([config(), reloads()]);
    if (isEdited) {
      const read = await loadConfig({ file, environment: house.environment });
      if (read.settings["plugins.enabled"].length > 0 || opened !== undefined) {
        const { pluginSettings } = await import("./plugins/plugin-house.ts");
        await (await open()).apply(pluginSettings({ config: read }));
      }
    }
    if (isAsked && opened !== undefined) {
      const { reloadAsked } = await import("./plugins/reload-request.ts");
      const looked = now();
      await reloadAsked((await opened).plugins, house, since);
      since = looked;
    }
  };
  return {
    warnings,
    open,
    current: () => current?.plugins,
    get inUse() {
      return current;
    },
    async ready() {
      await Promise.all([config(), reloads()]);
      const isSafe = isTruthy(variable("SAFE_MODE", house.environment));
      if (isSafe || !isWanted(house)) return;
      const { pluginWarnings } = await import("./plugins/plugin-warnings.ts");
      warnings.push(...pluginWarnings(await open(), house));
    },
    around: (agent) => ({
      open: (options) => agent.open(options),
      async runTurn(session, input, surface) {
        await refresh();
        const run = () => printed.during(surface, () => agent.runTurn(session, input, surface));
        if (current === undefined) return run();
        const { onOccasion } = await import("#plugins");
        return onOccasion({ house: current.manager }, run);
      },
    }),
    async close() {
      if (opened === undefined) return;
      await (await opened).close();
      const { closePython } = await import("./python/python-house.ts");
      await closePython(house);
    },
  };
}

const isWanted = ({ config: { settings } }: House): boolean =>
  settings["plugins.enabled"].length > 0 || settings["memory.provider"] !== "";

/** Whether a file has become another since the last call. The first call looks only. */
function changes(file: string): () => Promise<boolean> {
  let seen: FileFacts | undefined;
  let hasLooked = false;
  return async () => {
    const facts = await fileFacts(file).catch(() => undefined); // not to be read: what was read stays
    const isSame = facts?.modifiedMs === seen?.modifiedMs && facts?.identity === seen?.identity;
    const isChange = hasLooked && !isSame && facts !== undefined;
    hasLooked = true;
    seen = facts ?? seen;
    return isChange;
  };
}
