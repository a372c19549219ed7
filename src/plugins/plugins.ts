import { after } from "#host";
import type { Layer } from "#kernel";
import { pluginContext } from "./context/context.ts";
import { discoverPlugins, type PluginPlaces } from "./discovery.ts";
import { PluginError, thrownText } from "./error.ts";
import { gate, type PluginSettings } from "./gate.ts";
import { heldReason, releaseHeld } from "./held-plugins.ts";
import { type HookGroups, hookGroups, type MomentContext } from "./hook-groups.ts";
import type { LoadedPlugin, PluginLoader } from "./loader.ts";
import type { Candidate, PluginCode } from "./manifest.ts";
import { onOccasion } from "./occasion.ts";
import { type PluginReport, pluginReport } from "./plugin-report.ts";
import { type PluginScope, pluginScope } from "./plugin-scope.ts";
import type { ProviderKind } from "./provider.ts";
import type { PluginReach } from "./reach.ts";
import { registry as newRegistry, type Registry } from "./registry.ts";

/** What the plugins stand on; `runtime` fills it. */
export interface PluginPorts<C extends MomentContext> {
  readonly places: PluginPlaces;
  readonly settings: PluginSettings;
  /** The process's environment with what the home's `.env` adds. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly layer: Layer<C>;
  readonly reach: PluginReach;
  /** The loader of a language, made at its first plugin; undefined where there is none. */
  readonly loader: (language: "typescript" | "python") => Promise<PluginLoader | undefined>;
  /** Told before code of a plugin is loaded into this process. */
  readonly guard?: (key: string, folder: string) => void;
  readonly log: (level: "debug" | "info" | "warning" | "error", message: string, error?: unknown) => void;
  /** Nothing is looked for and nothing is loaded. */
  readonly safeMode: boolean;
}

/** The plugins of one runtime. Changes run one after another; all methods may be called while turns run. */
export interface Plugins {
  readonly registry: Registry;
  /** Looks for plugins and loads those that may be; once, unless forced: then everything is unloaded first. */
  discover(options?: { readonly force?: boolean }): Promise<void>;
  /** Sorted by key. */
  list(): readonly PluginReport[];
  /** The plugin that a person means by a key, a manifest's name, or the last part of a key where only one has it. */
  find(name: string): PluginReport | undefined;
  /** Loads a plugin in this process, whatever the configuration says; the configuration is left alone. */
  enable(name: string): Promise<PluginReport>;
  /** Unloads it and keeps it out until it is enabled. */
  disable(name: string): Promise<PluginReport>;
  /** Unloads it and loads what its files hold now. */
  reload(name: string): Promise<PluginReport>;
  unload(name: string): Promise<void>;
  /** Loads what may offer a provider of this kind and was not needed before; of exclusive ones only the named. */
  need(kind: ProviderKind, name?: string): Promise<void>;
  /** The configuration has changed: loads, unloads and leaves alone accordingly. */
  apply(settings: PluginSettings): Promise<void>;
  /** Unloads everything, in reverse order. */
  close(): Promise<void>;
}

/** Milliseconds that an import and a `register` may take. */
const loadLimitMs = 30_000;

/** Where plugins of a kind of provider lie, as categories. */
const categories: { readonly [K in ProviderKind]: string } = {
  web: "web",
  image: "image_gen",
  video: "video_gen",
  tts: "tts",
  transcription: "stt",
  browser: "browser",
  memory: "memory",
};

interface Known {
  candidate: Candidate;
  readonly place: number;
  enabled: boolean;
  error: string | undefined;
  /** Not loaded before somebody needs it. */
  lazy: boolean;
  /** Its code was read before. */
  read: boolean;
  life: { readonly scope: PluginScope; readonly loaded: LoadedPlugin } | undefined;
}

export function createPlugins<C extends MomentContext>(ports: PluginPorts<C>): Plugins {
  const house = new PluginHouse(ports as unknown as PluginPorts<MomentContext>);
  return {
    registry: house.registry,
    discover: (options) => house.discover(options),
    list: () => house.list(),
    find: (name) => house.report(house.search(name)),
    enable: (name) => house.enable(name),
    disable: (name) => house.disable(name),
    reload: (name) => house.reload(name),
    unload: (name) => house.unloadNamed(name),
    need: (kind, name) => house.need(kind, name),
    apply: (settings) => house.apply(settings),
    close: () => house.close(),
  };
}

