import type { IncomingMessage, RequestOptions } from "node:http";
import { HostError, systemCode } from "./error.ts";
import { type AddressGuard, type GuardedTarget, guardedTarget, pinned, requestAborted } from "./guarded-target.ts";
import { httpClient, keepingAgents } from "./http-client.ts";

export interface GuardedPost extends Omit<AddressGuard, "unknownNamesPass"> {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** A longer answer is an error. */
  readonly maxBytes: number;
}

/** `refused`: nothing was sent there, and why. */
export type GuardedAnswer =
  | { readonly kind: "answer"; readonly status: number; readonly body: string }
  | { readonly kind: "refused"; readonly reason: string };

const agentFor = keepingAgents(30_000);

/**
 * Posts to an address that somebody else may have chosen: only `http` and `https`, only to an address that
 * `forbiddenAddress` lets pass, connecting to the very address that was checked. Redirects are not followed; one to a
 * forbidden address is refused. Throws a `HostError` `network`, `aborted` or `too_large`. No proxy is used.
 */
export async function guardedPost(address: string, post: GuardedPost): Promise<GuardedAnswer> {
  const target = await guardedTarget(address, post);
  if ("reason" in target) return { kind: "refused", reason: target.reason };
  const response = await send(target, post);
  const { statusCode: status = 0 } = response;
  const { location } = response.headers;
  if (status >= 300 && status < 400 && location !== undefined) {
    response.destroy();
    const next = URL.canParse(location, target.url.href) ? new URL(location, target.url).href : location;
    const redirected = await guardedTarget(next, post);
    if ("reason" in redirected) return { kind: "refused", reason: `it redirects, and ${redirected.reason}` };
    return { kind: "answer", status, body: "" };
  }
  return { kind: "answer", status, body: await bodyOf(response, target.url.origin, post) };
}

function send(target: GuardedTarget, post: GuardedPost): Promise<IncomingMessage> {
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

function failure(url: URL, cause: unknown, signal: AbortSignal): HostError {
  if (signal.aborted) return requestAborted(url, cause);
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  const why = systemCode(inner) ?? (inner instanceof Error ? inner.message : String(inner));
  return new HostError("network", `cannot reach ${url.origin}: ${why}`, { subject: url.origin, cause });
}
