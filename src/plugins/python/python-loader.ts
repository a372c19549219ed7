import { thrownText } from "../error.ts";
import type { LoadedPlugin, PluginLoader } from "../loader.ts";
import type { Candidate, PluginCode } from "../manifest.ts";
import { occasion, onOccasion } from "../occasion.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { HostLife } from "./host-life.ts";
import type { Values } from "./messages.ts";
import { pluginAnswers } from "./plugin-answers.ts";
import { operation, type PythonHost } from "./python-host.ts";
import type { RegistrationCache, Registrations } from "./registration-cache.ts";
import { Residence } from "./residence.ts";

interface PythonCandidate extends Candidate {
  readonly code: Extract<PluginCode, { readonly language: "python" }>;
}

/** Questions of a `register` whose answers are part of what its registrations are remembered under. */
const foreseen = new Set(["register", "config.read"]);
/** Milliseconds that a plugin has to come back in a new process, or to come when it was known from the cache. */
const bringLimitMs = 30_000;

/** What a process says of a plugin that it has loaded. */
interface Loaded {
  /** Threads or tasks of its own run since. */
  readonly lives: boolean;
}

/**
 * Plugins in Python: they live in the host, and what they register is registered here with callbacks over the wire. What is
 * known from the cache is registered without the host, which then loads the plugin when it starts.
 */
export function pythonLoader(
  host: PythonHost,
  log: (message: string) => void,
  cache?: RegistrationCache,
): PluginLoader<"python"> {
  const loader = new Loader(host, log, cache);
  return {
    language: "python",
    load: (candidate, context, { fresh }) => loader.load(candidate as PythonCandidate, context, fresh),
    wake: () => host.wake(),
    close: () => host.close(),
  };
}

class Loader {
  readonly #host: PythonHost;
  readonly #log: (message: string) => void;
  readonly #cache: RegistrationCache | undefined;
  readonly #residences = new Map<string, Residence>();
  readonly #numbers = new Map<string, number>();
  /** Plugins whose `register` asked what nobody can foresee the answer of. */
  readonly #askers = new Set<string>();

  constructor(host: PythonHost, log: (message: string) => void, cache: RegistrationCache | undefined) {
    this.#host = host;
    this.#log = log;
    this.#cache = cache;
    host.answerWith(pluginAnswers(this.#residences), (question) => {
      const { plugin } = occasion();
      if (plugin !== undefined && !foreseen.has(question)) this.#askers.add(plugin);
    });
  }

  async load(candidate: PythonCandidate, context: PluginContext, fresh: boolean): Promise<LoadedPlugin> {
    const { key } = candidate;
    const host = this.#host;
    const number = this.#numberOf(key);
    const told = loading(candidate, number);
    const residence = new Residence(context, number, host);
    const known = fresh ? undefined : await this.#remembered(candidate, context);
    this.#residences.set(key, residence);
    const isPutOff = known !== undefined && !host.isStarted && residence.take(known);
    if (!isPutOff) {
      try {
        const load = () => host.operate("load", { ...told, fresh }, { signal: context.signal });
        await this.#run(residence, candidate, load);
      } catch (error) {
        this.#residences.delete(key);
        throw error;
      }
    }
    const leave = host.reside({ name: `the plugin ${key}`, bring: this.#bringer(residence, candidate, isPutOff) });
    return {
      unload: async () => {
        leave();
        if (this.#residences.get(key) === residence) this.#residences.delete(key);
        await host.operateIfRunning("unload", { key }).catch((error: unknown) => {
          this.#log(`${key} could not be let go in Python: ${thrownText(error)}`);
        });
      },
    };
  }

  /** Brings a plugin into a new process. One that was put off and cannot be loaded then leaves nothing. */
  #bringer(residence: Residence, candidate: PythonCandidate, isPutOff: boolean): (life: HostLife) => Promise<void> {
    const { key } = candidate;
    const message = operation("load", { ...loading(candidate, residence.number), fresh: false });
    let isNew = isPutOff;
    return async (life) => {
      const signal = AbortSignal.timeout(bringLimitMs);
      try {
        await this.#run(residence, candidate, () => life.call(message, { signal }));
      } catch (error) {
        if (isNew && !life.isOver) residence.leave();
        throw error;
      }
      isNew = false;
      if (residence.hasChanged) this.#log(`${key} registers something else than before: that holds from now on`);
    };
  }

  /** Has `register` run, and remembers what came of it where that can be foreseen. */
  async #run(residence: Residence, candidate: PythonCandidate, load: () => Promise<unknown>): Promise<void> {
    const { key } = candidate;
    const cache = this.#cache;
    const under = cache?.keyOf(candidate, residence.context);
    const keep = async (registrations: Registrations | undefined): Promise<void> => {
      const before = await under;
      if (cache === undefined || before === undefined) return;
      // Files that change meanwhile are not those that were loaded.
      const isSame = registrations !== undefined && before === (await cache.keyOf(candidate, residence.context));
      await cache.write(key, before, isSame ? registrations : undefined);
    };
    this.#askers.delete(key);
    residence.begin();
    try {
      const { lives } = (await onOccasion({ plugin: key }, load)) as Loaded;
      residence.registered();
      const { registrations } = residence;
      const isForeseen = !lives && !this.#askers.has(key) && registrations.length > 0;
      if (residence.hasChanged || !isForeseen) await keep(isForeseen ? registrations : undefined);
    } catch (error) {
      await keep(undefined);
      throw error;
    }
  }

  async #remembered(candidate: PythonCandidate, context: PluginContext) {
    if (this.#cache === undefined || this.#host.isStarted) return undefined;
    const key = await this.#cache.keyOf(candidate, context);
    return key === undefined ? undefined : this.#cache.read(candidate.key, key);
  }

  #numberOf(key: string): number {
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

function loading({ key, manifest, source, code }: PythonCandidate, number: number): Values {
  const { name, version, description, author, kind } = manifest;
  const place = "folder" in code ? { folder: code.folder } : { module: code.module, attribute: code.attribute };
  return {
    key,
    number,
    ...place,
    manifest: {
      key,
      name,
      version,
      description,
      author,
      kind,
      source,
      path: "folder" in code ? code.folder : null,
      requires_env: manifest.raw["requires_env"] ?? [],
      provides_tools: manifest.providesTools,
      provides_hooks: manifest.providesHooks,
    },
  };
}
