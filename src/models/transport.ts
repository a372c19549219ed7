import { plainResponse } from "#host";
import type { ModelClock, ModelPorts } from "./ports.ts";

/** What one exchange with a server looked like, for the error that has to explain it. */
export interface Exchange {
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal;
  /** True once the server was silent for too long, and the exchange was ended for that. */
  readonly stalled: boolean;
  readonly status: number | undefined;
  readonly contentType: string;
  readonly bytes: number;
  /** The first characters of the answer. */
  readonly head: string;
  /** The server said itself that its stream is over, as OpenAI's servers do. */
  readonly saidDone: boolean;
  /** Frees the socket and the timer; harmless after a whole answer. */
  close(): void;
}

const headLength = 400;
const doneMark = "[DONE]";

/** A `fetch` for one call that ends when `signal` aborts or when the server sends nothing for `idleMs`. */
export function exchange(ports: ModelPorts, signal: AbortSignal, idleMs: number): Exchange {
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  if (signal.aborted) forward();
  else signal.addEventListener("abort", forward, { once: true });
  let stalled = false;
  const watch = watchdog(ports.clock, idleMs, () => {
    stalled = true;
    controller.abort(new Error("the server was silent"));
  });
  const seen = { status: undefined as number | undefined, contentType: "", bytes: 0, head: "", tail: "" };

  const guarded: typeof globalThis.fetch = async (input, init) => {
    watch.feed();
    const response = await ports.fetch(input, { ...init, signal: controller.signal });
    watch.feed();
    seen.status = response.status;
    seen.contentType = response.headers.get("content-type") ?? "";
    return response.body ? watched(response, response.body) : response;
  };

  function watched(response: Response, body: ReadableStream<Uint8Array>): Response {
    const decoder = new TextDecoder();
    const stream = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, sink) {
          watch.feed();
          if (seen.head.length < headLength) {
            seen.head += decoder.decode(chunk.subarray(0, headLength), { stream: true });
          }
          seen.bytes += chunk.byteLength;
          // One byte, one character: only ASCII is looked for, and a mark may be cut in two.
          seen.tail = (seen.tail + String.fromCharCode(...chunk.subarray(-doneMark.length - 8))).slice(
            -doneMark.length - 8,
          );
          sink.enqueue(chunk);
        },
      }),
    );
    return plainResponse(stream, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  }

  return {
    fetch: guarded,
    signal: controller.signal,
    get stalled() {
      return stalled;
    },
    get status() {
      return seen.status;
    },
    get contentType() {
      return seen.contentType;
    },
    get bytes() {
      return seen.bytes;
    },
    get head() {
      return seen.head.slice(0, headLength);
    },
    get saidDone() {
      return seen.tail.includes(doneMark);
    },
    close() {
      watch.stop();
      signal.removeEventListener("abort", forward);
      controller.abort(new Error("the exchange is over"));
    },
  };
}

/** Barks after `idleMs` without food. Feeding costs one clock reading; the timer is set anew only when it runs out. */
function watchdog(clock: ModelClock, idleMs: number, bark: () => void) {
  let fed = clock.now();
  let cancel = clock.timer(idleMs, check);
  function check() {
    const left = fed + idleMs - clock.now();
    if (left <= 0) bark();
    else cancel = clock.timer(left, check);
  }
  return {
    feed: () => {
      fed = clock.now();
    },
    stop: () => cancel(),
  };
}
