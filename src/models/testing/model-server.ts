import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { after } from "#host";
import { anthropicFormat } from "./anthropic-format.ts";
import { bedrockFormat } from "./bedrock-format.ts";
import { chatFormat } from "./chat-format.ts";
import { geminiFormat } from "./gemini-format.ts";
import { responsesFormat } from "./responses-format.ts";
import { fullAnswer, type ScriptedAnswer } from "./script.ts";
import type { WireFormat } from "./wire-format.ts";

/** What goes wrong with an answer, in a way that real servers do. */
export type ServerFault =
  /** An error status, with a body in the protocol's own form where none is given. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly retryAfter?: string;
      readonly message?: string;
      readonly body?: unknown;
    }
  /** Silence, at once or after half of the answer, with the connection kept open. */
  | { readonly kind: "stall"; readonly at: "start" | "middle" }
  /** The answer ends in the middle of a character, of an event's JSON, or between two events; `reset` tears the connection. */
  | { readonly kind: "cut"; readonly at: "character" | "json" | "event"; readonly reset?: boolean }
  /** Status 200 with something else than a model's stream. */
  | { readonly kind: "garbage"; readonly form: "html" | "binary" | "json" | "broken-events" | "empty" }
  /** Every byte is sent, `bytes` at a time with `pauseMs` between. */
  | { readonly kind: "drip"; readonly bytes: number; readonly pauseMs: number }
  /** An error in the protocol's form inside the stream, after half of the answer. */
  | { readonly kind: "error-event"; readonly status: number; readonly message: string }
  /** The connection is torn before any answer. */
  | { readonly kind: "reset" };

export type ServerStep = ScriptedAnswer & { readonly fault?: ServerFault };

export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed, or the text where it is no JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly protocol: WireFormat["name"] | undefined;
}

export interface ModelServer {
  /** Without a path. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  push(...steps: readonly (ServerStep | ((request: RecordedRequest) => ServerStep))[]): void;
  close(): Promise<void>;
}

export interface ModelServerOptions {
  /** Protocols it speaks; the paths of the others are not found. All by default. */
  readonly speaks?: readonly WireFormat["name"][];
  /** What `GET …/models` lists. */
  readonly models?: readonly string[];
  readonly port?: number;
}

const formats = [chatFormat, responsesFormat, anthropicFormat, geminiFormat, bedrockFormat];

type Script = (ServerStep | ((request: RecordedRequest) => ServerStep))[];

/** A local server that plays a script, one step per model request, in whichever of the vendors' protocols it is asked. After the end it answers 400. */
export async function modelServer(
  script: readonly (ServerStep | ((request: RecordedRequest) => ServerStep))[] = [],
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const steps: Script = [...script];
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    void serve(incoming, response, { steps, requests, options });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    requests,
    push: (...more) => void steps.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface Play {
  readonly steps: Script;
  readonly requests: RecordedRequest[];
  readonly options: ModelServerOptions;
}

async function serve(incoming: IncomingMessage, response: ServerResponse, play: Play): Promise<void> {
  const path = new URL(incoming.url ?? "/", "http://localhost").pathname;
  const text = await bodyOf(incoming);
  const format = formats.find(
    (each) => each.path.test(path) && (play.options.speaks ?? [each.name]).includes(each.name),
  );
  const request: RecordedRequest = {
    path,
    headers: headersOf(incoming),
    body: parsed(text),
    text,
    protocol: format?.name,
  };
  if (incoming.method === "GET" && path.endsWith("/models")) {
    const names = play.options.models ?? ["test-model"];
    return json(response, 200, {
      object: "list",
      data: names.map((id) => ({ id, object: "model" })),
      models: names.map((name) => ({ name })),
    });
  }
  play.requests.push(request);
  if (!format) return json(response, 404, { error: { message: `no such path: ${path}` } });
  const next = play.steps.shift();
  const step = typeof next === "function" ? next(request) : next;
  if (!step) return json(response, 400, format.error(400, `the script has no answer number ${play.requests.length}`));
  if (step.delayMs) await pause(step.delayMs);
  const events = format.events(fullAnswer(step, play.requests.length), modelIn(request));
  await send(response, format, events, step.fault);
}

async function send(
  response: ServerResponse,
  format: WireFormat,
  events: readonly (string | Buffer)[],
  fault: ServerFault | undefined,
): Promise<void> {
  if (fault?.kind === "status") {
    const headers = fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter };
    return json(
      response,
      fault.status,
      fault.body ?? format.error(fault.status, fault.message ?? `scripted ${fault.status}`),
      headers,
    );
  }
  if (fault?.kind === "reset") return void response.destroy();
  if (fault?.kind === "garbage") return garbage(response, fault.form);
  if (fault?.kind === "stall" && fault.at === "start") return;
  response.writeHead(200, { "content-type": format.contentType ?? "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  switch (fault?.kind) {
    case undefined:
      return void response.end(joined(events));
    case "drip":
      return drip(response, joined(events), fault);
    case "stall":
      return void response.write(half(events));
    case "error-event":
      response.write(half(events));
      return void response.end(`event: error\ndata: ${JSON.stringify(format.error(fault.status, fault.message))}\n\n`);
    case "cut":
      response.write(partial(events, fault.at));
      await pause(20);
      return void (fault.reset ? response.destroy() : response.end());
  }
}

const joined = (events: readonly (string | Buffer)[]) => Buffer.concat(events.map((each) => Buffer.from(each)));
const half = (events: readonly (string | Buffer)[]) => joined(events.slice(0, Math.ceil(events.length / 2)));

/** A beginning that ends where it should not. A snowman is put in where the answer has no character of several bytes. */
function partial(events: readonly (string | Buffer)[], at: "character" | "json" | "event"): Buffer {
  const whole = half(events);
  if (at === "event") return whole;
  if (at === "json") return whole.subarray(0, -Math.min(12, Math.floor(whole.length / 4)));
  const index = whole.findLastIndex((byte) => byte >= 0xe0);
  return index < 0 ? Buffer.concat([whole, Buffer.from("data: ☃").subarray(0, -1)]) : whole.subarray(0, index + 1);
}

async function drip(
  response: ServerResponse,
  bytes: Buffer,
  fault: { readonly bytes: number; readonly pauseMs: number },
): Promise<void> {
  for (let index = 0; index < bytes.length && !response.destroyed; index += fault.bytes) {
    response.write(bytes.subarray(index, index + fault.bytes));
    await pause(fault.pauseMs);
  }
  response.end();
}

function garbage(response: ServerResponse, form: "html" | "binary" | "json" | "broken-events" | "empty"): void {
  const [type, body] = {
    html: ["text/html", "<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>"],
    binary: ["application/octet-stream", Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 37) % 256))],
    json: ["application/json", '{"hello":"world"}'],
    "broken-events": ["text/event-stream", "data: {this is no json}\n\ndata: [1,2\n\n"],
    empty: ["text/event-stream", ""],
  }[form] as [string, string | Buffer];
  response.writeHead(200, { "content-type": type });
  response.end(body);
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
}

function modelIn({ body, path }: RecordedRequest): string {
  const named = (body as { readonly model?: unknown } | undefined)?.model;
  return typeof named === "string" ? named : (/models\/([^:/]+):/.exec(path)?.[1] ?? "test-model");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve, true));
