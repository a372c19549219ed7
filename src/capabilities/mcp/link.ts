import { after, redact, ticks } from "#host";
import {
  type Connection,
  type ConnectionPorts,
  type Offers,
  openConnection,
  plainMessage,
  type RemotePrompt,
  type RemoteTool,
} from "./connection.ts";
import type { ServerSettings } from "./settings.ts";

export interface ServerPorts extends Omit<ConnectionPorts, "lost" | "signal"> {
  readonly log: (level: "info" | "warning", message: string) => void;
}

/** Attempts in a row that are made without being asked. */
const mostAttempts = 5;
const firstPauseMs = 1000;
const longestPauseMs = 60_000;

/** What is known of one server and of the attempts to reach it. */
export interface Link {
  readonly settings: ServerSettings;
  readonly ports: ServerPorts;
  readonly closing: AbortController;
  connection: Connection | undefined;
  attempt: Promise<Connection> | undefined;
  /** The last known ones: they stay while the server is away. */
  tools: readonly RemoteTool[];
  prompts: readonly RemotePrompt[];
  offers: Offers;
  /** Why it is away, undefined while it is there or was never needed. */
  failure: string | undefined;
  /** Failures since the last call that was answered. */
  failures: number;
  /** By the clock of `ticks`, of the last attempt that failed. */
  failedAt: number;
  cancelRetry: (() => void) | undefined;
}

export const newLink = (settings: ServerSettings, ports: ServerPorts): Link => ({
  settings,
  ports,
  closing: new AbortController(),
  connection: undefined,
  attempt: undefined,
  tools: [],
  prompts: [],
  offers: { resources: false, prompts: false },
  failure: undefined,
  failures: 0,
  failedAt: Number.NEGATIVE_INFINITY,
  cancelRetry: undefined,
});

function say({ settings, ports }: Link, level: "info" | "warning", message: string): void {
  ports.log(level, redact(`MCP server ${settings.name}: ${message}`));
}

/** The server is away; another attempt follows after a pause that doubles, up to a number of attempts. */
export function failed(link: Link, why: string): void {
  link.connection = undefined;
  link.failure = redact(why);
  link.failures += 1;
  if (link.closing.signal.aborted) return;
  say(link, "warning", why);
  if (link.failures >= mostAttempts) return;
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** (link.failures - 1));
  link.cancelRetry?.();
  link.cancelRetry = after(pause, () => {
    link.cancelRetry = undefined;
    void connected(link).catch(() => undefined); // it was said where it failed
  });
}

/** The connection, joined to the attempt that runs or made by a new one. */
export function connected(link: Link): Promise<Connection> {
  if (link.connection !== undefined) return Promise.resolve(link.connection);
  if (link.closing.signal.aborted) return Promise.reject(new Error("the program is ending"));
  link.attempt ??= connect(link).finally(() => {
    link.attempt = undefined;
  });
  return link.attempt;
}

async function connect(link: Link): Promise<Connection> {
  const { settings, ports, closing } = link;
  link.cancelRetry?.();
  link.cancelRetry = undefined;
  let opened: Connection;
  try {
    opened = await openConnection(settings, {
      ...ports,
      signal: closing.signal,
      lost: (why) => failed(link, why),
      toolsChanged: () => {
        link.tools = link.connection?.tools() ?? link.tools;
        link.prompts = link.connection?.prompts() ?? link.prompts;
        ports.toolsChanged();
      },
    });
  } catch (error) {
    link.failedAt = ticks();
    failed(link, plainMessage(error));
    throw error;
  }
  if (closing.signal.aborted) {
    await opened.close();
    throw new Error("the program is ending");
  }
  link.connection = opened;
  link.tools = opened.tools();
  link.prompts = opened.prompts();
  link.offers = opened.offers;
  link.failure = undefined;
  ports.toolsChanged();
  say(link, "info", `connected, ${link.tools.length} tools`);
  return opened;
}

/** Whether an attempt has failed just now: models call again at once, and are told the same. */
export const hasJustFailed = ({ connection, attempt, failedAt }: Link): boolean =>
  connection === undefined && attempt === undefined && ticks() - failedAt < firstPauseMs / 2;
