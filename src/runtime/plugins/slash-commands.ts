import type { Log } from "#host";
import { onOccasion, type PluginManager, type Registered, type Registry } from "#plugins";

/** A slash command of the program itself, as lists show it. */
export interface ProgramCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly argument?: string;
  readonly about: string;
}

/** A slash command of a plugin, as a chat offers it. */
export interface PluginSlash {
  /** Without the slash. */
  readonly name: string;
  readonly about: string;
  /** Such as `<file>`; empty: it takes nothing. */
  readonly argsHint: string;
  readonly plugin: string;
  /** What is to be shown, `""` for nothing. Rejects with the plugin's error, or with the signal's reason. */
  run(rawArgs: string, signal: AbortSignal): Promise<string>;
}

/** The slash commands of all plugins, by name; of two with one name the later plugin's counts, which is logged once. */
export function slashCommandsOf(registry: Registry, manager: PluginManager, log: Log): () => readonly PluginSlash[] {
  const told = new Set<string>();
  let made: readonly PluginSlash[] = [];
  let revision = -1;
  return () => {
    if (revision === registry.revision) return made;
    revision = registry.revision;
    const byName = new Map<string, Registered<"command">>();
    for (const registered of registry.of("command")) {
      const { owner, value } = registered;
      const rival = byName.get(value.name)?.owner.key;
      const clash = `/${value.name} ${rival} ${owner.key}`;
      if (rival !== undefined && rival !== owner.key && !told.has(clash)) {
        told.add(clash);
        log.warning(`plugin ${owner.key}: its slash command /${value.name} takes the place of that of ${rival}`);
      }
      byName.set(value.name, registered);
    }
    made = [...byName.values()].map((registered) => slashOf(registered, manager));
    return made;
  };
}

function slashOf({ owner, value }: Registered<"command">, house: PluginManager): PluginSlash {
  return {
    name: value.name,
    about: value.description,
    argsHint: value.argsHint,
    plugin: owner.key,
    async run(rawArgs, signal) {
      const ended = AbortSignal.any([signal, owner.signal]);
      const answer = (async () => onOccasion({ house, plugin: owner.key }, () => value.handler(rawArgs)))();
      const text: unknown = await Promise.race([answer, aborted(ended)]);
      return text === undefined || text === null || text === false ? "" : String(text);
    },
  };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_settle, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
