import { basename, join } from "node:path";
import type { Session, TurnContext } from "#agent";
import {
  ensureDirectory,
  every,
  type LogLevel,
  linkTree,
  removeTree,
  temporaryFolder,
  temporaryRoot,
  environment as wholeEnvironment,
  writeAtomic,
} from "#host";
import { blueprint, createKernel, type Layer, type MaybePromise } from "#kernel";
import type { ModelRoute } from "#models";
import { type Candidate, type PluginModule, readPlugin } from "#plugins";
import { auxiliary } from "../auxiliary.ts";
import { type House, openHouse } from "../house.ts";
import { liveConfig } from "../live-config.ts";
import { openPlugins, type PluginHouse } from "../plugins/plugin-house.ts";
import { talks } from "../talks.ts";
import { type CallPlace, calledTool } from "./called-tool.ts";

type Values = Readonly<Record<string, unknown>>;

export interface TrialOptions {
  /** `plugins.entries.<key>`: what the plugin finds as `config`. */
  readonly config?: Values;
  /** The rest of `config.yaml`. */
  readonly settings?: Values;
  /** Over the environment of this process; undefined takes a variable out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Tools that `dispatchTool` finds beside the plugin's own, by name. */
  readonly tools?: Readonly<Record<string, (args: Values) => MaybePromise<unknown>>>;
  /** Of a plugin that is no folder. */
  readonly manifest?: { readonly name?: string; readonly [key: string]: unknown };
  /** Absolute; the folder that tools and hooks are told to be in. */
  readonly cwd?: string;
}

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}

/** A home of its own for one plugin, with all that the plugin reaches from there. */
export interface TrialRoom {
  readonly key: string;
  readonly house: House;
  readonly cwd: string;
  readonly layer: Layer<TurnContext>;
  readonly inUse: PluginHouse;
  readonly log: readonly LogLine[];
  /** What the plugin has put into the conversation. */
  readonly injected: readonly string[];
  readonly printed: readonly string[];
  /** What failed at the events fired so far: emptied by whoever looks. */
  readonly failures: { readonly event: string; readonly detail: unknown }[];
  close(): Promise<void>;
}

/** Makes the room; the plugin is not loaded yet. Rejects for a folder that is no plugin. */
export async function trialRoom(
  plugin: string | PluginModule,
  options: TrialOptions,
  { route, watchdog }: { readonly route?: ModelRoute; readonly watchdog: boolean },
): Promise<TrialRoom> {
  const work = await temporaryFolder(temporaryRoot(), "talaria-plugin-test-");
  try {
    const candidate = typeof plugin === "string" ? await folderPlugin(plugin) : await modulePlugin(work, options);
    const cwd = options.cwd ?? work;
    const log: LogLine[] = [];
    const house = logged(await trialHouse(candidate, { work, cwd, watchdog }, options), log);
    const failures: { readonly event: string; readonly detail: unknown }[] = [];
    const layer = createKernel<TurnContext>(blueprint, {
      every,
      report: (kind, _owner, event, detail) => void (kind === "failed" && failures.push({ event, detail })),
    });
    const injected: string[] = [];
    const printed: string[] = [];
    const config = liveConfig(house);
    const open = talks();
    open.onMessage((text) => injected.push(text) > 0);
    const inUse: PluginHouse = await openPlugins({
      ...{ house, cwd, layer, config, auxiliary: auxiliary(house, config), talks: open, ownCommands: [] },
      print: (text) => void printed.push(text),
      openSession: async () =>
        ({ dispatch: dispatching(() => ({ house, cwd, layer }), options) }) as unknown as Session,
      ...(route === undefined ? {} : { route }),
      ...(typeof plugin === "string" ? {} : { modules: new Map([[candidate.key, plugin]]) }),
    });
    return {
      ...{ key: candidate.key, house, cwd, layer, inUse, log, injected, printed, failures },
      async close() {
        await inUse.close();
        await removeTree(work);
      },
    };
  } catch (error) {
    await removeTree(work);
    throw error;
  }
}

async function folderPlugin(folder: string): Promise<Candidate> {
  const { manifest, code } = await readPlugin(folder);
  return { key: manifest.name, source: "bundled", manifest, code };
}

/** A plugin that a test holds in its hands gets a folder with its manifest. */
async function modulePlugin(work: string, { manifest = {} }: TrialOptions): Promise<Candidate> {
  const folder = join(work, "given", manifest.name ?? "plugin");
  await ensureDirectory(folder);
  await writeAtomic(join(folder, "plugin.yaml"), JSON.stringify(manifest));
  await writeAtomic(join(folder, "index.mjs"), "export {};\n");
  return folderPlugin(folder);
}

interface Place {
  readonly work: string;
  readonly cwd: string;
  readonly watchdog: boolean;
}

/** A home with nothing in it but this plugin, among the plugins of the program. */
async function trialHouse(candidate: Candidate, place: Place, options: TrialOptions): Promise<House> {
  const { work, cwd, watchdog } = place;
  const own = "folder" in candidate.code ? candidate.code.folder : "";
  const [home, bundled] = [join(work, "home"), join(work, "plugins")];
  await Promise.all([ensureDirectory(home), ensureDirectory(bundled)]);
  await linkTree(own, join(bundled, basename(own)));
  const plugins = {
    ...(options.config === undefined ? {} : { entries: { [candidate.key]: options.config } }),
    ...(watchdog ? {} : { watchdog_seconds: 0 }),
  };
  const settings = { ...options.settings, plugins: { ...(options.settings?.["plugins"] as Values), ...plugins } };
  await writeAtomic(join(home, "config.yaml"), JSON.stringify(settings));
  const environment = { ...wholeEnvironment(), ...options.environment, TALARIA_BUNDLED_PLUGINS: bundled };
  return openHouse({ home, cwd, environment });
}

function logged(house: House, lines: LogLine[]): House {
  const write: House["log"]["write"] = (level, message, fields) => {
    lines.push({ level, message });
    house.log.write(level, message, fields);
  };
  const at =
    (level: LogLevel): House["log"]["debug"] =>
    (message, fields) =>
      write(level, message, fields);
  const log = { ...house.log, write, debug: at("debug"), info: at("info"), warning: at("warning"), error: at("error") };
  return { ...house, log };
}

/** `dispatchTool` where no conversation is open: the test's own tools, else those of the plugin. */
const dispatching =
  (room: () => CallPlace, { tools = {} }: TrialOptions): Session["dispatch"] =>
  async (name, args) => {
    const given = tools[name];
    if (given === undefined) return calledTool(room(), name, args);
    const answer: unknown = await given(args);
    return typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "");
  };
