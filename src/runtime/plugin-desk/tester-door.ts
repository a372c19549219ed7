import type { PluginModule } from "#plugins";
import type { PluginTester, TesterOptions } from "./plugin-tester.ts";

/**
 * Loads a plugin, a folder or what `definePlugin` gave, in an empty home of its own, and puts it into the hands of its test.
 * Rejects with the reason where it cannot be loaded. `close` it when the test is over (docs/guide/write-a-plugin.md).
 */
export async function pluginTester(plugin: string | PluginModule, options?: TesterOptions): Promise<PluginTester> {
  const { openTester } = await import("./plugin-tester.ts");
  return openTester(plugin, options);
}
