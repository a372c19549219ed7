import type {
  CallToolResult,
  Client,
  GetPromptResult,
  JsonSchemaValidator,
  jsonSchemaValidator,
  ReadResourceResult,
  RequestOptions,
  Transport,
} from "@modelcontextprotocol/client";
import { http, isHostError } from "#host";
import type { Asking } from "./call-limit.ts";
import { questionsOf } from "./questions.ts";
import type { ServerPlace, ServerSettings } from "./settings.ts";
import { type StdioTransport, stdioTransport } from "./stdio-transport.ts";

/** A tool as its server describes it. */
export interface RemoteTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A prompt as its server describes it. */
export interface RemotePrompt {
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly about: string; readonly required: boolean }[];
}

/** What a server has besides tools. */
export interface Offers {
  readonly resources: boolean;
  readonly prompts: boolean;
}

export interface Listed {
  readonly resources: readonly object[];
  readonly templates: readonly object[];
}

/** A server that answers. */
export interface Connection {
  readonly tools: () => readonly RemoteTool[];
  readonly prompts: () => readonly RemotePrompt[];
  readonly offers: Offers;
  /** Rejects with what the server says, at its time limit, or when aborted; so do the next three. */
  call(tool: string, args: Readonly<Record<string, unknown>>, asking: Asking): Promise<CallToolResult>;
  resources(signal: AbortSignal): Promise<Listed>;
  resource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  /** What an error of a call says of the connection. `forgotten`: the server no longer knows it, and nothing was done. */
  fateOf(error: unknown): "alive" | "lost" | "forgotten";
  close(): Promise<void>;
}

export interface ConnectionPorts {
  readonly cwd: string;
  readonly version: string;
  /** The environment of a server that is a program, without its own `env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly onStderr: (text: string) => void;
  readonly toolsChanged: () => void;
  /** The connection is lost; never after `close`. */
  readonly lost: (why: string) => void;
  readonly signal: AbortSignal;
}

/** Timers of the machine fire at once beyond this. */
const longestMs = 2 ** 31 - 1;

/** Pages of tools that are read of one server, and tools that are kept. */
const mostPages = 100;
const mostTools = 512;

/** Connects and reads the list of tools. Rejects when that fails; nothing is left running then. */
export async function openConnection(settings: ServerSettings, ports: ConnectionPorts): Promise<Connection> {
  const { place } = settings;
  if (place === undefined) throw new Error(settings.problem ?? "it is not configured");
  const sdk = await import("@modelcontextprotocol/client");
  const { transport, ending, silence } = transportOf(sdk, place, ports);
  const client = new sdk.Client(
    { name: "talaria", version: ports.version },
    { capabilities: { elicitation: { form: {}, url: {} } }, listMaxPages: mostPages, jsonSchemaValidator: trusting },
  );
  const questions = questionsOf(client);
  let state: "opening" | "open" | "closed" = "opening";
  client.onerror = () => undefined; // answers that come too late, streams that are opened anew: calls tell what matters
  client.onclose = () => {
    if (state === "open") ports.lost(ending() ?? "the connection was closed");
    state = "closed";
  };
  const close = async (): Promise<void> => {
    state = "closed";
    // The transport is closed too where the client has already let go of it: a dead program may have left children.
    await Promise.allSettled([client.close(), transport.close()]);
  };
  const options = { timeout: settings.connectMs, signal: ports.signal };
  let tools: readonly RemoteTool[] = [];
  let prompts: readonly RemotePrompt[] = [];
  try {
    await client.connect(transport, options);
    [tools, prompts] = await Promise.all([toolsOf(client, settings, options), promptsOf(client, options)]);
    if (state !== "opening") throw new Error(ending() ?? "the connection was closed");
    state = "open";
  } catch (error) {
    await close();
    const late = sdk.SdkError.isInstance(error) && error.code === sdk.SdkErrorCode.RequestTimeout;
    const why = late ? (silence() ?? `it did not answer in ${settings.connectMs / 1000} s`) : plainMessage(error);
    throw new Error(ending() ?? why, { cause: error });
  }
  client.setNotificationHandler("notifications/tools/list_changed", async () => {
    tools = await toolsOf(client, settings, options).catch(() => tools); // the old list is better than none
    ports.toolsChanged();
  });
  client.setNotificationHandler("notifications/prompts/list_changed", async () => {
    prompts = await promptsOf(client, options);
    ports.toolsChanged();
  });
  const capabilities = client.getServerCapabilities();
  // The time limit is ours, for it stands still while a person is asked; that of the library is put out of the way.
  const never = { timeout: longestMs, maxTotalTimeout: longestMs };
  const limited = <T>(asking: Asking, work: (options: RequestOptions) => Promise<T>): Promise<T> =>
    questions.during(asking, settings.callMs, (signal) => work({ ...never, signal }));
  return {
    tools: () => tools,
    prompts: () => prompts,
    offers: { resources: capabilities?.resources !== undefined, prompts: capabilities?.prompts !== undefined },
    close,
    fateOf(error) {
      if (isHostError(error) && error.code === "network") return "lost";
      return sdk.SdkHttpError.isInstance(error) && error.status === 404 ? "forgotten" : "alive";
    },
    call: (name, args, asking) =>
      limited(asking, (given) => client.callTool({ name, arguments: args as Record<string, unknown> }, given)),
    resources: (signal) => limited({ signal }, (given) => listed(client, given)),
    resource: (uri, signal) => limited({ signal }, (given) => client.readResource({ uri }, given)),
    prompt: (name, args, signal) => limited({ signal }, (given) => client.getPrompt({ name, arguments: args }, given)),
  };
}

