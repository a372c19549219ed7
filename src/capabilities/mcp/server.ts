import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/client";
import { after, redact } from "#host";
import type { Asking } from "./call-limit.ts";
import {
  type Connection,
  type Listed,
  type Offers,
  plainMessage,
  type RemotePrompt,
  type RemoteTool,
} from "./connection.ts";
import { connected, failed, hasJustFailed, type Link, newLink, type ServerPorts } from "./link.ts";
import type { ServerSettings } from "./settings.ts";

export type ServerState = "off" | "unusable" | "idle" | "connecting" | "connected" | "failed";

/** One configured server: connected when first needed, and again when it is lost. */
export interface McpServer {
  readonly settings: ServerSettings;
  /** Begins to connect in the background where it is neither connected nor about to be. */
  start(): void;
  /** Settles when the first attempt has ended, or after the server's waiting time counted from its start. */
  firstAttempt(): Promise<void>;
  tools(): readonly RemoteTool[];
  /** What it says that it has; nothing before it was first connected. */
  offers(): Offers;
  prompts(): readonly RemotePrompt[];
  /** Rejects in the words of the server, with why it cannot be reached, at the time limit, or when aborted; so do the next three. */
  call(tool: string, args: Readonly<Record<string, unknown>>, asking: Asking): Promise<CallToolResult>;
  resources(signal: AbortSignal): Promise<Listed>;
  resource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  state(): { readonly state: ServerState; readonly detail: string };
  close(): Promise<void>;
}

export function mcpServer(settings: ServerSettings, ports: ServerPorts): McpServer {
  const link = newLink(settings, ports);
  const usable = settings.enabled && settings.place !== undefined;
  let first: Promise<void> | undefined;
  const asked = async <T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (!usable) throw new Error(`the MCP server ${settings.name} cannot be used: ${unusable(settings)}`);
    const result = await called(link, signal, work);
    link.failures = 0;
    return result;
  };
  return {
    settings,
    start() {
      const { connection, attempt, cancelRetry } = link;
      if (!usable || connection !== undefined || attempt !== undefined || cancelRetry !== undefined) return;
      // What becomes of it is kept in the link; a later turn does not wait for it again.
      const begun = bounded(connected(link), settings.waitMs, link.closing.signal).then(nothing, nothing);
      first ??= begun;
    },
    firstAttempt: () => first ?? Promise.resolve(),
    tools: () => link.tools,
    offers: () => link.offers,
    prompts: () => link.prompts,
    call: (tool, args, asking) => asked(asking.signal, (connection) => connection.call(tool, args, asking)),
    resources: (signal) => asked(signal, (connection) => connection.resources(signal)),
    resource: (uri, signal) => asked(signal, (connection) => connection.resource(uri, signal)),
    prompt: (name, args, signal) => asked(signal, (connection) => connection.prompt(name, args, signal)),
    state: () =>
      usable ? stateOf(link) : { state: settings.enabled ? "unusable" : "off", detail: unusable(settings) },
    async close() {
      link.closing.abort(new Error("the program is ending"));
      link.cancelRetry?.();
      await Promise.allSettled([link.connection?.close(), link.attempt]);
      link.connection = undefined;
    },
  };
}

const nothing = (): void => undefined;

const unusable = ({ enabled, problem }: ServerSettings): string =>
  enabled ? (problem ?? "it is not configured") : "it is switched off";

function stateOf({ connection, attempt, failure, tools }: Link): ReturnType<McpServer["state"]> {
  if (connection !== undefined) return { state: "connected", detail: `connected, ${tools.length} tools` };
  if (attempt !== undefined) return { state: "connecting", detail: failure ?? "still starting" };
  return failure === undefined ? { state: "idle", detail: "not started" } : { state: "failed", detail: failure };
}

async function reached(link: Link, signal: AbortSignal): Promise<Connection> {
  const { settings, failure } = link;
  try {
    if (hasJustFailed(link)) throw new Error(failure ?? "it cannot be reached");
    return await bounded(connected(link), settings.waitMs, signal);
  } catch (error) {
    throw new Error(`the MCP server ${settings.name} is not connected: ${redact(plainMessage(error))}`);
  }
}

/** A call, made a second time only where the server says that it knows nothing of the connection. */
async function called<T>(link: Link, signal: AbortSignal, call: (connection: Connection) => Promise<T>): Promise<T> {
  const used = await reached(link, signal);
  try {
    return await call(used);
  } catch (error) {
    const fate = used.fateOf(error);
    if (fate === "alive") throw error;
    if (link.connection === used) {
      failed(link, plainMessage(error));
      void used.close();
    }
    if (fate === "lost") throw error;
    return call(await reached(link, signal));
  }
}

/** What a promise gives, unless the time is over or the signal aborts first. */
async function bounded<T>(promise: Promise<T>, limitMs: number, signal: AbortSignal): Promise<T> {
  promise.catch(nothing); // when it fails later, it was said where it failed
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const abort = (): void => ended.reject(signal.reason);
  const cancel = after(limitMs, () => ended.reject(new Error("it has not answered yet")), true);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, ended.promise]);
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
  }
}
