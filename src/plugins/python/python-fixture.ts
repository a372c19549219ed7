import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { blueprint, createKernel, type EventName, type Layer, rows } from "#kernel";
import type { MomentContext } from "../hook-groups.ts";
import { createPlugins, type Plugins } from "../plugins.ts";
import type { PluginReach } from "../reach.ts";
import { type PythonHost, type PythonServices, pythonHost } from "./python-host.ts";
import { pythonLoader } from "./python-loader.ts";
import { registrationCache } from "./registration-cache.ts";

export const program = fileURLToPath(new URL("../../../python", import.meta.url));

/** Where there is one it starts at once; that on PATH may be a slow starter script. */
const systemPython = "/usr/bin/python3";
export const interpreter = existsSync(systemPython) ? systemPython : "python3";

export interface Shop {
  readonly home: string;
  readonly interpreter: string;
  readonly host: PythonHost;
  readonly plugins: Plugins;
  readonly layer: Layer<MomentContext>;
  readonly logged: string[];
  readonly printed: string[];
  /** Writes a plugin of one `__init__.py`, or of several files. */
  plugin(key: string, code: string | Readonly<Record<string, string>>, manifest?: string): string;
  /** Has a plugin that is there already loaded. */
  enable(key: string): void;
  /** Fires an event through the kernel with the row's example under what is given. */
  fire(event: EventName, payload: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
  /** Fires a row that stands around an act. */
  wrap(
    event: EventName,
    payload: Readonly<Record<string, unknown>>,
    core: (payload: never) => Promise<unknown>,
  ): Promise<unknown>;
  tool(name: string, args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<unknown>;
  errorOf(key: string): string | undefined;
  close(): Promise<void>;
}

export interface ShopOptions {
  readonly services?: PythonServices;
  readonly reach?: Partial<PluginReach>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly configured?: string;
  /** A home that stays, in place of one of its own. */
  readonly home?: string;
  /** Registrations are kept in the home. */
  readonly remembers?: boolean;
  /** `config.yaml`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

const context: MomentContext = {
  sessionId: "s1",
  cwd: "/",
  platform: "cli",
  signal: new AbortController().signal,
};

/** A home with Python plugins, loaded as the program loads them. Call `plugins.discover()` once they are written. */
export function shop(options: ShopOptions = {}): Shop {
  const { services = {}, reach = {}, environment = process.env } = options;
  const home = options.home ?? mkdtempSync(join(tmpdir(), "talaria-python-"));
  const logged: string[] = [];
  const printed: string[] = [];
  const log = (level: string, text: string): void => void logged.push(`${level} ${text}`);
  const configured = options.configured ?? (existsSync(systemPython) ? systemPython : "");
  const place = { program, configured, home, cwd: home, environment };
  const host = pythonHost({
    ...place,
    services: { "plugins.callbacks": () => [], ...services },
    log: (level, logger, text) => log(level, `${logger}: ${text}`),
    print: (line) => void printed.push(line),
  });
  const cache = options.remembers === true ? registrationCache(place, (text) => log("debug", text)) : undefined;
  const loader = pythonLoader(host, (message) => log("warning", message), cache);
  const keys: string[] = [];
  const layer = createKernel<MomentContext>(blueprint, {
    every: (ms, tick) => {
      const timer = setInterval(tick, ms);
      return () => clearInterval(timer);
    },
    report: (kind, owner, event, detail) => log(kind, `${owner} ${event} ${String(detail)}`),
  });
  const plugins = createPlugins({
    places: { bundled: [], home, project: undefined, packages: [] },
    settings: { enabled: keys, disabled: [], entries: {}, values: options.settings ?? {} },
    environment,
    layer,
    reach: {
      model: () => {
        throw new Error("no model here");
      },
      dispatchTool: async () => "",
      injectMessage: () => false,
      toolsetOf: () => undefined,
      isBuiltInCommand: () => false,
      ...reach,
    },
    loader: async (language) => (language === "python" ? loader : undefined),
    log: (level, message) => log(level, message),
    safeMode: false,
  });
  return {
    home,
    interpreter,
    host,
    plugins,
    layer,
    logged,
    printed,
    plugin(key, code, manifest = `name: ${key.split("/").at(-1)}\n`) {
      keys.push(key);
      const folder = join(home, "plugins", key);
      const files = typeof code === "string" ? { "__init__.py": code } : code;
      for (const [name, text] of Object.entries({ "plugin.yaml": manifest, ...files })) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      return folder;
    },
    enable: (key) => void keys.push(key),
    async wrap(event, payload, core) {
      const fire = layer.plan.on[event] as unknown as (
        payload: object,
        core: unknown,
        context: MomentContext,
        changed: (payload: object) => Promise<object>,
      ) => Promise<unknown>;
      return fire({ ...rows[event].row.example, ...payload }, core, context, async (changed) => changed);
    },
    async fire(event, payload) {
      const { example } = rows[event].row;
      const fire = layer.plan.on[event] as ((payload: object, context: MomentContext) => unknown) | undefined;
      return ((await fire?.({ ...example, ...payload }, context)) ?? {}) as Readonly<Record<string, unknown>>;
    },
    async tool(name, args = {}, signal = new AbortController().signal) {
      const found = plugins.registry.of("tool").find(({ value }) => value.name === name);
      if (found === undefined) throw new Error(`no tool ${name}`);
      const run = { sessionId: "s1", taskId: "t1", callId: "c1", cwd: "/", signal, progress: () => undefined };
      return found.value.handler(args, run);
    },
    errorOf: (key) => plugins.list().find((one) => one.key === key)?.error,
    async close() {
      await plugins.close();
      await host.close();
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}
