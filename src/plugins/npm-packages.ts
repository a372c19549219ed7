import { basename, join } from "node:path";
import { isHostError, list, readText } from "#host";
import type { Candidate } from "./manifest.ts";
import { kindOfSource, manifestOf, packageValues, pluginKinds } from "./manifest-reader.ts";

type Values = Readonly<Record<string, unknown>>;
const keyword = "talaria-plugin";

/** The plugins among the packages of `node_modules` folders; of two packages with one name the first folder's counts. */
export async function npmPlugins(folders: readonly string[], problems: string[]): Promise<readonly Candidate[]> {
  const seen = new Set<string>();
  const found: Candidate[] = [];
  for (const folder of folders) {
    const names = (await packageNames(folder, problems)).filter((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    const read = await Promise.all(names.map((name) => readPackage(join(folder, name), problems)));
    found.push(...read.flat());
  }
  return found;
}

async function packageNames(folder: string, problems: string[]): Promise<readonly string[]> {
  const names = await folderNames(folder, problems);
  const scoped = names.filter((name) => name.startsWith("@"));
  const inner = await Promise.all(
    scoped.map(async (scope) => (await folderNames(join(folder, scope), problems)).map((name) => `${scope}/${name}`)),
  );
  return [...names.filter((name) => !name.startsWith("@")), ...inner.flat()];
}

async function folderNames(folder: string, problems: string[]): Promise<readonly string[]> {
  try {
    const entries = await list(folder);
    return entries
      .filter(({ name, kind }) => (kind === "directory" || kind === "link") && !name.startsWith("."))
      .map(({ name }) => name);
  } catch (error) {
    if (!isHostError(error, "not_found") && !isHostError(error, "not_a_directory"))
      problems.push(error instanceof Error ? error.message : String(error));
    return [];
  }
}

/** The plugins of one installed package. */
export const readPackagePlugin = (folder: string): Promise<readonly Candidate[]> => readPackage(folder, []);

async function readPackage(folder: string, problems: string[]): Promise<readonly Candidate[]> {
  const file = join(folder, "package.json");
  const text = await readText(file, { maxBytes: 1 << 20 }).then(
    (read) => read.text,
    () => undefined, // a folder that is no package
  );
  // Most packages are no plugins: they are not parsed.
  if (text === undefined || !text.includes(keyword)) return [];
  try {
    const parsed = JSON.parse(text) as Values;
    const { keywords } = parsed;
    if (!Array.isArray(keywords) || !keywords.includes(keyword)) return [];
    return candidatesOf(folder, text, parsed);
  } catch (error) {
    problems.push(`${file}: ${error instanceof Error ? error.message : String(error)}; this plugin is left out`);
    return [];
  }
}

/** One plugin for each row of `talaria.plugins` (name to file), else one for the package itself. */
function candidatesOf(folder: string, text: string, parsed: Values): readonly Candidate[] {
  const own = parsed["talaria"];
  const values = packageValues(text) ?? packageValues(JSON.stringify({ ...parsed, talaria: true })) ?? {};
  const rows =
    typeof own === "object" && own !== null && "plugins" in own && typeof own.plugins === "object" && own.plugins
      ? Object.entries(own.plugins).filter((row): row is [string, string] => typeof row[1] === "string")
      : [];
  const kind = pluginKinds.find((one) => one === values["kind"]) ?? kindOfSource("");
  const candidate = (name: string | undefined, entry: string): Candidate => {
    const manifest = manifestOf(name === undefined ? values : { ...values, name }, basename(folder), kind);
    return {
      key: manifest.name,
      source: "entrypoint",
      manifest,
      code: { language: "typescript", folder, entry: join(folder, entry) },
    };
  };
  if (rows.length > 0) return rows.map(([name, entry]) => candidate(name, entry));
  return [candidate(undefined, mainOf(parsed))];
}

function mainOf({ exports, main }: Values): string {
  const root = typeof exports === "object" && exports !== null && "." in exports ? exports["."] : exports;
  const target =
    typeof root === "object" && root !== null
      ? ["import", "node", "default"].map((key) => (root as Values)[key])
      : [root];
  const found = [...target, main].find((one): one is string => typeof one === "string");
  return found ?? "index.js";
}
