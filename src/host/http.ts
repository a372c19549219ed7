import { HostError, systemCode } from "./error.ts";
import { plainFetch } from "./plain-fetch.ts";

export interface HttpOptions extends Omit<RequestInit, "signal"> {
  readonly signal?: AbortSignal | undefined;
  /** Limit for the whole exchange, the body included. */
  readonly timeoutMs?: number;
}

const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
let hasProxies: boolean | undefined;

/** Node takes the usual proxy variables only when told to; older ones cannot. True where there are any. */
function useProxies(): boolean {
  if (!proxyNames.some((name) => process.env[name])) return false;
  const http: object = process.getBuiltinModule("node:http");
  if ("setGlobalProxyFromEnv" in http && typeof http.setGlobalProxyFromEnv === "function") http.setGlobalProxyFromEnv();
  return true;
}

/** Whether a request to the address goes through a proxy of the environment. */
export function isProxied(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const scheme = protocol.slice(0, -1);
  if (!process.env[`${scheme}_proxy`] && !process.env[`${scheme.toUpperCase()}_PROXY`]) return false;
  const exceptions = (process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "").split(/[\s,]+/);
  return !exceptions.some((entry) => {
    const name = entry.replace(/^\*?\./, "").replace(/:\d+$/, "");
    return entry === "*" || (name !== "" && (hostname === name || hostname.endsWith(`.${name}`)));
  });
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; is the server started?",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name could not be looked up; is the network up?",
  ECONNRESET: "the connection was closed from the other side",
  UND_ERR_SOCKET: "the connection was closed from the other side",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_HEADERS_TIMEOUT: "it did not begin to answer in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
};

/** The origin alone: paths and queries of addresses may hold keys. */
function originOf(address: string | URL): string {
  return URL.canParse(String(address)) ? new URL(String(address)).origin : "an address that is not valid";
}

/**
 * `fetch` that obeys the usual proxy variables and a time limit. Throws `network`, `timed_out` or `aborted`, naming the
 * host; any answer of the server, errors included, is a result.
 */
export async function http(address: string | URL, options: HttpOptions = {}): Promise<Response> {
  const { timeoutMs, signal, ...init } = options;
  hasProxies ??= useProxies();
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const both = signal !== undefined && limit !== undefined ? AbortSignal.any([signal, limit]) : (signal ?? limit);
  const whole: RequestInit = both === undefined ? init : { ...init, signal: both };
  try {
    return await ((hasProxies ? undefined : plainFetch(address, whole)) ?? fetch(address, whole));
  } catch (error) {
    throw httpError(originOf(address), error, { timedOut: limit?.aborted === true, aborted: signal?.aborted === true });
  }
}

function httpError(origin: string, error: unknown, ended: { timedOut: boolean; aborted: boolean }): HostError {
  const facts = { subject: origin, cause: error };
  if (ended.aborted) return new HostError("aborted", `the request to ${origin} was aborted`, facts);
  if (ended.timedOut) return new HostError("timed_out", `${origin} did not answer in time`, facts);
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = reasons[systemCode(inner) ?? ""] ?? (inner instanceof Error ? inner.message : String(inner));
  return new HostError("network", `cannot reach ${origin}: ${why}`, facts);
}
