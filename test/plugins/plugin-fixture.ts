import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type HookHouse, hookHouse } from "../hooks/hook-fixture.ts";

export interface PluginHome extends HookHouse {
  /** Writes a plugin into the home's folder of plugins, its manifest beside it. */
  plugin(name: string, source: string, more?: PluginFiles): string;
  /** What `plugins:` of the configuration says, as YAML. */
  plugins(yaml: string): void;
  log(): string;
}

interface PluginFiles {
  readonly manifest?: string;
  readonly entry?: string;
  readonly root?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A home with a model server, and plugins as a person would write them. */
export async function pluginHome(): Promise<PluginHome> {
  const house = await hookHouse();
  const config = house.read("~/.talaria/config.yaml");
  return {
    ...house,
    plugin(
      name,
      source,
      { manifest = `name: ${name.split("/").at(-1)}\n`, entry = "index.ts", root, files = {} } = {},
    ) {
      const folder = join(root ?? join(house.home, ".talaria", "plugins"), name);
      for (const [file, text] of Object.entries({ "plugin.yaml": manifest, [entry]: source, ...files })) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text);
      }
      return folder;
    },
    plugins(yaml) {
      house.write("~/.talaria/config.yaml", `${config}plugins:\n${yaml.replaceAll(/^(?=.)/gm, "  ")}\n`);
    },
    log: () => house.read("~/.talaria/logs/agent.log"),
  };
}

/** A plugin whose `register` is the given body. */
export const registering = (body: string): string =>
  `import { definePlugin } from "talaria/plugin";\nexport default definePlugin(async (context) => {\n${body}\n});\n`;
