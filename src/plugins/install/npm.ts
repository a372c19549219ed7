import { join } from "node:path";
import { type Environment, ensureDirectory, exists, readText, writeAtomic } from "#host";
import { InstallError } from "./error.ts";
import { runProgram } from "./run-program.ts";

export interface NpmPlace {
  /** The home: packages go into its `node_modules`. */
  readonly home: string;
  readonly environment: Environment;
}

const npmLimitMs = 300_000;
const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"];

/** The name in `@scope/name@range`. */
export const packageName = (spec: string): string => /^((?:@[^/]+\/)?[^@/]+)/.exec(spec)?.[1] ?? spec;

/** Installs a package into the home without running any of its scripts. Rejects, and takes it out again, where it is no plugin. */
export async function installPackage(spec: string, place: NpmPlace): Promise<string> {
  const name = packageName(spec);
  const isNew = !(await exists(join(place.home, "node_modules", name)));
  await npm(["install", "--save", "--", spec], place);
  if (await isPluginPackage(name, place)) return name;
  if (isNew) await removePackage(name, place);
  throw new InstallError(
    "not_a_plugin",
    `the package ${name} is no plugin of Talaria: its package.json has no keyword "talaria-plugin"`,
  );
}

/** The newest version of an installed package. */
export async function updatePackage(name: string, place: NpmPlace): Promise<void> {
  await npm(["install", "--save", "--", `${name}@latest`], place);
}

export async function removePackage(name: string, place: NpmPlace): Promise<void> {
  await npm(["uninstall", "--save", "--", name], place);
}

export async function packageVersion(name: string, { home }: Pick<NpmPlace, "home">): Promise<string> {
  const { text } = await readText(join(home, "node_modules", name, "package.json"));
  const { version } = JSON.parse(text) as { readonly version?: unknown };
  return typeof version === "string" ? version : "";
}

async function isPluginPackage(name: string, { home }: NpmPlace): Promise<boolean> {
  const { text } = await readText(join(home, "node_modules", name, "package.json"));
  const { keywords } = JSON.parse(text) as { readonly keywords?: unknown };
  return Array.isArray(keywords) && keywords.includes("talaria-plugin");
}

async function npm(words: readonly string[], { home, environment }: NpmPlace): Promise<void> {
  await ensureDirectory(home);
  const manifest = join(home, "package.json");
  // Without one, npm would install into a folder above that has one.
  if (!(await exists(manifest))) await writeAtomic(manifest, '{\n  "private": true\n}\n');
  const [command = "", ...rest] = words;
  await runProgram("npm", [command, ...quiet, ...rest], { cwd: home, environment, limitMs: npmLimitMs });
}
