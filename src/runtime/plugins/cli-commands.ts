import type { Log } from "#host";
import { type CliCommand, onOccasion, type PluginManager, type Registered, type Registry } from "#plugins";

/** A command that a plugin adds to the program. */
export interface PluginCli extends Omit<CliCommand, "handler"> {
  readonly plugin: string;
  /** The exit status. Rejects with the plugin's error. */
  run(input: Parameters<CliCommand["handler"]>[0]): Promise<number>;
}

/** The commands of all plugins; of two with one name the later plugin's counts. */
export function cliCommandsOf(registry: Registry, house: PluginManager, log: Log): readonly PluginCli[] {
  const byName = new Map<string, Registered<"cliCommand">>();
  for (const registered of registry.of("cliCommand")) {
    const { owner, value } = registered;
    const rival = byName.get(value.name)?.owner.key;
    if (rival !== undefined && rival !== owner.key)
      log.warning(`plugin ${owner.key}: its command 'talaria ${value.name}' takes the place of that of ${rival}`);
    byName.set(value.name, registered);
  }
  return [...byName.values()].map(({ owner, value }) => ({
    ...value,
    plugin: owner.key,
    async run(input) {
      const status: unknown = await onOccasion({ house, plugin: owner.key, write: input.write }, () =>
        value.handler(input),
      );
      return typeof status === "number" && Number.isInteger(status) ? status & 255 : 0;
    },
  }));
}
