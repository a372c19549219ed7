import { ownArgs, ownToolNames } from "#kernel";

type Args = Readonly<Record<string, unknown>>;

/** Which form of a tool of ours a name of the claude dialect means, where one tool stands for several of theirs. */
const forms: Readonly<Record<string, Args>> = {
  Edit: { mode: "replace" },
  MultiEdit: { mode: "patch" },
  Glob: { target: "files" },
  Grep: { target: "content" },
};

/** A call under a name of the claude dialect, as a call of ours: arguments are translated too, milliseconds into seconds. */
export function fromClaude(
  name: string,
  args: Args,
  known: ReadonlySet<string>,
): { readonly name: string; readonly args: Args } | undefined {
  if (known.has(name)) return undefined;
  const [own] = ownToolNames(name);
  return own === undefined || !known.has(own) ? undefined : { name: own, args: ownArgs(own, forms[name] ?? {}, args) };
}

/** Names that models trained elsewhere use for tools of ours. */
const aliases: Readonly<Record<string, string>> = {
  bash: "terminal",
  shell: "terminal",
  execute: "terminal",
  run_command: "terminal",
  run_shell_command: "terminal",
  execute_command: "terminal",
  read: "read_file",
  view: "read_file",
  cat: "read_file",
  write: "write_file",
  create_file: "write_file",
  edit: "patch",
  multiedit: "patch",
  apply_patch: "patch",
  edit_file: "patch",
  str_replace: "patch",
  grep: "search_files",
  glob: "search_files",
  search: "search_files",
  find_files: "search_files",
  todowrite: "todo",
  todo_write: "todo",
  task: "delegate_task",
  agent: "delegate_task",
  delegate: "delegate_task",
  webfetch: "web_extract",
  websearch: "web_search",
  askuserquestion: "clarify",
};

/** Other spellings of parameters, tried only where the tool has the one and the call has the other. */
const parameterAliases: Readonly<Record<string, readonly string[]>> = {
  path: ["file_path", "filepath", "filename", "file"],
  command: ["cmd", "script"],
  content: ["contents", "text", "file_text"],
  old_string: ["old_str", "old_text"],
  new_string: ["new_str", "new_text"],
  pattern: ["query", "regex", "search"],
  goal: ["prompt", "task", "description"],
};

function squeezed(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function distance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/** The known names, nearest first. */
export function nearest(name: string, known: readonly string[]): readonly string[] {
  const wanted = squeezed(name);
  return known
    .map((candidate) => ({ candidate, far: distance(wanted, squeezed(candidate)) }))
    .sort((left, right) => left.far - right.far)
    .map(({ candidate }) => candidate);
}

/**
 * The tool that a model means: by its name, its name in another case or with other separators, a known alias, or a
 * slip of one or two letters that fits one tool only. Undefined: nobody can say.
 */
export function repairName(name: string, known: ReadonlySet<string>): string | undefined {
  if (known.has(name)) return name;
  const wanted = squeezed(name.replace(/^(functions?|tools?|default_api)[.:]/, "").replace(/[_-]?tool$/i, ""));
  if (wanted === "") return undefined;
  const names = [...known];
  const same = names.find((candidate) => squeezed(candidate) === wanted);
  if (same !== undefined) return same;
  const alias = Object.entries(aliases).find(([key]) => squeezed(key) === wanted)?.[1];
  if (alias !== undefined && known.has(alias)) return alias;
  const allowed = wanted.length >= 8 ? 2 : wanted.length >= 4 ? 1 : 0;
  const close = names.filter((candidate) => distance(wanted, squeezed(candidate)) <= allowed);
  return close.length === 1 ? close[0] : undefined;
}

/** Arguments under the tool's own parameter names. A name that the tool knows is never touched. */
export function repairParameters(
  args: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const properties = schema["properties"];
  if (typeof properties !== "object" || properties === null) return args;
  const has = (key: string) => Object.hasOwn(properties, key);
  let renamed: Record<string, unknown> | undefined;
  for (const [own, others] of Object.entries(parameterAliases)) {
    if (!has(own) || Object.hasOwn(args, own)) continue;
    const other = others.find((key) => Object.hasOwn(args, key) && !has(key));
    if (other === undefined) continue;
    renamed ??= { ...args };
    renamed[own] = renamed[other];
    delete renamed[other];
  }
  return renamed ?? args;
}

export function unknownToolText(name: string, known: readonly string[]): string {
  const near = nearest(name, known).slice(0, 3);
  const hint = near.length === 0 ? "No tools are available." : `Nearest: ${near.join(", ")}.`;
  return `There is no tool named "${name}". ${hint} Available: ${known.join(", ")}.`;
}
