import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { launchCommand, readText } from "#host";
import type { Candidate } from "#plugins";

const isSource = import.meta.url.endsWith(".ts");

/** The folder of this package. */
export const programFolder = (): string => dirname(createRequire(import.meta.url).resolve("talaria/package.json"));

const sources = {
  "plugin-doors": "src/plugins/typescript/preload.ts",
  "plugin-host": "src/plugins/isolate/isolated-host.ts",
};
/** Of the memory of a plugin in a process of its own. */
const mostMegabytes = 1_024;

/** A file of the program that other processes are started with. */
export const programFile = (name: keyof typeof sources): string =>
  isSource ? join(programFolder(), sources[name]) : join(programFolder(), "dist", `${name}.js`);

/** Starts a process that holds one plugin; `{fd}` is the descriptor over which it is spoken to. */
export function pluginHostCommand(): readonly string[] {
  const [node = "node"] = launchCommand();
  const source = isSource ? ["--conditions=talaria-source"] : [];
  return [node, ...source, `--max-old-space-size=${mostMegabytes}`, programFile("plugin-host"), "{fd}"];
}

/** The `node_modules` in which this package is installed, undefined where it is in none. */
export function programPackages(): string | undefined {
  const around = dirname(programFolder());
  return basename(around) === "node_modules" ? around : undefined;
}

/** The program's own plugins: from source their folder, else the list that the build has written. */
export async function bundledPlugins(): Promise<string | readonly Candidate[]> {
  if (isSource) return join(programFolder(), "plugins");
  const folder = join(programFolder(), "dist", "plugins");
  const text = await readText(join(folder, "index.json")).then(
    (read) => read.text,
    () => "[]", // a build without plugins
  );
  return (JSON.parse(text) as readonly Candidate[]).map((candidate) => placed(candidate, folder));
}

function placed(candidate: Candidate, root: string): Candidate {
  const { code } = candidate;
  if (!("folder" in code)) return candidate;
  const folder = join(root, code.folder);
  return code.language === "typescript"
    ? { ...candidate, code: { ...code, folder, entry: join(root, code.entry) } }
    : { ...candidate, code: { ...code, folder } };
}
