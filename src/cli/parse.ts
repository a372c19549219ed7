import { Command as Commander, Option } from "commander";
import type { Command, CommandContext, CommandInput } from "./command.ts";

export interface Parsed {
  readonly command: Command;
  readonly input: CommandInput;
  readonly home: string | undefined;
}

type Output = Pick<CommandContext["terminal"], "write" | "writeError">;

/** The words of the command line against the table; undefined when help or an error was printed, with `status` set. */
export function parse(
  words: readonly string[],
  commands: readonly Command[],
  { version, output }: { readonly version: string; readonly output: Output },
): Parsed | { readonly status: number } {
  let found: Parsed | undefined;
  const root = new Commander("talaria")
    .description("An AI agent for the terminal in which every ability is a middleware and every moment can be hooked.")
    .version(version, "-V, --version", "print the version")
    .option("--home <folder>", "Talaria's directory (also TALARIA_HOME; ~/.talaria)")
    .option("--safe-mode", "without config.yaml, plugins, hooks and MCP servers (also TALARIA_SAFE_MODE=1)")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .addHelpText("after", "\nWithout a command: talaria chat. Guides and reference: docs/ in the package's repository.")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: output.write, writeErr: output.writeError });
  const take = (command: Command, input: CommandInput): void => {
    found = { command, input, home: root.opts()["home"] as string | undefined };
  };
  for (const command of commands) add(root, command, take);
  try {
    root.parse(defaulted(behind(words), commands), { from: "user" });
  } catch (error) {
    const { exitCode } = error as { exitCode?: number };
    if (exitCode === undefined) throw error;
    return { status: exitCode === 0 ? 0 : 2 };
  }
  return found ?? { status: 2 };
}

/** `--safe-mode`, which may stand anywhere before `--`, and the words without it. */
export function takeSafeMode(words: readonly string[]): {
  readonly words: readonly string[];
  readonly isSafe: boolean;
} {
  const end = words.indexOf("--");
  const rest = words.filter((word, index) => word !== "--safe-mode" || (end >= 0 && index > end));
  return { words: rest, isSafe: rest.length < words.length };
}

/** Switches of hooks may stand before the command, too: `--accept-hooks chat`. */
function behind(words: readonly string[]): readonly string[] {
  const count = words.findIndex((word) => word !== "--accept-hooks" && word !== "--no-project-hooks");
  const rest = words.slice(count < 0 ? words.length : count);
  const [command, ...others] = rest;
  if (count <= 0 || command === undefined || command.startsWith("-")) return words;
  return [command, ...words.slice(0, count), ...others];
}

/** The word that names the command, and the home that is named before it. */
export function firstWord(words: readonly string[]): {
  readonly word: string | undefined;
  readonly home: string | undefined;
} {
  const rest = behind(words);
  const [option = "", value] = rest;
  if (option === "--home") return { word: rest[2], home: value };
  if (option.startsWith("--home=")) return { word: value, home: option.slice("--home=".length) };
  return { word: rest[0], home: undefined };
}

/** `talaria`, `talaria --yolo`: the first word that is no global option says whether a command was named. */
function defaulted(words: readonly string[], commands: readonly Command[]): string[] {
  const named = new Set([...commands.map(({ name }) => name), "help", "-h", "--help", "-V", "--version"]);
  const at = words[0] === "--home" ? 2 : words[0]?.startsWith("--home=") ? 1 : 0;
  const first = words[at];
  const chat = first === undefined || (first.startsWith("-") && !named.has(first));
  return chat ? [...words.slice(0, at), "chat", ...words.slice(at)] : [...words];
}

function add(parent: Commander, command: Command, take: (command: Command, input: CommandInput) => void): void {
  const made = parent.command(command.name).description(command.about).exitOverride();
  made.configureOutput(parent.configureOutput());
  if (command.parsesItself) made.arguments("[words...]").allowUnknownOption().helpOption(false);
  if (command.arguments) made.arguments(command.arguments);
  if (command.aliases) made.aliases(command.aliases);
  for (const { flags, about, values } of command.options ?? []) {
    const option = new Option(flags, about);
    made.addOption(values ? option.choices([...values]) : option);
  }
  for (const child of command.commands ?? []) add(made, child, take);
  if (!command.load) return;
  made.action(() =>
    take(command, {
      arguments: made.processedArgs.flat().filter((word) => word !== undefined) as string[],
      options: made.opts(),
      ...(command.parsesItself ? { words: made.args } : {}),
    }),
  );
}
