import { join } from "node:path";
import { readText, readTextIfExists, type TreeEntry, walkTree } from "#host";
import type { EnvironmentNeed, Manifest, PluginCode } from "../manifest.ts";
import { hiddenCharacters } from "./hidden-characters.ts";

/** What a person should see before a plugin is let in. Nothing of the plugin has run for it. */
export interface Review {
  readonly manifest: Manifest;
  readonly language: PluginCode["language"];
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  readonly needs: {
    readonly environment: readonly EnvironmentNeed[];
    /** npm packages as `name@range`, none that the program brings itself. */
    readonly npm: readonly string[];
    readonly pip: readonly string[];
    /** Programs and services. */
    readonly external: readonly string[];
  };
  /** What the manifest says that it registers; nothing holds it to that. */
  readonly says: { readonly tools: readonly string[]; readonly hooks: readonly string[] };
  /** What its source names: `register_tool`, `registerHook`. */
  readonly registers: readonly string[];
  /** Hidden characters, links that leave the folder, code that is missing. */
  readonly warnings: readonly string[];
}

const mostFiles = 5000;
const largestText = 1 << 20;
const isSource = /\.(?:[cm]?[jt]sx?|py)$/;
const notEntered: ReadonlySet<string> = new Set([".git", "node_modules", "__pycache__"]);

export async function review(
  folder: string,
  { manifest, code }: { readonly manifest: Manifest; readonly code: PluginCode },
): Promise<Review> {
  const entries = await walkTree(folder, { without: notEntered, most: mostFiles });
  const files = entries.filter(({ kind }) => kind === "file");
  const looked = await lookThrough(folder, files);
  const values = manifest.raw;
  return {
    manifest,
    language: code.language,
    files: files.map(({ path, bytes }) => ({ path, bytes })),
    needs: {
      environment: manifest.requiresEnv,
      npm: await npmNeeds(folder),
      pip: [...named(values["pip_dependencies"]), ...(await requirements(folder))],
      external: named(values["external_dependencies"]),
    },
    says: { tools: manifest.providesTools, hooks: manifest.providesHooks },
    registers: looked.registers,
    warnings: [
      ...(code.language === "none"
        ? ["there is neither index.ts, index.js nor __init__.py: nothing can be loaded"]
        : []),
      ...(entries.length >= mostFiles ? [`it has more than ${mostFiles} files; the rest was not looked at`] : []),
      ...entries.flatMap(dubiousEntry),
      ...looked.hidden,
    ],
  };
}

function dubiousEntry({ path, kind, leaves }: TreeEntry): readonly string[] {
  if (kind === "link" && leaves === true) return [`${path} is a link that leads out of the plugin's folder`];
  return kind === "other" ? [`${path} is neither a file nor a folder`] : [];
}

async function lookThrough(
  folder: string,
  files: readonly TreeEntry[],
): Promise<{ readonly hidden: readonly string[]; readonly registers: readonly string[] }> {
  const hidden: string[] = [];
  const registers = new Set<string>();
  for (const { path, bytes } of files) {
    if (bytes > largestText) continue;
    const text = await readText(join(folder, path)).then(
      (read) => read.text,
      () => undefined, // no text: nothing is hidden in it that a reader would see
    );
    if (text === undefined) continue;
    hidden.push(...hiddenCharacters(text).map((one) => `${path}:${one}`));
    if (isSource.test(path))
      for (const [name] of text.matchAll(/\bregister(?:_[a-z]+)+\b|\bregister[A-Z]\w+/g)) registers.add(name);
  }
  return { hidden: hidden.slice(0, 20), registers: [...registers].sort() };
}

const named = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).flatMap((one: unknown) => {
    if (typeof one === "string") return [one];
    const name = typeof one === "object" && one !== null ? (one as { readonly name?: unknown }).name : undefined;
    return typeof name === "string" ? [name] : [];
  });

async function npmNeeds(folder: string): Promise<readonly string[]> {
  const text = (await readTextIfExists(join(folder, "package.json")).catch(() => undefined))?.text;
  if (text === undefined) return [];
  try {
    const { dependencies } = JSON.parse(text) as { readonly dependencies?: Readonly<Record<string, unknown>> };
    const needed = Object.entries(dependencies ?? {}).filter(([name]) => name !== "talaria" && name !== "zod");
    return needed.map(([name, range]) => `${name}@${String(range)}`);
  } catch {
    return []; // a broken package.json needs nothing; Node says so when it reads it
  }
}

async function requirements(folder: string): Promise<readonly string[]> {
  const text = (await readTextIfExists(join(folder, "requirements.txt")).catch(() => undefined))?.text ?? "";
  return text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("-"));
}
