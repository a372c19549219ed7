import { after } from "#host";
import { pluginContext } from "./context/context.ts";
import { PluginError, thrownText } from "./error.ts";
import type { PluginSettings } from "./gate.ts";
import { heldReason } from "./held-plugins.ts";
import type { HookGroups, MomentContext } from "./hook-groups.ts";
import type { LoadedPlugin, PluginLoader } from "./loader.ts";
import type { Candidate, PluginCode } from "./manifest.ts";
import { onOccasion } from "./occasion.ts";
import type { PluginContext } from "./plugin-context.ts";
import type { PluginPorts } from "./plugin-ports.ts";
import { type PluginScope, pluginScope } from "./plugin-scope.ts";
import type { Registry } from "./registry.ts";
import { thrownPlace } from "./thrown-place.ts";

/** Milliseconds that an import and a `register` may take. */
const loadLimitMs = 30_000;

/** A plugin that was found, and how it stands. */
export interface Known {
  candidate: Candidate;
  readonly place: number;
  enabled: boolean;
  error: string | undefined;
  /** What was warned of while it was loaded. */
  warnings: readonly string[];
  /** Not loaded before somebody needs it. */
  lazy: boolean;
  /** Its code was read before. */
  read: boolean;
  life: { readonly scope: PluginScope; readonly loaded: LoadedPlugin } | undefined;
}

/** Brings plugins to life and lets them go. */
export interface PluginLife {
  /** What goes wrong is the plugin's error, and nothing of it stays. Never rejects. */
  load(known: Known, settings: PluginSettings): Promise<void>;
  unload(known: Known): Promise<void>;
}

export function pluginLife(ports: PluginPorts<MomentContext>, registry: Registry, groups: HookGroups): PluginLife {
  return {
    async load(known, settings) {
      const { log } = ports;
      const warnings: string[] = [];
      const { scope, context } = begun(known, settings, remembering(ports, warnings, known.candidate.key), registry);
      try {
        const loaded = await registered(known, context, ports);
        scope.commit();
        known.life = { scope, loaded };
        known.error = undefined;
        known.enabled = true;
        log("debug", `plugin ${known.candidate.key} is loaded`);
      } catch (error) {
        await scope.close();
        known.enabled = false;
        known.lazy = false;
        known.error = failure(error, known.candidate);
        log("warning", `plugin ${known.candidate.key} could not be loaded: ${known.error}`, error);
      }
      known.warnings = [...warnings];
      groups.refresh();
    },
    async unload(known) {
      const { life } = known;
      if (life === undefined) return;
      known.life = undefined;
      const drained = groups.remove(known.candidate.key);
      await life.scope.close(drained);
      await life.loaded.unload().catch((error: unknown) => {
        ports.log("warning", `plugin ${known.candidate.key}: its code could not be let go: ${thrownText(error)}`);
      });
    },
  };
}

/** Warnings that are shown of one plugin at the most. */
const mostWarnings = 20;

/** The ports with a log that keeps what it warns of, too. */
function remembering(ports: PluginPorts<MomentContext>, warnings: string[], key: string): PluginPorts<MomentContext> {
  const prefix = `plugin ${key}: `;
  const log: typeof ports.log = (level, message, error) => {
    if ((level === "warning" || level === "error") && warnings.length < mostWarnings)
      warnings.push(message.startsWith(prefix) ? message.slice(prefix.length) : message);
    ports.log(level, message, error);
  };
  return { ...ports, log };
}

/** Why a plugin could not be loaded, with the place in its files where that is known. */
function failure(error: unknown, { code }: Candidate): string {
  const said = thrownText(error);
  const text = error instanceof Error && error.name === "SystemExit" ? `sys.exit(${said}) was called` : said;
  const folder = "folder" in code ? code.folder : "";
  const place = thrownPlace(error, folder);
  const isTold = place === undefined || text.includes(folder) || text.includes(place) || /, line \d+\)$/.test(text);
  return isTold ? text : `${place}: ${text}`;
}

/** The scope of a plugin that is about to be loaded, and what its `register` is given. */
function begun(
  { candidate, place }: Known,
  settings: PluginSettings,
  { log, reach, places, environment }: PluginPorts<MomentContext>,
  registry: Registry,
): { readonly scope: PluginScope; readonly context: PluginContext } {
  const { key, manifest, code } = candidate;
  const language = code.language === "python" ? "python" : "typescript";
  const scope = pluginScope({ key, name: manifest.name, place, language }, registry, (text) => log("warning", text));
  const entry = settings.entries[key] ?? settings.entries[manifest.name];
  const config = typeof entry === "object" && entry !== null ? (entry as Readonly<Record<string, unknown>>) : {};
  const facts = { candidate, home: places.home, config, settings: settings.values, environment };
  const say: PluginPorts<MomentContext>["log"] = (level, message) => log(level, `plugin ${key}: ${message}`);
  return { scope, context: pluginContext(facts, { owner: scope.owner, scope, reach, registry, log: say }) };
}

/** Imports the plugin's code and runs its `register`. */
async function registered(
  known: Known,
  context: PluginContext,
  ports: PluginPorts<MomentContext>,
): Promise<LoadedPlugin> {
  const { candidate, read } = known;
  const { key, code } = candidate;
  const held = await heldReason(ports.places.home, candidate);
  if (held !== undefined) throw new PluginError("held_back", held);
  const loader = await loaderOf(code, ports);
  if (code.language === "typescript") ports.guard?.(key, code.folder);
  const loading = onOccasion({ plugin: key }, () => loader.load(candidate, context, { fresh: read }));
  known.read = true;
  return inTime(loading, `it gave no answer in ${loadLimitMs / 1000} s`);
}

async function loaderOf(code: PluginCode, ports: PluginPorts<MomentContext>): Promise<PluginLoader> {
  if (code.language === "none")
    throw new PluginError("not_loadable", `there is neither index.ts, index.js nor __init__.py in ${code.folder}`);
  const loader = await ports.loader(code.language);
  if (loader === undefined)
    throw new PluginError("not_loadable", `plugins in ${code.language} cannot be loaded by this program`);
  return loader;
}

async function inTime<T>(work: Promise<T>, late: string): Promise<T> {
  let stop = (): void => undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    stop = after(loadLimitMs, () => reject(new PluginError("timed_out", late)), true);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    stop();
  }
}
