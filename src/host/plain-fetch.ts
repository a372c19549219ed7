import type { ClientRequest, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { systemCode } from "./error.ts";
import { httpClient, keepingAgents } from "./http-client.ts";
import { PlainHeaders } from "./plain-headers.ts";
import { plainResponse } from "./plain-response.ts";

/** The system's own; whoever puts another one in its place is asked instead of us. */
const native = globalThis.fetch;

const connectMs = 10_000;
/** A connection that was idle for so long is not used again: servers close theirs after five seconds and more. */
const idleMs = 4_000;
/** Connections of an earlier exchange that turn out to be closed before anything came back. */
const mostStale = 3;
const redirects = new Set([301, 302, 303, 307, 308]);
const bodiless = new Set([204, 205, 304]);
const served = new Set(["method", "headers", "body", "signal"]);

const agentFor = keepingAgents(idleMs);

interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: PlainHeaders;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * What `fetch` does, by Node's older HTTP client, which is there several times sooner; errors have the same form. Undefined
 * where only `fetch` itself does the same: another body than text or bytes, rarer options, names in the address.
 */
export function plainFetch(address: string | URL, init: RequestInit): Promise<Response> | undefined {
  if (globalThis.fetch !== native || !URL.canParse(String(address))) return undefined;
  const url = new URL(address);
  const { body = undefined, signal } = init;
  const isServed =
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    Object.entries(init).every(([name, value]) => value === undefined || served.has(name)) &&
    (body === undefined || typeof body === "string" || body instanceof Uint8Array);
  if (!isServed) return undefined;
  return exchanged({ url, method: init.method ?? "GET", body, signal: signal ?? undefined }, init);
}

async function exchanged(parts: Omit<Exchange, "headers">, init: RequestInit): Promise<Response> {
  const exchange: Exchange = { ...parts, headers: headersFor(parts, init.headers) };
  const { url, signal } = exchange;
  signal?.throwIfAborted();
  const message = await answered(exchange);
  if (redirects.has(message.statusCode ?? 0) && message.headers.location !== undefined) {
    message.destroy();
    return fetch(url, init);
  }
  const status = message.statusCode ?? 0;
  const headers = new PlainHeaders();
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? "", message.rawHeaders[at + 1] ?? "");
  const facts = { status, statusText: message.statusMessage ?? "", headers, url: url.href };
  if (exchange.method !== "HEAD" && !bodiless.has(status))
    return plainResponse(streamOf(message, decoded(message), signal), facts);
  message.resume();
  return plainResponse(null, facts);
}

function headersFor({ url, body }: Omit<Exchange, "headers">, given: RequestInit["headers"]): PlainHeaders {
  const headers = new PlainHeaders(given as PlainHeaders | undefined);
  const usual: Readonly<Record<string, string>> = {
    accept: "*/*",
    "accept-encoding": url.protocol === "https:" ? "br, gzip, deflate" : "gzip, deflate",
    "accept-language": "*",
    "sec-fetch-mode": "cors",
    "user-agent": "node",
    ...(typeof body === "string" && { "content-type": "text/plain;charset=UTF-8" }),
  };
  for (const [name, value] of Object.entries(usual)) if (!headers.has(name)) headers.set(name, value);
  return headers;
}

const failed = (cause: unknown): TypeError => new TypeError("fetch failed", { cause });

async function answered(exchange: Exchange): Promise<IncomingMessage> {
  for (let stale = 0; ; stale++) {
    const sent = send(exchange);
    try {
      return await sent.answer;
    } catch (error) {
      if (exchange.signal?.aborted === true) throw exchange.signal.reason;
      // The server had closed an idle connection before the request reached it.
      const isStale = sent.request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(systemCode(error) ?? "");
      if (!isStale || stale >= mostStale) throw failed(error);
    }
  }
}

function send(exchange: Exchange): { readonly request: ClientRequest; readonly answer: Promise<IncomingMessage> } {
  const { url, method, headers, body, signal } = exchange;
  const request = httpClient(url.protocol).request(url, {
    method,
    agent: agentFor(url.protocol),
    headers: Object.fromEntries(headers),
  });
  limitConnecting(request, url);
  let message: IncomingMessage | undefined;
  const abort = (): void => {
    // A whole answer leaves the connection to the next exchange.
    if (message?.complete !== true) request.destroy(asError(signal?.reason));
  };
  signal?.addEventListener("abort", abort, { once: true });
  request.once("close", () => signal?.removeEventListener("abort", abort));
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", (given) => {
      message = given;
      resolve(given);
    });
    request.on("error", reject);
  });
  request.end(body);
  return { request, answer };
}

function limitConnecting(request: ClientRequest, { protocol, host }: URL): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) return;
    const late = setTimeout(() => {
      const error = new Error(`no connection to ${host} after ${connectMs / 1000} s`);
      request.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
    }, connectMs);
    const clear = (): void => clearTimeout(late);
    socket.once(protocol === "https:" ? "secureConnect" : "connect", clear);
    socket.once("close", clear);
  });
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** The body as it was before it was compressed for the way. */
function decoded(message: IncomingMessage): Readable {
  const encodings = (message.headers["content-encoding"] ?? "").split(",").map((name) => name.trim().toLowerCase());
  let source: Readable = message;
  for (const encoding of encodings.reverse()) {
    const decoder = decoderFor(encoding);
    if (decoder === undefined) continue;
    const before = source;
    source = before.pipe(decoder);
    before.once("error", (error) => decoder.destroy(error));
    decoder.once("close", () => before.destroy());
  }
  return source;
}

function decoderFor(encoding: string) {
  if (!/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return undefined;
  const zlib = process.getBuiltinModule("node:zlib");
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  // Events that the server has flushed come out at once, and a stream that ends early gives what there was.
  if (encoding === "br") return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH });
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
  return encoding === "deflate" ? zlib.createInflate(options) : zlib.createGunzip(options);
}

function streamOf(
  message: IncomingMessage,
  source: Readable,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (cause: unknown): void => {
          if (isOver) return;
          isOver = true;
          signal?.removeEventListener("abort", fail);
          controller.error(signal?.aborted === true ? signal.reason : new TypeError("terminated", { cause }));
        };
        source.on("data", (chunk: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once("end", () => {
          if (isOver) return;
          isOver = true;
          signal?.removeEventListener("abort", fail);
          controller.close();
        });
        source.on("error", (error) => fail(message.complete ? error : closed(error)));
        source.once("close", () => fail(closed(undefined)));
        signal?.addEventListener("abort", fail, { once: true });
      },
      pull: () => void source.resume(),
      cancel() {
        isOver = true;
        message.destroy();
      },
    },
    { highWaterMark: 4 },
  );
}

/** Node calls it aborted, which would read as if the person had done it. */
const closed = (cause: unknown): Error =>
  Object.assign(new Error("other side closed", { cause }), { code: systemCode(cause) ?? "ECONNRESET" });
