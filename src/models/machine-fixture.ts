import { after, http, now } from "#host";
import { findProvider } from "./catalogue.ts";
import type { Connection } from "./connection.ts";
import type { ModelPorts } from "./ports.ts";

/** The real machine, without chance. */
export const machine: ModelPorts = {
  fetch: (input, init) => http(input as string, init as never),
  clock: { now, timer: (ms, run) => after(ms, run, true) },
  random: () => 0.5,
};

/** A connection to a local server, with the key `test-key`. */
export function connectionTo(provider: string, baseUrl: string, more: Partial<Connection> = {}): Connection {
  const found = findProvider(provider);
  if (!found) throw new Error(`no provider ${provider}`);
  return { provider: found, model: "test-model", baseUrl, apiKey: "test-key", ...more };
}

export const never = (): AbortSignal => new AbortController().signal;
