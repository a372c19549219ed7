import { join } from "node:path";
import { loadConfig } from "#config";
import { trustedFolders } from "#hooks";
import { type Environment, fileFacts, isSwitchedOn, readTextIfExists } from "#host";
import type { HookOptions } from "./hooks/hook-options.ts";
import type { House } from "./house.ts";

type Servers = Readonly<Record<string, unknown>>;

const longestFile = 1 << 20;

/** The servers that files name. */
export interface ConfiguredServers {
  /** Files are read again when they have changed; the same object: nothing has. */
  current(): Promise<Servers>;
  /** Where a server of the last reading is named: `config.yaml` or the project's `.mcp.json`. */
  sourceOf(name: string): "config" | "project";
  /** What the last reading of the project's file found wrong, one sentence each. */
  remarks(): readonly string[];
}

/** The MCP servers of `config.yaml`, and behind them those of the project's `.mcp.json` where its folder is trusted. */
export function configuredServers(
  house: House,
  cwd: string,
  { acceptHooks = false, projectHooks = true }: Pick<HookOptions, "acceptHooks" | "projectHooks"> = {},
): ConfiguredServers {
  const { home, config, environment, log } = house;
  const file = join(cwd, ".mcp.json");
  const folders = trustedFolders(home.path);
  const accepts = acceptHooks || isSwitchedOn("ACCEPT_HOOKS", environment);
  let own: Servers = config.settings.mcp_servers;
  let servers = own;
  let stamp: string | undefined;
  let ownStamp: string | undefined;
  let remarks: string[] = [];
  const remark = (message: string): void => {
    remarks.push(message);
    log.warning(message);
  };

  async function ownServers(seen: string): Promise<Servers> {
    const isFirst = ownStamp === undefined;
    if (seen === ownStamp) return own;
    ownStamp = seen;
    if (isFirst) return own;
    const read = await loadConfig({ file: config.file, environment });
    // What cannot be read says what it said before.
    return read.problems.some(({ kind }) => kind === "broken_file" || kind === "unreadable_file")
      ? own
      : read.settings.mcp_servers;
  }

  async function projectServers(seen: string): Promise<Servers> {
    if (seen === "-" || !projectHooks || isSwitchedOn("SAFE_MODE", environment)) return {};
    if (!accepts && !(await folders.has(cwd))) {
      remark(`${file}: its MCP servers are not started: the folder is not trusted (talaria hooks trust)`);
      return {};
    }
    const text = (await readTextIfExists(file, { maxBytes: longestFile }))?.text ?? "";
    return projectEntries(text, environment, (message) => remark(`${file}: ${message}`));
  }

  const current = async (): Promise<Servers> => {
    const [theirs, ours, trust] = await Promise.all([file, config.file, folders.file].map(stampOf));
    const now = `${theirs}|${ours}|${theirs === "-" ? "" : trust}`;
    if (now === stamp) return servers;
    stamp = now;
    remarks = [];
    own = await ownServers(ours ?? "");
    const project = await projectServers(theirs ?? "-").catch((error: unknown) => {
      remark(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      return {};
    });
    const merged = { ...own, ...Object.fromEntries(Object.entries(project).filter(([name]) => !(name in own))) };
    if (JSON.stringify(merged) !== JSON.stringify(servers)) servers = merged;
    return servers;
  };
  return { current, sourceOf: (name) => (name in own ? "config" : "project"), remarks: () => remarks };
}

async function stampOf(file: string): Promise<string> {
  const facts = await fileFacts(file).catch(() => undefined); // what cannot be looked at is not there
  return facts === undefined ? "-" : `${facts.identity} ${facts.bytes} ${facts.modifiedMs} ${facts.changedMs}`;
}

const isMapping = (value: unknown): value is Servers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The entries of a `.mcp.json`, with variables put in; what is wrong costs its own entry only. */
function projectEntries(text: string, environment: Environment, warn: (message: string) => void): Servers {
  let read: unknown;
  try {
    read = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    warn(`this is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
  const entries = isMapping(read) ? read["mcpServers"] : undefined;
  if (!isMapping(entries)) {
    warn('there is no object "mcpServers"');
    return {};
  }
  const filled = Object.entries(entries).flatMap(([name, entry]) => {
    const missing = new Set<string>();
    const value = withVariables(entry, environment, missing);
    if (missing.size === 0) return [[name, value] as const];
    warn(`the server ${name} is left out: it names variables that are not set (${[...missing].join(", ")})`);
    return [];
  });
  return Object.fromEntries(filled);
}

const variable = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** `${NAME}` and `${NAME:-default}` in every text. */
function withVariables(value: unknown, environment: Environment, missing: Set<string>): unknown {
  if (typeof value === "string")
    return value.replaceAll(variable, (_, name: string, fallback: string | undefined) => {
      const found = environment[name] ?? fallback;
      if (found === undefined) missing.add(name);
      return found ?? "";
    });
  if (Array.isArray(value)) return value.map((one) => withVariables(one, environment, missing));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withVariables(one, environment, missing)]));
}