type Sdk = typeof import("@modelcontextprotocol/client");

interface Reached {
  readonly transport: Transport;
  readonly ending: () => string | undefined;
  readonly silence: () => string | undefined;
}

function transportOf(sdk: Sdk, place: ServerPlace, ports: ConnectionPorts): Reached {
  if (place.kind === "stdio") {
    const transport: StdioTransport = stdioTransport({
      place,
      cwd: ports.cwd,
      env: { ...ports.environment, ...place.env },
      parse: (line) => sdk.deserializeMessage(line),
      onStderr: ports.onStderr,
    });
    return { transport, ending: transport.ending, silence: transport.silence };
  }
  const options = {
    requestInit: { headers: place.headers },
    fetch: (address: string | URL, init?: RequestInit) => {
      const { signal, ...rest } = init ?? {};
      return http(address, { ...rest, signal: signal ?? undefined });
    },
  };
  const url = new URL(place.url);
  const transport =
    place.kind === "sse"
      ? new sdk.SSEClientTransport(url, options)
      : new sdk.StreamableHTTPClientTransport(url, options);
  return { transport: transport as Transport, ending: () => undefined, silence: () => undefined };
}

/** What a tool returns goes to the model as text; nothing here builds on its shape. */
const trusting: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

async function toolsOf(
  client: Client,
  { offers }: ServerSettings,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly RemoteTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const { tools } = await client.listTools(undefined, options);
  return tools
    .filter(({ name }) => offers(name))
    .slice(0, mostTools)
    .map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? "",
      parameters: inputSchema,
    }));
}

/** What is not there, or cannot be read, costs no tools. */
async function promptsOf(
  client: Client,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly RemotePrompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return [];
  const { prompts } = await client.listPrompts(undefined, options).catch(() => ({ prompts: [] }));
  return prompts.slice(0, mostTools).map(({ name, description, arguments: args }) => ({
    name,
    description: description ?? "",
    args: (args ?? []).map((one) => ({
      name: one.name,
      about: one.description ?? "",
      required: one.required === true,
    })),
  }));
}

async function listed(client: Client, options: RequestOptions): Promise<Listed> {
  const [{ resources }, { resourceTemplates }] = await Promise.all([
    client.listResources(undefined, options),
    // Servers without templates may not know the question.
    client.listResourceTemplates(undefined, options).catch(() => ({ resourceTemplates: [] })),
  ]);
  return { resources: resources.slice(0, mostTools), templates: resourceTemplates.slice(0, mostTools) };
}

/** The words of an error, with those of its cause where it says nothing itself. */
export function plainMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "fetch failed" && error.cause instanceof Error ? error.cause.message : error.message;
}
