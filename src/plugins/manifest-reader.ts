import { basename, join } from "node:path";
import { parseYamlText } from "#config";
import { readStart, readText } from "#host";
import type { EnvironmentNeed, Manifest, PluginCode, PluginKind } from "./manifest.ts";
import { plainManifest } from "./plain-manifest.ts";

type Values = Readonly<Record<string, unknown>>;

export const pluginKinds: readonly PluginKind[] = ["standalone", "backend", "exclusive", "platform", "model-provider"];

/** A folder as discovery sees it: a plugin, a folder with a broken manifest, or none of both. */
export type FolderReading =
  | {
      readonly state: "plugin";
      readonly manifest: Manifest;
      readonly code: PluginCode;
      readonly remarks: readonly string[];
    }
  | { readonly state: "broken"; readonly problem: string }
  | { readonly state: "none" };

/** Reads the manifest of a folder whose entries are known. Never rejects: what is wrong is a value (docs/reference/plugins.md). */
export async function readFolder(folder: string, entries: ReadonlySet<string>): Promise<FolderReading> {
  const name = ["plugin.yaml", "plugin.yml", "package.json"].find((file) => entries.has(file));
  if (name === undefined) return { state: "none" };
  const file = join(folder, name);
  try {
    const { text } = await readText(file, { maxBytes: 1 << 20 });
    const values = name === "package.json" ? packageValues(text) : await yamlValues(text);
    if (values === undefined) return { state: "none" };
    const code = codeOf(folder, entries, values);
    const { kind, remarks } = await kindOf(values, code, file);
    return { state: "plugin", manifest: manifestOf(values, basename(folder), kind), code, remarks };
  } catch (error) {
    return { state: "broken", problem: `${file}: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const isMapping = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function yamlValues(text: string): Promise<Values> {
  const plain = plainManifest(text);
  if (plain !== undefined) return plain;
  const read = await parseYamlText(text);
  if ("problem" in read) throw new Error(read.problem);
  const { value } = read;
  if (value === null || value === undefined) return {};
  if (!isMapping(value)) throw new Error("it is no mapping of keys to values");
  return typeof value["version"] === "number" ? { ...value, version: writtenVersion(text) ?? value["version"] } : value;
}

/** `1.0` and `1.10` as they are written: to YAML they are numbers, 1 and 1.1. */
const writtenVersion = (text: string): string | undefined =>
  /^version:[ \t]*(\d[\d.]*)[ \t]*(?:#.*)?$/m.exec(text)?.[1];

/** `talaria` of a `package.json`, over the package's own name, version and description; undefined where it has none. */
export function packageValues(text: string): Values | undefined {
  const parsed: unknown = JSON.parse(text);
  if (!isMapping(parsed)) return undefined;
  const own = parsed["talaria"];
  if (own !== true && !isMapping(own)) return undefined;
  const { name, version, description, main, author } = parsed;
  const person = isMapping(author) ? author["name"] : author;
  const told = { name: plainPackageName(name), version, description, author: person, entry: main };
  return { ...told, ...(own === true ? {} : own) };
}

/** `@ada/talaria-weather` is called `weather`. */
const plainPackageName = (name: unknown): unknown =>
  typeof name === "string" ? name.replace(/^@[^/]*\//, "").replace(/^talaria-(?:plugin-)?/, "") : name;

const text = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";

const texts = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).filter((one): one is string => typeof one === "string");

export function manifestOf(values: Values, folderName: string, kind: PluginKind): Manifest {
  const { name } = values;
  return {
    name: typeof name === "string" && name.trim() !== "" ? name.trim() : folderName,
    version: text(values["version"]),
    description: text(values["description"]),
    author: text(values["author"]),
    kind,
    requiresEnv: needs(values["requires_env"] ?? values["requiresEnv"]),
    providesTools: texts(values["provides_tools"] ?? values["providesTools"]),
    providesHooks: texts(values["provides_hooks"] ?? values["providesHooks"]),
    raw: values,
  };
}

function needs(given: unknown): readonly EnvironmentNeed[] {
  return (Array.isArray(given) ? given : []).flatMap((need: unknown): readonly EnvironmentNeed[] => {
    if (typeof need === "string") return [{ name: need }];
    if (!isMapping(need) || typeof need["name"] !== "string") return [];
    const { name, description, url, secret } = need;
    return [
      {
        name,
        ...(typeof description === "string" ? { description } : {}),
        ...(typeof url === "string" ? { url } : {}),
        ...(typeof secret === "boolean" ? { secret } : {}),
      },
    ];
  });
}

/** Entries of a TypeScript plugin, the first that is there. */
const entryNames = ["index.ts", "index.mts", "index.js", "index.mjs", "index.cjs", "index.cts"];

function codeOf(folder: string, entries: ReadonlySet<string>, values: Values): PluginCode {
  const named = values["entry"];
  if (typeof named === "string" && named !== "" && !named.endsWith(".py"))
    return { language: "typescript", folder, entry: join(folder, named) };
  const entry = entryNames.find((name) => entries.has(name));
  if (entry !== undefined) return { language: "typescript", folder, entry: join(folder, entry) };
  return entries.has("__init__.py") ? { language: "python", folder } : { language: "none", folder };
}

/** Characters of the source in which an undeclared kind is looked for. */
const looked = 8192;

async function kindOf(
  values: Values,
  code: PluginCode,
  file: string,
): Promise<{ readonly kind: PluginKind; readonly remarks: readonly string[] }> {
  const said = values["kind"];
  if (said === undefined) return { kind: await inferredKind(code), remarks: [] };
  if (typeof said !== "string") return { kind: "standalone", remarks: [] };
  const kind = pluginKinds.find((one) => one === said.trim().toLowerCase());
  if (kind !== undefined) return { kind, remarks: [] };
  const remark = `${file}: there is no kind '${said}'; it is taken as standalone (kinds: ${pluginKinds.join(", ")})`;
  return { kind: "standalone", remarks: [remark] };
}

async function inferredKind(code: PluginCode): Promise<PluginKind> {
  if (code.language === "none" || "module" in code) return "standalone";
  const entry = code.language === "python" ? join(code.folder, "__init__.py") : code.entry;
  const start = await readStart(entry, looked * 2).catch(() => undefined); // what cannot be read fails at load, with the reason
  return kindOfSource((start?.toString("utf8") ?? "").slice(0, looked));
}

/** What the first characters of a plugin's source say of its kind. */
export function kindOfSource(source: string): PluginKind {
  if (/register_memory_provider|MemoryProvider/.test(source)) return "exclusive";
  const provides = /register_provider|registerProvider/.test(source);
  return provides && source.includes("ProviderProfile") ? "model-provider" : "standalone";
}
