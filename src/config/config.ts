import { type Environment, isTruthy, environment as ownEnvironment, variable } from "#host";
import { type ConfigFile, readConfigFile } from "./file-reader.ts";
import type { Key, Mapping } from "./key.ts";
import { type KeyPath, keyAt, keyPaths, type Settings } from "./keys/index.ts";
import { blocklistNotBuilt, notBuilt } from "./not-built.ts";
import type { Problem } from "./problem.ts";
import { unknownKeys } from "./unknown-keys.ts";
import { describeFound, type Reading, readText, readValue } from "./value.ts";

export type Origin =
  | { readonly kind: "default" }
  | { readonly kind: "file"; readonly file: string; readonly line: number | undefined }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "option"; readonly name: string };

/** `default`, `/home/ada/.talaria/config.yaml:12`, `$TALARIA_MODEL` or `--model`. */
export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "default":
      return "default";
    case "file":
      return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
    case "environment":
      return `$${origin.name}`;
    case "option":
      return origin.name;
  }
}

/** The settings in force. A value that is wrong costs only itself: the next source, in the end the default, takes its place. */
export interface Config {
  readonly file: string;
  readonly exists: boolean;
  readonly settings: Settings;
  readonly problems: readonly Problem[];
  /** The whole file as plain values, for sections that are read elsewhere. */
  readonly values: Mapping;
  originOf(path: KeyPath): Origin;
  /** The line in the file, from 1, of any key of it. */
  lineOf(path: readonly string[]): number | undefined;
}

export interface ConfigSources {
  readonly file: string;
  /** Default: the environment of this process. */
  readonly environment?: Environment;
  /** Values from the command line with the option that gave them; they win. */
  readonly options?: Partial<{ readonly [P in KeyPath]: { readonly value: Settings[P]; readonly name: string } }>;
}

/** Reads the configuration. Never throws: with `IGNORE_USER_CONFIG` or `SAFE_MODE` switched on the file is left out. */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const environment = sources.environment ?? ownEnvironment();
  const ignored = ["IGNORE_USER_CONFIG", "SAFE_MODE"].some((name) => isTruthy(variable(name, environment)));
  const file = await readConfigFile(sources.file, environment);
  const used: ConfigFile = ignored
    ? { ...file, values: {}, problems: [], lineOf: () => undefined, entriesOf: () => undefined }
    : file;
  const problems: Problem[] = [...used.problems, ...unknownKeys(used), ...blocklistNotBuilt(used)];
  const origins = new Map<string, Origin>();
  const settings: Record<string, unknown> = {};
  for (const path of keyPaths) {
    const { value, origin } = settle(path, { file: used, environment, options: sources.options ?? {}, problems });
    settings[path] = value;
    if (origin.kind !== "default") origins.set(path, origin);
  }
  const originOf = (path: KeyPath): Origin => origins.get(path) ?? { kind: "default" };
  problems.push(...notBuilt(settings as Settings, environment, describeOrigin(originOf("terminal.backend"))));
  return {
    file: file.path,
    exists: file.exists,
    settings: settings as Settings,
    problems,
    values: used.values,
    originOf,
    lineOf: used.lineOf,
  };
}

interface Search {
  readonly file: ConfigFile;
  readonly environment: Environment;
  readonly options: NonNullable<ConfigSources["options"]>;
  readonly problems: Problem[];
}

function settle(path: KeyPath, search: Search): { readonly value: unknown; readonly origin: Origin } {
  const key = keyAt(path);
  if (key === undefined) throw new TypeError(`no such key: ${path}`);
  const option = search.options[path];
  if (option !== undefined) return { value: option.value, origin: { kind: "option", name: option.name } };
  return (
    fromEnvironment(path, key, search) ??
    fromFile(path, key, search) ?? { value: key.default, origin: { kind: "default" } }
  );
}

type Settled = { readonly value: unknown; readonly origin: Origin } | undefined;

function wrongType(
  path: string,
  where: string,
  found: string,
  reading: Extract<Reading, { expected: string }>,
): Problem {
  const fallback = keyAt(path)?.default;
  const substitute =
    fallback === undefined || typeof fallback === "object"
      ? "it is left out"
      : `the default ${JSON.stringify(fallback)} is used unless it is set elsewhere`;
  const message = `${path} must be ${reading.expected}, but is ${found}; ${substitute}`;
  return { kind: "wrong_type", key: path, where, message };
}

/** The environment variables that set a key, in the order in which they are asked. */
export function variablesOf(key: Key): readonly string[] {
  const own = key.variable === undefined ? [] : [`TALARIA_${key.variable}`, `HERMES_${key.variable}`];
  return [...own, ...(key.foreignVariables ?? [])];
}

function fromEnvironment(path: string, key: Key, { environment, problems }: Search): Settled {
  for (const name of variablesOf(key)) {
    const text = environment[name];
    if (text === undefined || text === "") continue;
    const reading = readText(key, text);
    if ("value" in reading) return { value: reading.value, origin: { kind: "environment", name } };
    problems.push(wrongType(path, `$${name}`, describeFound(text, key), reading));
  }
  return undefined;
}

function valueAt(values: Mapping, path: readonly string[]): unknown {
  let value: unknown = values;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Mapping)[name];
  }
  return value;
}

function fromFile(path: string, key: Key, { file, problems }: Search): Settled {
  for (const place of [path, ...(key.aliases ?? [])]) {
    const names = place.split(".");
    const value = valueAt(file.values, names);
    if (value === undefined || value === null) continue;
    // A section of its own that bears the alias's name is not the value: `model:` may be a text or a mapping.
    if (place !== path && key.shape.kind !== "mapping" && typeof value === "object") continue;
    const reading = readValue(key, value);
    const line = file.lineOf(names);
    if ("value" in reading) return { value: reading.value, origin: { kind: "file", file: file.path, line } };
    const where = line === undefined ? file.path : `${file.path}:${line}`;
    problems.push(wrongType(place, where, describeFound(value, key), reading));
  }
  return undefined;
}
