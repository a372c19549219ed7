import { type LineEditor, launchCommand, type Terminal } from "#host";
import { createRuntime, openHouse, type PluginCli, type Runtime } from "#runtime";
import { slashCommands } from "./chat/slash.ts";
import type { Command, CommandContext } from "./command.ts";

export interface PluginCommands {
  readonly commands: readonly Command[];
  close(): Promise<void>;
}

const none: PluginCommands = { commands: [], close: async () => undefined };

/** The commands that enabled plugins add to the program; names of its own cannot be taken. Nothing is loaded where none is enabled. */
export async function pluginCommands(
  { home, cwd, version, terminal }: Omit<CommandContext, "commands">,
  taken: readonly string[],
): Promise<PluginCommands> {
  const house = await openHouse({ home, cwd, readOnly: true }).catch(() => undefined); // told by the command that needs it
  if (house === undefined || house.config.settings["plugins.enabled"].length === 0) return none;
  let runtime: Runtime;
  try {
    const hooks = { acceptHooks: false, projectHooks: false };
    runtime = await createRuntime({ home, cwd, version, hooks, program: launchCommand(), slashCommands });
  } catch (error) {
    terminal.writeError(
      `talaria: commands of plugins are left out: ${error instanceof Error ? error.message : error}\n`,
    );
    return none;
  }
  await runtime.plugins();
  const commands = runtime.cliCommands().flatMap((command) => {
    if (!taken.includes(command.name)) return [commandOf(command)];
    runtime.log("warning", `plugin ${command.plugin}: the program has a command '${command.name}' of its own`);
    return [];
  });
  return { commands, close: () => runtime.close("the command ended") };
}

function commandOf(command: PluginCli): Command {
  const { name, help, description, arguments: expected, options = [], parsesItself, plugin } = command;
  return {
    name,
    about: help || description || `Command of the plugin ${plugin}`,
    ...(parsesItself === true ? { parsesItself } : { options, ...(expected && { arguments: expected }) }),
    load:
      async () =>
      async (input, { terminal }) => {
        const person = askedPerson(terminal);
        try {
          return await command.run({
            arguments: input.arguments,
            options: input.options,
            words: input.words ?? input.arguments,
            print: (text) => terminal.write(text.endsWith("\n") ? text : `${text}\n`),
            write: (text, stream) => (stream === "stderr" ? terminal.writeError(text) : terminal.write(text)),
            ask: person.ask,
          });
        } finally {
          person.close();
        }
      },
  };
}

/** Answers from the terminal, or line by line from a pipe. */
function askedPerson(terminal: Terminal): {
  readonly ask: Parameters<PluginCli["run"]>[0]["ask"];
  close(): void;
} {
  let editor: LineEditor | undefined;
  const close = (): void => {
    editor?.close();
    editor = undefined;
  };
  return {
    async ask(question, { secret = false } = {}) {
      editor ??= terminal.lines({ history: [], complete: () => [] });
      const prompt = `${question}: `;
      if (!terminal.inputIsTerminal) terminal.write(prompt);
      try {
        return await (secret ? editor.readHidden(prompt) : editor.read(prompt));
      } finally {
        // What was typed must not be found again with the arrow keys; lines of a pipe would be lost with their reader.
        if (terminal.inputIsTerminal) close();
      }
    },
    close,
  };
}
