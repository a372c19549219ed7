import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { HostError, isHostError, systemCode } from "./error.ts";
import { type AddressGuard, type GuardedTarget, guardedTarget, pinned, requestAborted } from "./guarded-target.ts";
import { http, isProxied } from "./http.ts";
import { httpClient } from "./http-client.ts";

export interface GuardedGet extends AddressGuard {
  readonly headers: Readonly<Record<string, string>>;
  /** A longer body is an error, unpacked as it is. */
  readonly maxBytes: number;
}

/** `refused`: nothing was sent to that address, and why. */
export type GuardedPage =
  | {
      readonly kind: "page";
      /** After redirects. */
      readonly url: string;
      readonly status: number;
      /** As the server sent it, such as `text/html; charset=utf-8`. */
      readonly contentType: string;
      readonly body: Uint8Array;
    }
  | { readonly kind: "refused"; readonly reason: string };

const mostRedirects = 8;

/**
 * Fetches an address that somebody else may have chosen. Each redirect is looked at like the first address, and the
 * connection goes to the very address that was looked at; through a proxy, names are the proxy's to look up. Throws a
 * `HostError` `network`, `aborted` or `too_large`.
 */
export async function guardedGet(address: string, get: GuardedGet): Promise<GuardedPage> {
  let next = address;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    const proxied = isProxied(next);
    const target = await guardedTarget(next, { ...get, unknownNamesPass: proxied });
    if ("reason" in target) {
      const redirected = hops === 0 ? "" : "it redirects, and ";
      return { kind: "refused", reason: `${redirected}${target.reason}` };
    }
    const answer = proxied ? await throughProxy(target.url, get) : await direct(target, get);
    if (answer.location === undefined) return { kind: "page", url: target.url.href, ...answer.page };
    next = URL.canParse(answer.location, next) ? new URL(answer.location, next).href : answer.location;
  }
  return { kind: "refused", reason: `it redirects more than ${mostRedirects} times` };
}

type Answer =
  | { readonly location: string }
  | {
      readonly location?: undefined;
      readonly page: { readonly status: number; readonly contentType: string; readonly body: Uint8Array };
    };

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

async function throughProxy(url: URL, { headers, signal, maxBytes }: GuardedGet): Promise<Answer> {
  const response = await http(url, { headers, signal, redirect: "manual" });
  const location = response.headers.get("location");
  if (isRedirect(response.status) && location !== null) {
    await response.body?.cancel();
    return { location };
  }
  const body = await collected(response.body ?? [], url, { signal, maxBytes });
  return { page: { status: response.status, contentType: response.headers.get("content-type") ?? "", body } };
}

async function direct(target: GuardedTarget, get: GuardedGet): Promise<Answer> {
  const response = await send(target, get);
  const { statusCode: status = 0 } = response;
  const { location } = response.headers;
  if (isRedirect(status) && location !== undefined) {
    response.destroy();
    return { location };
  }
  try {
    const body = await collected(unpacked(response), target.url, get);
    return { page: { status, contentType: response.headers["content-type"] ?? "", body } };
  } finally {
    response.destroy();
  }
}

function send({ url, addresses }: GuardedTarget, { headers, signal }: GuardedGet): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpClient(url.protocol)
      .request(
        url,
        {
          headers: { ...headers, "accept-encoding": "gzip, deflate, br" },
          lookup: pinned(addresses),
          signal,
          agent: false,
        },
        resolve,
      )
      .on("error", (error) => reject(failure(url, error, signal)))
      .end();
  });
}

function unpacked(response: IncomingMessage): Readable {
  const { createGunzip, createInflate, createBrotliDecompress } = process.getBuiltinModule("node:zlib");
  const unpackers: Readonly<Record<string, () => ReturnType<typeof createGunzip>>> = {
    gzip: createGunzip,
    "x-gzip": createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  };
  const unpack = unpackers[(response.headers["content-encoding"] ?? "").trim().toLowerCase()];
  if (unpack === undefined) return response;
  const unpacker = unpack();
  response.on("error", (error) => unpacker.destroy(error));
  return response.pipe(unpacker);
}

async function collected(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  url: URL,
  { signal, maxBytes }: Pick<GuardedGet, "signal" | "maxBytes">,
): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new HostError("too_large", `${url.origin} answered with more than ${maxBytes} bytes`, {
          subject: url.origin,
        });
      kept.push(chunk);
    }
  } catch (error) {
    throw isHostError(error) ? error : failure(url, error, signal);
  }
  return Buffer.concat(kept);
}

function failure(url: URL, cause: unknown, signal: AbortSignal): HostError {
  if (signal.aborted) return requestAborted(url, cause);
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = systemCode(inner) ?? (inner instanceof Error ? inner.message : String(inner));
  return new HostError("network", `cannot reach ${url.origin}: ${why}`, { subject: url.origin, cause });
}