class PluginHouse {
  readonly registry: Registry = newRegistry();
  readonly #ports: PluginPorts<MomentContext>;
  readonly #groups: HookGroups;
  readonly #known = new Map<string, Known>();
  #settings: PluginSettings;
  #places = 0;
  #isDiscovered = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ports: PluginPorts<MomentContext>) {
    this.#ports = ports;
    this.#settings = ports.settings;
    this.#groups = hookGroups(ports.layer, this.registry, (level, message) => ports.log(level, message));
  }

  discover({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isDiscovered && !force) return;
      if (force) await this.#unloadAll();
      this.#known.clear();
      this.#isDiscovered = true;
      if (this.#ports.safeMode) return;
      try {
        await this.#sweep();
      } catch (error) {
        this.#isDiscovered = false;
        throw error;
      }
    });
  }

  list(): readonly PluginReport[] {
    const reports = [...this.#known.values()].map((known) => this.report(known) as PluginReport);
    return reports.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  }

  report(known: Known | undefined): PluginReport | undefined {
    return known && pluginReport({ ...known, loaded: known.life !== undefined }, this.registry);
  }

  search(name: string): Known | undefined {
    const all = [...this.#known.values()];
    const exact = this.#known.get(name) ?? all.find(({ candidate }) => candidate.manifest.name === name);
    if (exact !== undefined) return exact;
    const leaves = all.filter(({ candidate }) => candidate.key.split("/").at(-1) === name);
    return leaves.length === 1 ? leaves[0] : undefined;
  }

  enable(name: string): Promise<PluginReport> {
    return this.#change(name, async (known) => {
      if (known.life !== undefined) return;
      known.enabled = true;
      await releaseHeld(this.#ports.places.home, known.candidate.key);
      await this.#load(known);
    });
  }

  disable(name: string): Promise<PluginReport> {
    return this.#change(name, async (known) => {
      await this.#unload(known);
      known.enabled = false;
      known.lazy = false;
      known.error = "disabled via config";
    });
  }

  reload(name: string): Promise<PluginReport> {
    const anew = async (known: Known): Promise<void> => {
      await this.#unload(known);
      await this.#load(known);
    };
    return this.#change(name, anew, true);
  }

  async unloadNamed(name: string): Promise<void> {
    await this.#change(name, (known) => this.#unload(known));
  }

  need(kind: ProviderKind, name?: string): Promise<void> {
    return this.#inTurn(async () => {
      const wanted = [...this.#known.values()].filter(
        (known) => known.life === undefined && this.#offers(known, kind, name),
      );
      for (const known of wanted) await this.#load(known);
    });
  }

  apply(settings: PluginSettings): Promise<void> {
    return this.#inTurn(async () => {
      this.#settings = settings;
      await this.#look();
      for (const known of this.#known.values()) {
        const decided = gate(known.candidate, settings);
        const stays = known.life !== undefined && decided.loads !== "never";
        if (stays) continue;
        if (known.life !== undefined) await this.#unload(known);
        this.#decide(known);
        if (decided.loads === "now") await this.#load(known);
      }
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#unloadAll();
      await this.#groups.close();
    });
  }

  /** One change after another, whatever became of the one before. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(change, change);
    this.#queue = done.catch(() => undefined); // whoever asked for the change is told
    return done;
  }

  #change(name: string, change: (known: Known) => Promise<void>, isAnew = false): Promise<PluginReport> {
    return this.#inTurn(async () => {
      let known = this.search(name);
      if (known === undefined || isAnew) {
        await this.#look();
        known = this.search(name);
      }
      if (known === undefined)
        throw new PluginError("unknown_plugin", `there is no plugin '${name}': 'talaria plugins list' shows all`);
      await change(known);
      return this.report(known) as PluginReport;
    });
  }

  async #sweep(): Promise<void> {
    const { places, log } = this.#ports;
    const { candidates, problems } = await discoverPlugins(places);
    for (const problem of problems) log("warning", problem);
    const release = this.#groups.hold();
    try {
      for (const candidate of candidates) {
        const known = this.#add(candidate);
        if (this.#decide(known)) await this.#load(known);
      }
    } finally {
      release();
    }
  }

  #add(candidate: Candidate): Known {
    const known: Known = {
      candidate,
      place: this.#places,
      enabled: false,
      error: undefined,
      lazy: false,
      read: false,
      life: undefined,
    };
    this.#places += 1;
    this.#known.set(candidate.key, known);
    return known;
  }

  /** What has come, gone or changed its manifest since plugins were last looked for; nothing is loaded by this. */
  async #look(): Promise<void> {
    if (this.#ports.safeMode) return;
    const { candidates } = await discoverPlugins(this.#ports.places);
    const found = new Map(candidates.map((candidate) => [candidate.key, candidate]));
    for (const [key, known] of [...this.#known]) {
      const candidate = found.get(key);
      if (candidate !== undefined) known.candidate = candidate;
      else {
        await this.#unload(known);
        this.#known.delete(key);
      }
    }
    for (const candidate of candidates) if (!this.#known.has(candidate.key)) this.#decide(this.#add(candidate));
  }

  /** Asks the gate; true where the plugin is to be loaded now. */
  #decide(known: Known): boolean {
    const decided = gate(known.candidate, this.#settings);
    known.lazy = decided.loads === "lazy";
    known.enabled = decided.loads === "never" ? decided.enabled : true;
    known.error = decided.loads === "never" ? decided.reason : undefined;
    return decided.loads === "now";
  }

  #offers({ candidate, lazy }: Known, kind: ProviderKind, name: string | undefined): boolean {
    const { key, manifest } = candidate;
    const [category, leaf] = key.includes("/") ? key.split("/") : [undefined, key];
    if (kind !== "memory") return lazy && category === categories[kind];
    if (manifest.kind !== "exclusive" || name === undefined) return false;
    const isDisabled = [key, manifest.name].some((one) => this.#settings.disabled.includes(one));
    return !isDisabled && (leaf === name || manifest.name === name);
  }

  /** Loads a plugin; what goes wrong is its error, and nothing of it stays. */
  async #load(known: Known): Promise<void> {
    const { log, reach, places, environment } = this.#ports;
    const { candidate, place } = known;
    const { key, manifest, code } = candidate;
    const say = (level: "debug" | "info" | "warning" | "error", message: string): void =>
      log(level, `plugin ${key}: ${message}`);
    const language = code.language === "python" ? "python" : "typescript";
    const scope = pluginScope({ key, name: manifest.name, place, language }, this.registry, (text) =>
      log("warning", text),
    );
    const { owner } = scope;
    const entry = this.#settings.entries[key] ?? this.#settings.entries[manifest.name];
    const config = typeof entry === "object" && entry !== null ? (entry as Readonly<Record<string, unknown>>) : {};
    const parts = { owner, scope, reach, registry: this.registry, log: say };
    const facts = { candidate, home: places.home, config, settings: this.#settings.values, environment };
    const context = pluginContext(facts, parts);
    try {
      const held = await heldReason(places.home, candidate);
      if (held !== undefined) throw new PluginError("held_back", held);
      const loader = await this.#loaderOf(code);
      if (code.language === "typescript") this.#ports.guard?.(key, code.folder);
      const { read } = known;
      const loading = onOccasion({ plugin: key }, () => loader.load(candidate, context, { fresh: read }));
      known.read = true;
      const loaded = await inTime(loading, `it gave no answer in ${loadLimitMs / 1000} s`);
      scope.commit();
      known.life = { scope, loaded };
      known.error = undefined;
      known.enabled = true;
      log("debug", `plugin ${key} is loaded`);
    } catch (error) {
      await scope.close();
      known.enabled = false;
      known.lazy = false;
      known.error = thrownText(error);
      log("warning", `plugin ${key} could not be loaded: ${known.error}`, error);
    }
    this.#groups.refresh();
  }

  async #loaderOf(code: PluginCode): Promise<PluginLoader> {
    if (code.language === "none")
      throw new PluginError("not_loadable", `there is neither index.ts, index.js nor __init__.py in ${code.folder}`);
    const loader = await this.#ports.loader(code.language);
    if (loader === undefined)
      throw new PluginError("not_loadable", `plugins in ${code.language} cannot be loaded by this program`);
    return loader;
  }

  async #unload(known: Known): Promise<void> {
    const { life } = known;
    if (life === undefined) return;
    known.life = undefined;
    const drained = this.#groups.remove(known.candidate.key);
    await life.scope.close(drained);
    await life.loaded.unload().catch((error: unknown) => {
      this.#ports.log("warning", `plugin ${known.candidate.key}: its code could not be let go: ${thrownText(error)}`);
    });
  }

  async #unloadAll(): Promise<void> {
    for (const known of [...this.#known.values()].reverse()) await this.#unload(known);
  }
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
