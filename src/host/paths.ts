import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HostError } from "./error.ts";

/** The user's own home directory. */
export const userHome = (environment: Readonly<Record<string, string | undefined>> = process.env): string =>
  environment["HOME"] || homedir();

/** The absolute path that a user or a model means: `~` is their home, the rest is relative to `cwd`. Throws `invalid_path`. */
export function resolvePath(path: string, cwd: string): string {
  if (path.includes("\0"))
    throw new HostError("invalid_path", `the path ${JSON.stringify(path)} holds a NUL character`);
  if (path === "") throw new HostError("invalid_path", "the path is empty");
  if (path === "~") return userHome();
  if (path.startsWith("~/")) return join(userHome(), path.slice(2));
  return resolve(cwd, path);
}

/** True for `directory` itself and all beneath it. Compares names only: resolve links first where they matter. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The path with the user's home written as `~`. */
export function displayPath(path: string): string {
  const home = userHome();
  if (!isInside(path, home)) return path;
  const way = relative(home, path);
  return way === "" ? "~" : `~/${way}`;
}
