import { join } from "node:path";
import { type Mcp, mcp } from "#capabilities";
import { appendText, fileFacts, redact, remove, workingFolder } from "#host";
import { configuredServers } from "./configured-servers.ts";
import type { Finding } from "./finding.ts";
import type { HookOptions } from "./hooks/hook-options.ts";
import type { House } from "./house.ts";

/** Bytes of the file of standard error at which it is begun anew. */
const largestStderr = 5_000_000;

export interface McpPlace {
  readonly cwd: string;
  readonly version: string;
  /** Whether the folder's own servers are taken without a question, or never. */
  readonly hooks?: Pick<HookOptions, "acceptHooks" | "projectHooks">;
}

/** The MCP servers of a house, as its files say at each turn. */
export interface HouseServers extends Mcp {
  /** What is wrong with the project's own file. */
  remarks(): readonly string[];
}

export function mcpServers(house: House, { cwd, version, hooks }: McpPlace): HouseServers {
  const { home, config, environment, log } = house;
  const file = join(home.path, "logs", "mcp-stderr.log");
  let written: Promise<void> | undefined;
  const write = (text: string): void => {
    written = (written ?? shortened(file))
      .then(() => appendText(file, text))
      .catch((error: unknown) => log.debug(`standard error of an MCP server could not be kept: ${error}`));
  };
  const configured = configuredServers(house, cwd, hooks);
  const servers = mcp({
    servers: config.settings.mcp_servers,
    current: configured.current,
    sourceOf: configured.sourceOf,
    cwd,
    version,
    environment,
    log: (level, message) => log.write(level, message),
    stderr: (server, text) => {
      if (home.isWritable) write(redact(text.replaceAll(/^(?=.)/gm, `[${server}] `)));
    },
  });
  return { ...servers, remarks: configured.remarks };
}

async function shortened(file: string): Promise<void> {
  const facts = await fileFacts(file).catch(() => undefined); // not there yet
  if (facts !== undefined && facts.bytes > largestStderr) await remove(file);
}

const states = {
  off: "ok",
  idle: "warning",
  unusable: "problem",
  connecting: "warning",
  connected: "ok",
  failed: "problem",
} as const;

/** Connects to each server as a turn would, and ends it again. */
export async function examinedServers(house: House): Promise<readonly Finding[]> {
  const servers = mcpServers(house, { cwd: workingFolder(), version: "doctor" });
  try {
    await servers.connected();
    const remarks = servers.remarks().map((detail): Finding => {
      const mend = "say 'talaria hooks trust' in the folder if you trust it, or mend what is wrong with the file";
      return { about: "MCP servers of the project", state: "warning", detail, mend };
    });
    const found = servers.report().map(({ name, state, detail }) => ({
      about: `MCP server ${name}`,
      state: states[state],
      detail: state === "connecting" ? "has not answered yet; turns go on without it until it has" : detail,
      ...(states[state] === "ok"
        ? {}
        : {
            mend: `look at mcp_servers.${name} in ${house.config.file} or at .mcp.json of the project, and at logs/mcp-stderr.log in the home`,
          }),
    }));
    return [...remarks, ...found];
  } finally {
    await servers.close();
  }
}
