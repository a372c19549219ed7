import { launchCommand } from "#host";
import { createRuntime, type Plugins } from "#runtime";
import { slashCommands } from "../chat/slash.ts";
import type { CommandContext } from "../command.ts";

/** Loads the plugins as a chat in this folder would, and lets them go again. */
export async function withPlugins<T>(
  { home, cwd, version }: CommandContext,
  work: (plugins: Plugins) => Promise<T>,
): Promise<T> {
  const runtime = await createRuntime({
    home,
    cwd,
    version,
    program: launchCommand(),
    slashCommands,
    hooks: { acceptHooks: false, projectHooks: false },
  });
  try {
    return await work(await runtime.plugins());
  } finally {
    await runtime.close("listed");
  }
}
