import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** Absolute paths that a call of a tool may make: what its arguments name, never what its output says. */
export function candidatePaths(tool: string, args: Readonly<Record<string, unknown>>): readonly string[] {
  const { path, command } = args;
  if (tool === "write_file" || tool === "patch") return typeof path === "string" ? absolute([path]) : [];
  if (tool !== "terminal" || typeof command !== "string") return [];
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|([^\s"'|&;<>()]+)/g)];
  return absolute(words.map(([, double, single, plain]) => double ?? single ?? plain ?? ""));
}

const absolute = (paths: readonly string[]): readonly string[] => [
  ...new Set(
    paths
      .map((path) => path.replace(/^~(?=\/|$)/, homedir()))
      .filter((path) => isAbsolute(path))
      .map((path) => join(path)),
  ),
];
