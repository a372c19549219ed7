import { homedir } from "node:os";
import { join } from "node:path";
import {
  type Environment,
  ensureDirectory,
  exists,
  fileFacts,
  findProgram,
  readStart,
  readTextIfExists,
  resolvePath,
  spawn,
  writeAtomic,
} from "#host";
import { PluginError } from "../error.ts";

export interface InterpreterSearch {
  /** `python.path` of the configuration. */
  readonly configured?: string | undefined;
  readonly home: string;
  /** The project's folder, only where plugins of projects are switched on: its programs are as foreign as its plugins. */
  readonly project?: string | undefined;
  readonly environment: Environment;
}

export interface Interpreter {
  readonly path: string;
  /** Where it was found, for people. */
  readonly from: string;
}

const places = ["bin/python3", "bin/python", "Scripts/python.exe"];
const folders = [".venv", "venv", join("hermes-agent", "venv"), join("hermes-agent", ".venv")];
const resolveLimitMs = 20_000;

/**
 * `python.path`, else the home's virtual environment, else the project's, else `python3` on PATH. A starter script in
 * its place (pyenv's, which costs half a second each time) is resolved once and remembered in the home's cache.
 * Rejects with a `PluginError` that says what to do where there is none.
 */
export async function findInterpreter(search: InterpreterSearch): Promise<Interpreter> {
  const { configured, home, project, environment } = search;
  if (configured !== undefined && configured !== "") {
    const path = configured.includes("/") ? resolvePath(configured, home) : findProgram(configured, environment);
    if (path !== undefined && (await exists(path))) return { path, from: "python.path" };
    throw new PluginError("not_loadable", `there is no Python at ${configured}, which python.path names`);
  }
  for (const root of project === undefined ? [home] : [home, project]) {
    const found = await environmentOf(root);
    if (found !== undefined) return found;
  }
  const path = findProgram("python3", environment) ?? findProgram("python", environment);
  if (path === undefined) {
    const where = `a virtual environment in ${join(home, ".venv")}`;
    throw new PluginError(
      "not_loadable",
      `Python 3.8 or newer is needed and there is none: install python3, make ${where}, or set python.path`,
    );
  }
  return { path: await resolved(path, search), from: "PATH" };
}

export async function environmentOf(root: string): Promise<Interpreter | undefined> {
  for (const folder of folders)
    for (const place of places) {
      const path = join(root, folder, place);
      if (await exists(path)) return { path, from: join(root, folder) };
    }
  return undefined;
}

/** The program behind a starter script; anything else is what it is. */
async function resolved(path: string, search: InterpreterSearch): Promise<string> {
  const start = await readStart(path, 2).catch(() => undefined); // not to be read: it may still be started
  if (start === undefined || start.toString() !== "#!") return path;
  const cache = join(search.home, "cache", "python.json");
  const key = await stateOf(path, search.environment);
  const known = parse((await readTextIfExists(cache).catch(() => undefined))?.text); // unreadable: found anew
  if (known?.key === key && (await exists(known.path))) return known.path;
  const found = await ask(path, search);
  if (found === undefined) return path;
  await remember(cache, { key, path: found });
  return found;
}

async function remember(cache: string, known: { readonly key: string; readonly path: string }): Promise<void> {
  try {
    await ensureDirectory(join(cache, ".."));
    await writeAtomic(cache, `${JSON.stringify(known)}\n`);
  } catch {
    // a home that cannot be written: it is asked again next time
  }
}

/** What decides which program a starter script starts. */
async function stateOf(path: string, environment: Environment): Promise<string> {
  const root = environment["PYENV_ROOT"] ?? join(environment["HOME"] ?? homedir(), ".pyenv");
  const facts = await Promise.all([path, join(root, "version")].map((file) => fileFacts(file).catch(() => undefined)));
  const times = facts.map((fact) => `${fact?.modifiedMs ?? ""}`);
  return [path, environment["PYENV_VERSION"] ?? "", ...times].join("|");
}

function parse(text: string | undefined): { readonly key: string; readonly path: string } | undefined {
  try {
    const value = JSON.parse(text ?? "") as { readonly key?: unknown; readonly path?: unknown };
    return typeof value.key === "string" && typeof value.path === "string"
      ? { key: value.key, path: value.path }
      : undefined;
  } catch {
    return undefined; // nothing remembered, or damaged: it is found anew
  }
}

async function ask(path: string, { home, environment }: InterpreterSearch): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  const started = await spawn(path, ["-c", "import sys; print(sys.executable)"], {
    cwd: home,
    env: env as Record<string, string>,
    timeoutMs: resolveLimitMs,
  });
  const { code, stdout } = await started.exit;
  const found = stdout.text.trim();
  return code === 0 && found !== "" && (await exists(found)) ? found : undefined;
}
