import type { Tool, TurnContext } from "#agent";
import { type Environment, redact } from "#host";
import type { Middleware } from "#kernel";
import { resultText } from "./outcome.ts";
import { type McpPrompt, promptsOf } from "./prompts.ts";
import { sanitised } from "./sanitised.ts";
import { type McpServer, mcpServer, type ServerState } from "./server.ts";
import { readServers, type ServerSettings } from "./settings.ts";
import { toolsOf } from "./tools.ts";

export interface McpSettings {
  /** `mcp_servers` as the configuration has it. */
  readonly servers: Configured;
  /** Asked before each turn and each call of a hook; the same object: nothing has changed. Absent: nothing ever does. */
  readonly current?: () => Promise<Configured>;
  /** What hooks are told of where a server is named; absent: `config`. */
  readonly sourceOf?: (name: string) => string;
  /** The folder that the program was started for. */
  readonly cwd: string;
  readonly environment: Environment;
  /** Told to servers. */
  readonly version: string;
  readonly log: (level: "info" | "warning", message: string) => void;
  /** Takes what servers write to standard error, some of it. */
  readonly stderr: (server: string, text: string) => void;
}

type Configured = Readonly<Record<string, unknown>>;

export interface ServerReport {
  readonly name: string;
  readonly state: ServerState;
  readonly detail: string;
  /** Names that the model sees. */
  readonly tools: readonly string[];
}

/** MCP servers and their tools. */
export interface Mcp extends Middleware<TurnContext> {
  /** Begins to connect to all servers and waits for them as the first turn does. */
  connected(): Promise<void>;
  /** One call for a hook: connects first where that is needed. Rejects when the server cannot be reached in time. */
  callTool(call: {
    readonly server: string;
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  }): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** Prompts of servers that are connected, or were. */
  prompts(): readonly McpPrompt[];
  report(): readonly ServerReport[];
  /** Ends all servers with everything they have started. */
  close(): Promise<void>;
}

/** Characters of standard error that are kept of one server. */
const keptStderr = 1 << 20;

const inherited = /^(PATH|HOME|USER|LANG|LC_ALL|TERM|SHELL|TMPDIR|XDG_\w+|SystemRoot|APPDATA|TEMP|TMP|PATHEXT)$/i;

/** Slot `mcp`: the tools of MCP servers (docs/reference/mcp.md). Nothing is started or loaded before the first turn. */
export function mcp(settings: McpSettings): Mcp {
  const { log, sourceOf = () => "config" } = settings;
  let tools: readonly Tool[] | undefined;
  const told = new Set<McpServer>();
  const fleet = serverFleet(settings, () => {
    tools = undefined;
  });
  const offered = (): readonly Tool[] => {
    tools ??= toolsOf(fleet.servers(), sourceOf, (message) => log("warning", message));
    return tools;
  };
  const connected = async (): Promise<void> => {
    await fleet.refresh();
    for (const server of fleet.servers()) server.start();
    await Promise.all(fleet.servers().map((server) => server.firstAttempt()));
  };
  return {
    slot: "mcp",
    tools: offered,
    on: {
      async before_agent(_payload, { surface }) {
        await connected();
        const fresh = fleet.servers().filter((server) => !told.has(server));
        for (const text of fresh.flatMap(absence)) surface.emit({ type: "notice", level: "warning", text });
        for (const server of fresh) told.add(server);
      },
    },
    connected,
    async callTool({ server: name, tool, input, signal }) {
      await fleet.refresh();
      const server = serverOf(fleet.servers(), name);
      const result = await server.call(tool, input, { signal });
      return { text: resultText(result), isError: result.isError === true };
    },
    prompts: () => promptsOf(fleet.servers()),
    report: () =>
      fleet.servers().map((server) => ({
        name: server.settings.name,
        ...server.state(),
        tools: toolsOf([server], sourceOf, () => undefined).map((tool) => tool.name),
      })),
    close: fleet.close,
  };
}

/** The servers of the configuration as it stands: those whose entry has not changed stay as they are. */
function serverFleet(settings: McpSettings, toolsChanged: () => void) {
  const { log, cwd, version } = settings;
  const environment = inheritedEnvironment(settings.environment);
  let configured: Configured | undefined;
  let known = new Map<string, McpServer>();
  let last = Promise.resolve();
  const made = (read: ServerSettings): McpServer => {
    for (const remark of read.remarks) log("warning", remark);
    if (read.enabled && read.problem !== undefined) log("warning", redact(`mcp_servers.${read.name}: ${read.problem}`));
    const onStderr = bounded((text) => settings.stderr(read.name, text));
    return mcpServer(read, { cwd, version, environment, onStderr, log, toolsChanged });
  };
  const take = (servers: Configured): readonly McpServer[] => {
    if (servers === configured) return [];
    configured = servers;
    const former = known;
    known = new Map();
    for (const [name, entry] of Object.entries(servers)) {
      const key = JSON.stringify([name, entry]);
      for (const read of former.has(key) ? [] : readServers({ [name]: entry })) known.set(key, made(read));
      const kept = former.get(key);
      if (kept !== undefined) known.set(key, kept);
    }
    toolsChanged();
    return [...former].flatMap(([key, server]) => (known.has(key) ? [] : [server]));
  };
  const renewed = async (): Promise<void> => {
    const { current } = settings;
    if (current !== undefined) await Promise.all(take(await current()).map((server) => server.close()));
  };
  take(settings.servers);
  return {
    servers: (): readonly McpServer[] => [...known.values()],
    refresh(): Promise<void> {
      last = last.then(renewed, renewed);
      return last;
    },
    close: async (): Promise<void> => void (await Promise.all([...known.values()].map((server) => server.close()))),
  };
}

/** What a person is told, once, of a server that the first turn has to do without. */
function absence(server: McpServer): readonly string[] {
  const { state, detail } = server.state();
  if (state === "off" || state === "connected") return [];
  const why = state === "connecting" ? "it has not answered yet" : detail;
  return [`The tools of the MCP server ${server.settings.name} are not there: ${redact(why)}`];
}

function serverOf(servers: readonly McpServer[], name: string): McpServer {
  const found =
    servers.find(({ settings }) => settings.name === name) ??
    servers.find(({ settings }) => sanitised(settings.name) === sanitised(name));
  if (found === undefined) throw new Error(`no MCP server is called ${name}: see mcp_servers in config.yaml`);
  return found;
}

function inheritedEnvironment(environment: Environment): Readonly<Record<string, string>> {
  const kept = Object.entries(environment).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && inherited.test(pair[0]),
  );
  return Object.fromEntries(kept);
}

/** Hands on what comes first of a stream. */
function bounded(take: (text: string) => void): (text: string) => void {
  let left = keptStderr;
  return (text) => {
    if (left <= 0) return;
    take(text.slice(0, left));
    left -= text.length;
  };
}
