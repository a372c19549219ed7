import { lookup } from "node:dns";
import type { IncomingMessage, RequestOptions } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { forbiddenAddress } from "./address.ts";
import { HostError, systemCode } from "./error.ts";
import { httpClient, keepingAgents } from "./http-client.ts";

export interface GuardedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** A longer answer is an error. */
  readonly maxBytes: number;
  /** Hosts that may have any address: names, addresses, or `*.domain`. */
  readonly allowHosts?: readonly string[];
  /** Looks a name up; the system's way if absent. */
  readonly resolve?: (host: string) => Promise<readonly HostAddress[]>;
}

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** `refused`: nothing was sent there, and why. */
export type GuardedAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  | { readonly kind: "refused"; readonly reason: string };

type Checked = { readonly url: URL; readonly addresses: readonly HostAddress[] } | { readonly reason: string };

const agentFor = keepingAgents(30_000);

/**
 * Posts to an address that somebody else may have chosen: only `http` and `https`, only to an address that
 * `forbiddenAddress` lets pass, connecting to the very address that was checked. Redirects are not followed; one to a
 * forbidden address is refused. Throws a `HostError` `network`, `aborted` or `too_large`. No proxy is used.
 */
export async function guardedPost(address: string, post: GuardedPost): Promise<GuardedAnswer> {
  const target = await checked(address, post);
  if ("reason" in target) return { kind: "refused", reason: target.reason };
  const response = await send(target, post);
  const { statusCode: status = 0 } = response;
  const { location } = response.headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    response.destroy();
    const next = URL.canParse(location, target.url.href) ? new URL(location, target.url).href : location;
    const redirected = await checked(next, post);
    if ("reason" in redirected) return { kind: "refused", reason: `it redirects, and ${redirected.reason}` };
    return { kind: "answer", status, body: "" };
  }
  return { kind: "answer", status, body: await bodyOf(response, target.url.origin, post) };
}

async function checked(address: string, post: GuardedPost): Promise<Checked> {
  if (!URL.canParse(address)) return { reason: "it is not a valid address" };
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { reason: `only http and https are allowed, not ${url.protocol.slice(0, -1)}` };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  let addresses: readonly HostAddress[];
  try {
    addresses = isIP(host) > 0 ? [{ address: host, family: isIP(host) }] : await found(host, post);
  } catch (error) {
    if (post.signal.aborted) throw aborted(url, error);
    return { reason: `the name ${host} could not be looked up (${systemCode(error) ?? String(error)})` };
  }
  if (addresses.length === 0) return { reason: `the name ${host} has no address` };
  if (isAllowed(host, post.allowHosts ?? [])) return { url, addresses };
  for (const one of addresses) {
    const why = forbiddenAddress(one.address);
    if (why !== undefined) return { reason: `${host} leads to ${one.address}, ${why}` };
  }
  return { url, addresses };
}

const isAllowed = (host: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) => {
    const name = entry.toLowerCase();
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name.replace(/^\[|\]$/g, "");
  });

function found(host: string, { resolve, signal }: GuardedPost): Promise<readonly HostAddress[]> {
  if (resolve !== undefined) return resolve(host);
  return new Promise((done, fail) => {
    const stop = (): void => fail(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    lookup(host, { all: true, verbatim: true }, (error, addresses) => {
      signal.removeEventListener("abort", stop);
      if (error === null) done(addresses);
      else fail(error);
    });
  });
}

/** Answers every question for the address with what was checked, so that a second answer of the name server cannot matter. */
const pinned =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_host, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? "", first?.family ?? 0);
  };

function send(target: Extract<Checked, { readonly url: URL }>, post: GuardedPost): Promise<IncomingMessage> {
  const { url, addresses } = target;
  const options: RequestOptions = {
    method: "POST",
    headers: { ...post.headers, "content-length": Buffer.byteLength(post.body) },
    agent: agentFor(url.protocol),
    lookup: pinned(addresses),
    signal: post.signal,
  };
  return new Promise((resolve, reject) => {
    const attempt = (isRepeated: boolean): void => {
      const request = httpClient(url.protocol).request(url, options, resolve);
      request.on("error", (error) => {
        // A connection that was kept open may have been closed from the other side just now: nothing was read there.
        if (request.reusedSocket && !isRepeated && systemCode(error) === "ECONNRESET" && !post.signal.aborted)
          attempt(true);
        else reject(failure(url, error, post.signal));
      });
      request.end(post.body);
    };
    attempt(false);
  });
}

async function bodyOf(response: IncomingMessage, origin: string, post: GuardedPost): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > post.maxBytes)
        throw new HostError("too_large", `${origin} answered with more than ${post.maxBytes} bytes`, {
          subject: origin,
        });
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof HostError ? error : failure(new URL(origin), error, post.signal);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const aborted = (url: URL, cause: unknown): HostError =>
  new HostError("aborted", `the request to ${url.origin} was aborted`, { subject: url.origin, cause });

function failure(url: URL, cause: unknown, signal: AbortSignal): HostError {
  if (signal.aborted) return aborted(url, cause);
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = systemCode(inner) ?? (inner instanceof Error ? inner.message : String(inner));
  return new HostError("network", `cannot reach ${url.origin}: ${why}`, { subject: url.origin, cause });
}
