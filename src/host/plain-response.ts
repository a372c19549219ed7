import { PlainHeaders } from "./plain-headers.ts";

export interface ResponseFacts {
  readonly status: number;
  readonly statusText?: string;
  readonly headers?: Headers | PlainHeaders | Readonly<Record<string, string>>;
  /** Where it came from. */
  readonly url?: string;
}

const encoder = new TextEncoder();

function streamOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (text !== "") controller.enqueue(encoder.encode(text));
      controller.close();
    },
  });
}

/** What callers read of a `Response`, without the web client of Node behind it. It is read once, and never copied. */
export function plainResponse(body: string | ReadableStream<Uint8Array> | null, facts: ResponseFacts): Response {
  const { status, statusText = "", headers = {}, url = "" } = facts;
  const stream = typeof body === "string" ? streamOf(body) : body;
  let isUsed = false;
  const bytes = async (): Promise<Uint8Array<ArrayBuffer>> => {
    if (isUsed || stream?.locked === true) throw new TypeError("the body of this answer has been read already");
    isUsed = true;
    const chunks: Uint8Array[] = [];
    if (stream !== null) for await (const chunk of stream) chunks.push(chunk);
    return new Uint8Array(Buffer.concat(chunks));
  };
  const text = async (): Promise<string> => new TextDecoder().decode(await bytes());
  const response = {
    status,
    statusText,
    ok: status >= 200 && status < 300,
    headers: new PlainHeaders(headers as PlainHeaders),
    url,
    redirected: false,
    type: "basic",
    body: stream,
    get bodyUsed() {
      return isUsed || stream?.locked === true;
    },
    bytes,
    text,
    arrayBuffer: async () => (await bytes()).buffer,
    json: async (): Promise<unknown> => JSON.parse(await text()),
  };
  return response as unknown as Response;
}
