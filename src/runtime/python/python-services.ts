import { loadConfig, setKey, unsetKey } from "#config";
import type { PythonServices } from "#plugins";
import type { House } from "../house.ts";
import type { Runtime } from "../runtime.ts";
import { approvalServices } from "./approval-services.ts";

type Values = Readonly<Record<string, unknown>>;

/** What of the running program Python code may reach; a part that is absent is refused with a clear error. */
export interface RunningProgram {
  /** The folder that the program was started for. */
  readonly cwd: string;
  /** A line that a plugin printed, for the person who watches. */
  readonly print?: (line: string) => void;
  readonly services?: PythonServices;
  /** Makes an agent where no program runs in the house. */
  readonly runtime?: () => Promise<Pick<Runtime, "open" | "route" | "agent" | "store">>;
}

/** Where gateway hooks are fired by hand no plugins are loaded: what Python code asks of them is answered so. */
const noPlugins: PythonServices = {
  "plugins.list": () => [],
  "plugins.discover": () => undefined,
  "plugins.hasHook": () => false,
  "plugins.hasMiddleware": () => false,
  "plugins.callbacks": () => [],
  "plugins.commands": () => ({}),
  "plugins.auxiliaryTasks": () => [],
  "plugins.contextEngine": () => null,
  "plugins.toolsets": () => [],
  "plugins.whitelist": () => undefined,
  "plugins.blockMessage": () => null,
  "commands.list": () => [],
  "tools.list": () => [],
};

/** The answers to what the agent's modules ask that Python plugins import (docs/reference/python-host.md). */
export function pythonServices(house: House, { cwd, services = {} }: RunningProgram): PythonServices {
  return {
    "config.read": () => valuesOf(house),
    ...approvalServices(house, cwd),
    "gateway.running": () => false,
    "gateway.platforms": () => [],
    "gateway.send"({ platform }) {
      throw new Error(`no gateway runs here: nothing can be sent on ${String(platform)}`);
    },
    ...noPlugins,
    "config.write": ({ config }) => writeConfig(house, config),
    ...services,
  };
}

/** As the file stands now: a plugin reads it whenever it wants. */
async function valuesOf({ config, environment }: House): Promise<Values> {
  return (await loadConfig({ file: config.file, environment })).values;
}

/** Writes the keys in which a configuration differs from the one in force; comments and all other lines stay. */
async function writeConfig(house: House, config: unknown): Promise<void> {
  if (!isMapping(config)) throw new TypeError("a configuration is a mapping");
  for (const { path, value } of differences(await valuesOf(house), config))
    await (value === undefined ? unsetKey(house.config.file, path) : setKey(house.config.file, path, value));
}

const isMapping = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Difference {
  readonly path: readonly string[];
  /** Undefined: the key goes away. */
  readonly value: unknown;
}

function differences(before: Values, after: Values, path: readonly string[] = []): readonly Difference[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key): readonly Difference[] => {
    const [old, now] = [before[key], after[key]];
    if (isMapping(old) && isMapping(now)) return differences(old, now, [...path, key]);
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ path: [...path, key], value: now }];
  });
}
