import { now, redact } from "#host";
import { modelRoute, offeredModels, openHouse, testModel } from "#runtime";
import { type CommandContext, type CommandInput, exitStatus } from "./command.ts";
import { setValue } from "./config.ts";
import { switchOption } from "./options.ts";

/** `talaria model`: shows the model in force; with a name picks it; `--list` and `--test` ask the provider. */
export async function model(input: CommandInput, context: CommandContext): Promise<number> {
  const { terminal, home, cwd } = context;
  const house = await openHouse({ home, cwd });
  const [reference] = input.arguments;
  const { current } = await modelRoute(house, reference);
  const shown = {
    provider: current.provider,
    model: current.id,
    baseUrl: redact(current.baseUrl),
    contextWindow: current.contextWindow,
  };
  if (switchOption(input, "list"))
    return list(context, await offeredModels(house, reference), switchOption(input, "json"));
  if (switchOption(input, "test")) {
    const { text, milliseconds, responseModel } = await testModel(
      current,
      { signal: new AbortController().signal },
      now,
    );
    if (switchOption(input, "json"))
      terminal.write(`${JSON.stringify({ ...shown, text, milliseconds, responseModel }, null, 2)}\n`);
    else
      terminal.write(
        `${current.provider}/${current.id} answered '${text.trim().slice(0, 60)}' in ${milliseconds} ms\n`,
      );
    return exitStatus.success;
  }
  if (reference !== undefined) {
    await setValue(house, "model.provider", current.provider);
    await setValue(house, "model.default", current.id);
    terminal.write(
      `${house.config.file}: the model is ${current.provider}/${current.id}; 'talaria model --test' asks it for a word\n`,
    );
    return exitStatus.success;
  }
  if (switchOption(input, "json")) terminal.write(`${JSON.stringify(shown, null, 2)}\n`);
  else terminal.write(`${`${current.provider}/${current.id}  ${redact(current.baseUrl)}`.trimEnd()}\n`);
  return exitStatus.success;
}

function list({ terminal }: CommandContext, names: readonly string[], json: boolean): number {
  terminal.write(json ? `${JSON.stringify(names, null, 2)}\n` : names.map((name) => `${name}\n`).join(""));
  return exitStatus.success;
}
