import type { ConfigFile, FileEntry } from "./file-reader.ts";
import { hermesPaths, isHermesPath } from "./hermes-keys.ts";
import { keyAt, keyPaths } from "./keys/index.ts";
import { nearest } from "./nearest.ts";
import { notBuiltPaths } from "./not-built.ts";
import type { Problem } from "./problem.ts";

/** Paths under which settings stand, such as `agent` and `tool_loop_guardrails.warn_after`. */
const sections: ReadonlySet<string> = new Set(
  [...keyPaths, ...hermesPaths, ...Object.keys(notBuiltPaths)].flatMap((path) => {
    const names = path.split(".");
    return names.slice(1).map((_, index) => names.slice(0, index + 1).join("."));
  }),
);
const aliases: ReadonlySet<string> = new Set(keyPaths.flatMap((path) => keyAt(path)?.aliases ?? []));

/** All names that may stand in a configuration file, as paths. */
const allPaths: readonly string[] = [...keyPaths, ...aliases, ...sections, ...hermesPaths];

/** The path that was probably meant: one beside it, else the same name in another section, else the nearest of all. */
export function nearestPath(path: string): string | undefined {
  const cut = path.lastIndexOf(".") + 1;
  const [prefix, name] = [path.slice(0, cut), path.slice(cut)];
  const depth = path.split(".").length;
  const beside = allPaths.filter((known) => known.startsWith(prefix) && known.split(".").length === depth);
  const near = nearest(
    name,
    beside.map((known) => known.slice(cut)),
  );
  if (near !== undefined) return prefix + near;
  return keyPaths.find((known) => known.endsWith(`.${name}`)) ?? nearest(path, keyPaths);
}

/** Whether a path lies in a setting that takes any names, such as `providers.mine.base_url`. */
export function isFreePath(path: string): boolean {
  const names = path.split(".");
  return names.some((_, index) => {
    const shape = keyAt(names.slice(0, index + 1).join("."))?.shape.kind;
    return index < names.length - 1 && (shape === "mapping" || shape === "anything");
  });
}

export { isHermesPath };

/** A section under a provider's own name is that provider's. */
const providerSettings = /^memory\.[^.]+$/;

const isSilent = (path: string, name: string): boolean =>
  keyAt(path) !== undefined || aliases.has(path) || isHermesPath(path) || name.startsWith("x-");

/** Names in the file that nobody knows, and texts where a section should be. */
export function unknownKeys(file: ConfigFile): readonly Problem[] {
  return walk(file, []);
}

function walk(file: ConfigFile, names: readonly string[]): readonly Problem[] {
  return (file.entriesOf(names) ?? []).flatMap((entry) => {
    const path = [...names, entry.name].join(".");
    if (entry.isMapping && providerSettings.test(path)) return [];
    if (sections.has(path) && entry.isMapping) return walk(file, [...names, entry.name]);
    if (isSilent(path, entry.name)) return [];
    return sections.has(path) ? misplacedSection(file, path, entry) : [unknownKey(file, path, entry)];
  });
}

function misplacedSection(file: ConfigFile, path: string, entry: FileEntry): readonly Problem[] {
  if (entry.isEmpty) return [];
  const message = `${path} must be a mapping of keys; it is left out`;
  return [{ kind: "wrong_type", key: path, where: `${file.path}:${entry.line}`, message }];
}

function unknownKey(file: ConfigFile, path: string, entry: FileEntry): Problem {
  const where = `${file.path}:${entry.line}`;
  const message = notBuiltPaths[path];
  if (message !== undefined) return { kind: "not_built", key: path, where, message };
  const near = nearestPath(path);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return {
    kind: "unknown_key",
    key: path,
    where,
    message: `there is no setting ${path}${hint}`,
  };
}
