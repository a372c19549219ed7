import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileFacts, readBytes, realPath, walkTree } from "#host";
import type { Candidate } from "../manifest.ts";
import type { PluginContext } from "../plugin-context.ts";
import { findInterpreter, type InterpreterSearch } from "./interpreter.ts";
import { sitePackages } from "./site-packages.ts";

export interface KeyPlace extends InterpreterSearch {
  /** The folder with `host.py`. */
  readonly program: string;
  /** The folder that Python code runs in. */
  readonly cwd: string;
}

/** Another form of what is kept is another number. */
const version = 1;
const mostFiles = 1_000;
/** Larger files are known by their size and times. */
const mostRead = 1 << 20;
const leftOut = new Set(["__pycache__", ".git"]);

/** Variables that are another at every terminal. They count where a file of the plugin names them. */
const passing =
  /^(?:_|PWD|OLDPWD|SHLVL|COLUMNS|LINES|WINDOWID|STY|GPG_TTY|WT_SESSION|VTE_VERSION|INVOCATION_ID|JOURNAL_STREAM|XDG_SESSION_ID|DBUS_SESSION_BUS_ADDRESS|(?:SSH|TMUX|TERM_SESSION|ITERM|KITTY|WEZTERM|ALACRITTY|VSCODE)_?.*)$/;

/**
 * A digest of all that decides what a plugin's `register` registers, as far as it can be known
 * (docs/reference/python-host.md, "Registrations are remembered"); undefined where too much cannot be.
 */
export async function registrationKey(
  { key, source, code }: Candidate,
  { settings }: Pick<PluginContext, "settings">,
  place: KeyPlace,
): Promise<string | undefined> {
  if (!("folder" in code)) return undefined;
  const [files, program, interpreter, packages] = await Promise.all([
    contents(code.folder),
    programFacts(place.program),
    interpreterFacts(place),
    packageFacts(place),
  ]);
  if (files === undefined) return undefined;
  const environment = Object.entries(place.environment)
    .filter(([name]) => !passing.test(name) || files.texts.some((text) => text.includes(name)))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const { cwd, home } = place;
  const plugin = { key, source, folder: code.folder, files: files.digests };
  return digest(JSON.stringify([version, plugin, program, interpreter, packages, environment, settings, cwd, home]));
}

export const digest = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("base64");

interface Contents {
  readonly digests: readonly string[];
  readonly texts: readonly Buffer[];
}

/** Undefined where there are too many files, or folders that lie elsewhere. */
async function contents(folder: string): Promise<Contents | undefined> {
  const entries = await walkTree(folder, { without: leftOut, most: mostFiles });
  if (entries.length >= mostFiles) return undefined;
  const texts: Buffer[] = [];
  const digests: string[] = [];
  for (const { path } of entries) {
    const full = join(folder, path);
    const facts = await fileFacts(full);
    if (facts?.kind === "directory") return undefined;
    if (facts?.kind !== "file" || facts.bytes > mostRead) {
      digests.push(`${path} ${told(facts)}`);
      continue;
    }
    const bytes = Buffer.from(await readBytes(full, { maxBytes: mostRead }));
    texts.push(bytes);
    digests.push(`${path} ${bytes.length} ${digest(bytes)}`);
  }
  return { digests, texts };
}

type Facts = Awaited<ReturnType<typeof fileFacts>>;

const told = (facts: Facts): string =>
  facts === undefined ? "" : `${facts.bytes} ${facts.modifiedMs} ${facts.changedMs} ${facts.identity}`;

async function programFacts(program: string): Promise<readonly string[]> {
  const entries = await walkTree(program, { without: leftOut, most: mostFiles });
  return Promise.all(entries.map(async ({ path }) => `${path} ${told(await fileFacts(join(program, path)))}`));
}

async function interpreterFacts(place: KeyPlace): Promise<readonly string[]> {
  const { path } = await findInterpreter(place);
  const real = await realPath(path);
  return [path, told(await fileFacts(path)), real, told(await fileFacts(real))];
}

/** A package that comes or goes is another entry of its folder. */
async function packageFacts(place: KeyPlace): Promise<readonly string[]> {
  const folders = await sitePackages(place);
  return Promise.all(
    folders.map(async (folder) => {
      const facts = await fileFacts(folder);
      return `${folder} ${facts?.modifiedMs ?? ""}`;
    }),
  );
}
