import { UnfinishedAnswer } from "./answer.ts";
import { classify, type Failure, retryAfter } from "./classification.ts";
import type { Connection } from "./connection.ts";
import { type ModelAddress, ModelError, type ModelErrorDetails } from "./error.ts";
import type { Exchange } from "./transport.ts";

interface Circumstances {
  readonly connection: Connection;
  readonly address: ModelAddress;
  readonly exchange: Pick<Exchange, "stalled" | "status" | "contentType" | "bytes" | "head">;
  readonly idleMs: number;
  readonly now: number;
}

type Reading = Pick<ModelErrorDetails, "code" | "summary" | "advice" | "statusCode" | "retryAfterMs">;

const longest = 500;

/** Turns whatever a provider package threw into an error of ours. */
export function failure(error: unknown, circumstances: Circumstances): ModelError {
  const reading = readingOf(error, circumstances);
  const { connection, address } = circumstances;
  return new ModelError({
    advice: adviceFor(reading.code, connection),
    ...reading,
    summary: withoutKey(reading.summary.slice(0, longest), connection.apiKey),
    address,
    cause: error,
  });
}

function readingOf(error: unknown, { exchange, idleMs, now }: Circumstances): Reading {
  if (exchange.stalled) {
    const waited = `${Math.round(idleMs / 100) / 10} s`;
    return { code: "network", summary: `the server sent nothing for ${waited}, so the call was ended` };
  }
  const status = statusOf(error) ?? failedStatus(exchange.status);
  if (status === undefined || status < 400) {
    const answered = unreadable(error, exchange);
    if (answered) return answered;
  }
  const described = describe(error);
  const seen: Failure = {
    statusCode: status,
    type: described.type,
    text: described.text,
    systemCodes: systemCodes(error),
  };
  return {
    code: classify(seen),
    summary:
      seen.text.replace(/\bfetch failed: /, "") ||
      (status === undefined ? "the call failed" : "the server answered with an error and no text"),
    statusCode: status,
    retryAfterMs: retryAfter(headersOf(error), now),
  };
}

/** Answers with status 200 that are no answer of a model. */
function unreadable(error: unknown, exchange: Circumstances["exchange"]): Reading | undefined {
  if (exchange.status === undefined) return undefined;
  const statusCode = exchange.status;
  if (exchange.contentType.includes("html") || /^\s*<(!doctype|html)/i.test(exchange.head)) {
    return {
      code: "invalid_response",
      summary: "the server answered with a web page instead of a model's answer",
      statusCode,
    };
  }
  if (error instanceof UnfinishedAnswer) {
    if (exchange.bytes === 0)
      return { code: "invalid_response", summary: "the server answered with nothing", statusCode };
    if (error.begun) return { code: "network", summary: error.message };
    const looksLikeStream =
      /^\s*(data|event|id|:)/.test(exchange.head) || exchange.contentType.includes("amazon.eventstream");
    if (looksLikeStream) return { code: "network", summary: error.message };
    return {
      code: "invalid_response",
      summary: `the server's answer is no model stream: ${quote(exchange.head)}`,
      statusCode,
    };
  }
  if (namesOf(error).some((name) => /JSONParse|TypeValidation|InvalidResponseData|InvalidStreamPart/.test(name))) {
    return {
      code: "invalid_response",
      summary: `the server's stream could not be read: ${quote(textOf(error))}`,
      statusCode,
    };
  }
  if (namesOf(error).some((name) => /EmptyResponseBody/.test(name))) {
    return { code: "invalid_response", summary: "the server answered with nothing", statusCode };
  }
  return undefined;
}

function quote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line || "(empty)";
}

function failedStatus(status: number | undefined): number | undefined {
  return status !== undefined && status >= 400 ? status : undefined;
}

function statusOf(error: unknown): number | undefined {
  for (const link of chainOf(error)) {
    const status = field(link, "statusCode");
    if (typeof status === "number" && status >= 400) return status;
  }
  return undefined;
}

function headersOf(error: unknown): Readonly<Record<string, string>> | undefined {
  for (const link of chainOf(error)) {
    const headers = field(link, "responseHeaders");
    if (headers) return headers as Readonly<Record<string, string>>;
  }
  return undefined;
}

/** The provider's own words: from the body where there is one, else from the error in the stream, else the message. */
function describe(error: unknown): { readonly type: string; readonly text: string } {
  for (const link of chainOf(error)) {
    const body = field(link, "responseBody");
    if (typeof body === "string" && body.trim()) return fromBody(body, textOf(link));
  }
  const inStream = fromJson(error) ?? fromJson(field(error, "data"));
  if (inStream) return inStream;
  const texts = [...chainOf(error)].map(textOf).filter(Boolean);
  const telling = texts.filter((text, index) => !texts.slice(0, index).some((earlier) => earlier.includes(text)));
  return { type: "", text: telling.join(": ") };
}

function fromBody(body: string, message: string): { readonly type: string; readonly text: string } {
  try {
    const read = fromJson(JSON.parse(body));
    if (read) return read;
  } catch {
    return { type: "", text: quote(body.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, " ")) };
  }
  return { type: "", text: message || quote(body) };
}

/** `{"error": {"type", "code", "message"}}` and its many relatives. */
function fromJson(value: unknown): { readonly type: string; readonly text: string } | undefined {
  const outer = Array.isArray(value) ? value[0] : value;
  if (typeof outer === "string") return { type: "", text: outer };
  if (typeof outer !== "object" || outer === null || outer instanceof Error) return undefined;
  const inner = field(outer, "error") ?? field(field(outer, "response"), "error") ?? outer;
  if (typeof inner === "string") return { type: "", text: inner };
  const text = [field(inner, "message"), field(outer, "message"), field(outer, "detail"), field(inner, "Message")].find(
    (candidate) => typeof candidate === "string" && candidate,
  );
  const type = [field(inner, "type"), field(inner, "code"), field(inner, "status"), field(outer, "__type")]
    .filter((candidate) => typeof candidate === "string")
    .join(" ");
  return text === undefined ? undefined : { type, text: String(text) };
}

function adviceFor(code: ModelErrorDetails["code"], { provider, baseUrl }: Connection): string | undefined {
  if (code === "authentication" && provider.keys.length > 0)
    return `Check the API key in ${provider.keys[0]} or in config.yaml under model.api_key.`;
  if (code === "network" && provider.local && provider.port) return `Is ${provider.title} running at ${baseUrl}?`;
  return undefined;
}

/** Keys that a server repeats in its answer stay out of messages and logs. */
function withoutKey(text: string, key: string | undefined): string {
  return key && key.length > 3 ? text.split(key).join("[key]") : text;
}

function* chainOf(error: unknown): Generator<unknown> {
  let link: unknown = error;
  for (let depth = 0; link !== undefined && link !== null && depth < 8; depth++) {
    yield link;
    link = field(link, "cause") ?? field(link, "lastError");
  }
}

function systemCodes(error: unknown): string[] {
  return [...chainOf(error)].flatMap((link) => {
    const inner: unknown = field(link, "errors");
    const links: unknown[] = Array.isArray(inner) ? [link, ...inner] : [link];
    return links.map((each) => field(each, "code")).filter((code) => typeof code === "string");
  });
}

function namesOf(error: unknown): string[] {
  return [...chainOf(error)].map((link) => String(field(link, "name") ?? ""));
}

function textOf(error: unknown): string {
  const message = field(error, "message");
  return typeof message === "string" ? message : "";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
