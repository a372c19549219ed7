import type { Agent } from "node:http";

export type HttpClient = typeof import("node:http") | typeof import("node:https");

/** Node's HTTP client for `http:` or `https:`. Never imported: an import reads every export, and one of them loads the web client. */
export const httpClient = (protocol: string): HttpClient =>
  protocol === "https:" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");

/** Connections that stay open, by protocol, each kind made when it is first used. */
export function keepingAgents(idleMs: number): (protocol: string) => Agent {
  const made = new Map<string, Agent>();
  return (protocol) => {
    const known = made.get(protocol);
    if (known !== undefined) return known;
    const agent = new (httpClient(protocol).Agent)({ keepAlive: true, scheduling: "lifo", timeout: idleMs });
    made.set(protocol, agent);
    return agent;
  };
}
