import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ensureDirectory, readTextIfExists, writeAtomic } from "./files.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process, as it is at the moment of the call. */
export const environment = (): Environment => process.env;

/** The variable `TALARIA_<name>`, else `HERMES_<name>`; an empty one counts as not set. */
export function variable(name: string, from: Environment = process.env): string | undefined {
  return from[`TALARIA_${name}`] || from[`HERMES_${name}`] || undefined;
}

/** Sets `TALARIA_<name>` for this process and all that it starts. */
export function setVariable(name: string, text: string): void {
  process.env[`TALARIA_${name}`] = text;
}

/** Whether a variable's text means yes: 1, true, yes or on, in any case. */
export function isTruthy(text: string | undefined): boolean {
  return text !== undefined && ["1", "true", "yes", "on"].includes(text.trim().toLowerCase());
}

/** `isTruthy(variable(name))`. */
export const isSwitchedOn = (name: string, from: Environment = process.env): boolean => isTruthy(variable(name, from));

/** The full path of a program on PATH, or undefined. */
export function findProgram(name: string, from: Environment = process.env): string | undefined {
  for (const directory of (from["PATH"] ?? "").split(delimiter)) {
    if (directory === "") continue;
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // not there or not executable: the next directory may have it
    }
  }
  return undefined;
}

export interface ChildEnvironmentOptions {
  readonly home: string;
  /** A directory from `hermesShim`, put last on PATH; absent: the machine has a `hermes` of its own. */
  readonly shimDirectory?: string | undefined;
  /** Win over everything. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Default: the environment of this process. */
  readonly from?: Environment;
  /** Names that the child does not get. */
  readonly without?: ReadonlySet<string>;
}

/** The whole environment of a child of a tool, hook or plugin: ours, the home under both names, the `hermes` command. */
export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.from ?? process.env)) {
    if (value !== undefined && options.without?.has(name) !== true) child[name] = value;
  }
  child["TALARIA_HOME"] = options.home;
  child["HERMES_HOME"] = options.home;
  if (options.shimDirectory !== undefined) {
    const path = child["PATH"];
    child["PATH"] =
      path === undefined || path === "" ? options.shimDirectory : `${path}${delimiter}${options.shimDirectory}`;
  }
  return Object.assign(child, options.extra);
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Makes `hermes` in `directory` run `command` and gives the directory back; undefined where the machine has its own
 * `hermes`. Rewrites the file only where it differs.
 */
export async function hermesShim(directory: string, command: readonly string[]): Promise<string | undefined> {
  const own = findProgram("hermes");
  const shim = join(directory, "hermes");
  if (own !== undefined && own !== shim) return undefined;
  const script = `#!/bin/sh\nexec ${command.map(quoteForShell).join(" ")} "$@"\n`;
  const present = await readTextIfExists(shim);
  if (present?.text !== script) {
    await ensureDirectory(directory, 0o700);
    await writeAtomic(shim, script, { mode: 0o700 });
  }
  return directory;
}
