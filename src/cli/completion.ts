import { type Command, type CommandContext, type CommandInput, exitStatus, UsageError } from "./command.ts";

const shells: Readonly<Record<string, (tree: readonly Node[]) => string>> = { bash, zsh, fish };

/** `talaria completion bash|zsh|fish`: a script made from the table of commands. */
export async function completion(input: CommandInput, { terminal, commands }: CommandContext): Promise<number> {
  const [name = ""] = input.arguments;
  const script = shells[name];
  if (!script) throw new UsageError(`completion knows bash, zsh and fish, not '${name}'`);
  terminal.write(script(flatten(commands, [])));
  return exitStatus.success;
}

/** One place in the tree of commands with the words that may follow. */
interface Node {
  readonly path: readonly string[];
  readonly command: Command | undefined;
  readonly children: readonly Command[];
}

function flatten(children: readonly Command[], path: readonly string[], command?: Command): readonly Node[] {
  const own = { path, command, children };
  return [own, ...children.flatMap((child) => flatten(child.commands ?? [], [...path, child.name], child))];
}

function flags(command: Command | undefined): readonly string[] {
  const own = (command?.options ?? []).flatMap(({ flags }) =>
    flags.split(/, /).map((flag) => flag.split(" ")[0] ?? ""),
  );
  return [...own, "--help"];
}

function bash(tree: readonly Node[]): string {
  const cases = tree.map(({ path, command, children }) => {
    const words = [...children.map(({ name }) => name), ...flags(command)].join(" ");
    return `    "${path.join(" ")}") words="${words}" ;;`;
  });
  const values = tree.flatMap(({ path, command }) =>
    (command?.options ?? []).flatMap((option) =>
      option.values
        ? [`    "${path.join(" ")} ${option.flags.split(" ")[0]}") words="${option.values.join(" ")}" ;;`]
        : [],
    ),
  );
  const parents = tree
    .filter(({ children }) => children.length > 0)
    .flatMap(({ path, children }) => children.map((child) => [...path, child.name].join(" ")));
  return `# bash completion of talaria: eval "$(talaria completion bash)"
_talaria() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${parents.map((path) => `      "${path}") path="${path}" ;;`).join("\n")}
    esac
  done
  case "$path" in
${cases.join("\n")}
  esac
  case "$path $before" in
${[...values, '    " completion" | "completion completion") words="bash zsh fish" ;;'].join("\n")}
    *" --home" | *" --cwd") COMPREPLY=($(compgen -d -- "$current")); return ;;
    *" -o" | *" --output") COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _talaria talaria
`;
}

function zsh(tree: readonly Node[]): string {
  return `#compdef talaria
# zsh completion of talaria: eval "$(talaria completion zsh)"
autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${bash(tree).split("\n").slice(1).join("\n")}`;
}

function fish(tree: readonly Node[]): string {
  const quote = (text: string): string => `'${text.replace(/\\/g, "\\\\").replace(/'/g, "\\'")}'`;
  const lines = tree.flatMap(({ path, command, children }) => {
    const [first, second] = path;
    const names = children.map(({ name }) => name).join(" ");
    const here = !first
      ? "__fish_use_subcommand"
      : second
        ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
        : `__fish_seen_subcommand_from ${first}${names ? `; and not __fish_seen_subcommand_from ${names}` : ""}`;
    const words = children.map(
      (child) => `complete -c talaria -f -n ${quote(here)} -a ${child.name} -d ${quote(child.about)}`,
    );
    const options = (command?.options ?? []).map(({ flags, about, values }) => {
      const [long = ""] = flags.split(/[ ,]+/).filter((part) => part.startsWith("--"));
      const [short] = flags.split(/[ ,]+/).filter((part) => /^-[a-zA-Z]$/.test(part));
      const takes = flags.includes("<") ? (values ? ` -x -a ${quote(values.join(" "))}` : " -r") : "";
      return `complete -c talaria -n ${quote(here)} -l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ""}${takes} -d ${quote(about)}`;
    });
    return [...words, ...options];
  });
  return `# fish completion of talaria: talaria completion fish | source\n${lines.join("\n")}\ncomplete -c talaria -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n`;
}
