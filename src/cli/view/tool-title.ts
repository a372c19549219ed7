/** The argument that says most about a call, by tool; other tools show their first text argument. */
const telling: Readonly<Record<string, string>> = {
  terminal: "command",
  read_file: "path",
  write_file: "path",
  patch: "path",
  search_files: "pattern",
  delegate_task: "goal",
  process: "action",
};

/** One line that names a call: `terminal  ls -la`. */
export function toolTitle(name: string, args: Readonly<Record<string, unknown>>): string {
  const key = telling[name];
  const told = key === undefined ? Object.values(args).find((value) => typeof value === "string") : args[key];
  return typeof told === "string" ? `${name}  ${told.split("\n", 1)[0] ?? ""}` : name;
}
