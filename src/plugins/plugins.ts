import { discoverPlugins } from "./discovery.ts";
import { PluginError } from "./error.ts";
import { gate, type PluginSettings } from "./gate.ts";
import { releaseHeld } from "./held-plugins.ts";
import { type HookGroups, hookGroups, type MomentContext } from "./hook-groups.ts";
import type { Candidate } from "./manifest.ts";
import { type Known, type PluginLife, pluginLife } from "./plugin-life.ts";
import type { PluginPorts } from "./plugin-ports.ts";
import { type PluginReport, pluginReport } from "./plugin-report.ts";
import type { ProviderKind } from "./provider.ts";
import { registry as newRegistry, type Registry } from "./registry.ts";

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
  readonly #life: PluginLife;
  readonly #known = new Map<string, Known>();
  #settings: PluginSettings;
  #places = 0;
  #isDiscovered = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(ports: PluginPorts<MomentContext>) {
    this.#ports = ports;
    this.#settings = ports.settings;
    this.#groups = hookGroups(ports.layer, this.registry, (level, message) => ports.log(level, message));
    this.#life = pluginLife(ports, this.registry, this.#groups);
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
      await this.#life.load(known, this.#settings);
    });
  }

  disable(name: string): Promise<PluginReport> {
    return this.#change(name, async (known) => {
      await this.#life.unload(known);
      known.enabled = false;
      known.lazy = false;
      known.error = "disabled via config";
    });
  }

  reload(name: string): Promise<PluginReport> {
    const anew = async (known: Known): Promise<void> => {
      await this.#life.unload(known);
      await this.#life.load(known, this.#settings);
    };
    return this.#change(name, anew, true);
  }

  async unloadNamed(name: string): Promise<void> {
    await this.#change(name, (known) => this.#life.unload(known));
  }

  need(kind: ProviderKind, name?: string): Promise<void> {
    return this.#inTurn(async () => {
      const wanted = [...this.#known.values()].filter(
        (known) => known.life === undefined && this.#offers(known, kind, name),
      );
      for (const known of wanted) await this.#life.load(known, this.#settings);
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
        if (known.life !== undefined) await this.#life.unload(known);
        this.#decide(known);
        if (decided.loads === "now") await this.#life.load(known, this.#settings);
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
        if (this.#decide(known)) await this.#life.load(known, this.#settings);
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
      warnings: [],
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
        await this.#life.unload(known);
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

  async #unloadAll(): Promise<void> {
    for (const known of [...this.#known.values()].reverse()) await this.#life.unload(known);
  }
}
