import { createRuntime } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "./command.ts";
import { runtimeOptions, switchOption } from "./options.ts";
import { table, tableWidth } from "./table.ts";

/** `talaria tools`: what the model would be given in this folder. */
export async function tools(input: CommandInput, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const runtime = await createRuntime(runtimeOptions(input, context));
  try {
    await runtime.connected();
    const listed = (await runtime.open({ cwd: runtime.cwd, source: "tools" }))
      .tools()
      .map(({ name, toolset, description, parameters }) => ({ name, toolset, description, parameters }));
    if (switchOption(input, "json")) terminal.write(`${JSON.stringify(listed, null, 2)}\n`);
    else {
      const titled = (toolset: string): string => runtime.toolsetTitle(toolset) ?? toolset;
      const rows = listed.map(({ name, toolset, description }) => [
        name,
        titled(toolset),
        description.split("\n", 1)[0] ?? "",
      ]);
      terminal.write(`${table(rows, tableWidth(terminal))}\n`);
    }
    return exitStatus.success;
  } finally {
    await runtime.close("listed");
  }
}
