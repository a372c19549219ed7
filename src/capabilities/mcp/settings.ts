import { isSecretName, registerSecrets } from "#host";

type Mapping = Readonly<Record<string, unknown>>;

/** How a server is reached. */
export type ServerPlace =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | { readonly kind: "http" | "sse"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** One server of `mcp_servers`, read (docs/reference/mcp.md). */
export interface ServerSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** Absent: the entry cannot be used; `problem` says why. */
  readonly place: ServerPlace | undefined;
  readonly problem: string | undefined;
  /** What is not understood or not supported, one sentence each. */
  readonly remarks: readonly string[];
  readonly callMs: number;
  /** One attempt to connect, from start to the list of tools. */
  readonly connectMs: number;
  /** How long a turn or a call waits for that. */
  readonly waitMs: number;
  readonly parallel: boolean;
  /** Whether a tool, by the server's own name for it, is offered. */
  readonly offers: (tool: string) => boolean;
  /** Whether tools over its resources, and over its prompts, are offered. */
  readonly resources: boolean;
  readonly prompts: boolean;
}

const defaultCallSeconds = 120;
const defaultConnectSeconds = 60;
const defaultWaitSeconds = 5;
/** Timers of the machine fire at once beyond this. */
const longestSeconds = 2_000_000;

const keys = new Set(
  "command args env cwd url headers transport type enabled timeout connect_timeout supports_parallel_tool_calls tools".split(
    " ",
  ),
);

const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

function texts(value: unknown): readonly string[] | undefined {
  if (isPlain(value)) return [String(value)];
  return Array.isArray(value) && value.every(isPlain) ? value.map(String) : undefined;
}

/** A mapping of texts; `undefined` when it holds anything else. */
function textMap(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {};
  if (!isMapping(value)) return undefined;
  const pairs = Object.entries(value).filter(([, one]) => one !== null);
  if (!pairs.every(([, one]) => isPlain(one))) return undefined;
  return Object.fromEntries(pairs.map(([key, one]) => [key, String(one)]));
}

const isOn = (value: unknown, fallback: boolean): boolean =>
  value === undefined || value === null ? fallback : /^(true|yes|on|1)$/i.test(String(value));

const shells = /^(ba|z|da|k|fi|a)?sh(\.exe)?$/;
const networkTools = /(^|[\s;&|"'`(/])(curl|wget|nc|ncat|netcat|socat)\b/;

function stdioPlace(entry: Mapping): ServerPlace | string {
  const { command, args = [], env, cwd } = entry;
  if (typeof command !== "string" || command.trim() === "") return "command must be the name or path of a program";
  const words = texts(args ?? []);
  const variables = textMap(env);
  if (words === undefined) return "args must be a list of texts";
  if (variables === undefined) return "env must be a mapping of texts";
  if (cwd !== undefined && cwd !== null && typeof cwd !== "string") return "cwd must be a path";
  if (shells.test(command.split(/[\\/]/).at(-1) ?? "") && words.some((word) => networkTools.test(word)))
    return `${command} is given a program that fetches from the network: such servers are not started`;
  registerSecrets(Object.entries(variables).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])));
  return { kind: "stdio", command, args: words, env: variables, cwd: cwd ?? undefined };
}

function webPlace(entry: Mapping): ServerPlace | string {
  const { url, headers, transport, type } = entry;
  const given = textMap(headers);
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return "url must be an http or https address";
  if (given === undefined) return "headers must be a mapping of texts";
  const wrong = Object.entries(given).find(([name, value]) => !isHeader(name, value));
  if (wrong !== undefined) return `the header ${wrong[0]} is not valid`;
  const { username, password } = new URL(url);
  if (username !== "" || password !== "") return "url must not hold a name or password: use headers";
  registerSecrets(
    Object.entries(given).flatMap(([name, value]) =>
      isSecretName(name) ? [value, value.replace(/^(Bearer|Basic)\s+/i, "")] : [],
    ),
  );
  return { kind: (transport ?? type) === "sse" ? "sse" : "http", url, headers: given };
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false; // what the reason is, the message of the caller says well enough
  }
}

interface Numbers {
  readonly remarks: string[];
  readonly name: string;
}

function seconds(value: unknown, key: string, { remarks, name }: Numbers): number | undefined {
  if (value === undefined || value === null) return undefined;
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof read === "number" && read > 0) return Math.min(read, longestSeconds);
  remarks.push(`mcp_servers.${name}.${key} must be a number of seconds; the default is used`);
  return undefined;
}

function filter(tools: unknown): (tool: string) => boolean {
  if (!isMapping(tools)) return () => true;
  const [include, exclude] = [texts(tools["include"] ?? []), texts(tools["exclude"] ?? [])];
  if (include !== undefined && include.length > 0) return (tool) => include.includes(tool);
  return (tool) => exclude?.includes(tool) !== true;
}

const switchOf = (tools: unknown, key: string): boolean => !isMapping(tools) || isOn(tools[key], true);

function serverSettings(name: string, raw: unknown): ServerSettings {
  const entry = isMapping(raw) ? raw : {};
  const place = placeOf(raw, entry);
  const remarks = Object.keys(entry)
    .filter((key) => !keys.has(key))
    .map((key) => `mcp_servers.${name}.${key} is not supported and left out`);
  const numbers = { remarks, name };
  const connect = seconds(entry["connect_timeout"], "connect_timeout", numbers);
  return {
    name,
    enabled: isOn(entry["enabled"], true),
    place: typeof place === "string" ? undefined : place,
    problem: typeof place === "string" ? place : undefined,
    remarks,
    callMs: (seconds(entry["timeout"], "timeout", numbers) ?? defaultCallSeconds) * 1000,
    connectMs: (connect ?? defaultConnectSeconds) * 1000,
    waitMs: (connect ?? defaultWaitSeconds) * 1000,
    parallel: isOn(entry["supports_parallel_tool_calls"], false),
    offers: filter(entry["tools"]),
    resources: switchOf(entry["tools"], "resources"),
    prompts: switchOf(entry["tools"], "prompts"),
  };
}

function placeOf(raw: unknown, entry: Mapping): ServerPlace | string {
  if (!isMapping(raw)) return "must be a mapping with command or url";
  if (entry["command"] !== undefined) return stdioPlace(entry);
  if (entry["url"] !== undefined) return webPlace(entry);
  return "has neither command nor url";
}

/** All servers of `mcp_servers`, in the order of the file. Never throws: what is wrong is said in each. */
export const readServers = (servers: Mapping): readonly ServerSettings[] =>
  Object.entries(servers).map(([name, raw]) => serverSettings(name, raw));
