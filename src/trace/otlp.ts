import { now, sleep } from "#host";
import { type WireAttribute, type WireSpan, wireSpan } from "./otlp-span.ts";
import type { SpanSink } from "./recorder.ts";
import type { Span } from "./span.ts";

/** Where spans are sent to. */
export interface OtlpSettings {
  /** The whole address, `/v1/traces` included. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Attributes of the resource: `service.name` and what `OTEL_RESOURCE_ATTRIBUTES` says. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface OtlpPorts {
  readonly fetch: (url: string, request: RequestInit) => Promise<Response>;
  readonly version: string;
  readonly warn: (message: string) => void;
  /** Milliseconds before the first of the tries that follow a failure; 500. Each waits twice as long as the one before. */
  readonly backOffMs?: number;
}

export interface OtlpExporter {
  /** Takes spans and returns at once; they are sent in the background. */
  readonly sink: SpanSink;
  /** Settles when all is sent or given up, after `limitMs` at the latest. Never rejects. */
  flush(limitMs: number): Promise<void>;
  readonly counts: () => { readonly sent: number; readonly failed: number; readonly dropped: number };
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads OpenTelemetry's own variables; `endpoint` of the config stands in where none is set, and its headers are added. Undefined: nothing is exported.
 * Throws a `TypeError` that names the setting when the address is none.
 */
export function otlpSettings(
  variables: Variables,
  endpoint?: string,
  headers: Readonly<Record<string, unknown>> = {},
): OtlpSettings | undefined {
  if (variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined;
  if (variables["OTEL_TRACES_EXPORTER"]?.toLowerCase() === "none") return undefined;
  const whole = variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  const base = variables["OTEL_EXPORTER_OTLP_ENDPOINT"] || endpoint;
  const url = whole || (base ? `${base.replace(/\/+$/, "")}/v1/traces` : undefined);
  if (url === undefined) return undefined;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TypeError(
      `The OTLP endpoint ${url} is no http address. Check OTEL_EXPORTER_OTLP_ENDPOINT or trace.otlp_endpoint.`,
    );
  }
  const timeout = Number(variables["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"] ?? variables["OTEL_EXPORTER_OTLP_TIMEOUT"]);
  return {
    url,
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...pairs(variables["OTEL_EXPORTER_OTLP_TRACES_HEADERS"] ?? variables["OTEL_EXPORTER_OTLP_HEADERS"]),
    },
    timeoutMs: timeout > 0 ? timeout : 10_000,
    resource: {
      ...pairs(variables["OTEL_RESOURCE_ATTRIBUTES"]),
      "service.name":
        variables["OTEL_SERVICE_NAME"] || (pairs(variables["OTEL_RESOURCE_ATTRIBUTES"])["service.name"] ?? "talaria"),
    },
  };
}

/** `a=1,b=2` with percent escapes. */
function pairs(text: string | undefined): Readonly<Record<string, string>> {
  const found = (text ?? "").split(",").flatMap((pair) => {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return key === undefined || value === undefined ? [] : [[key, unescaped(value)] as const];
  });
  return Object.fromEntries(found);
}

function unescaped(value: string): string {
  return /^(?:[^%]|%[0-9a-f]{2})*$/i.test(value) && isUtf8Escaped(value) ? decodeURIComponent(value) : value;
}

function isUtf8Escaped(value: string): boolean {
  const bytes = Uint8Array.from(value.matchAll(/%([0-9a-f]{2})/gi), (match) => Number.parseInt(match[1] ?? "0", 16));
  return !new TextDecoder().decode(bytes).includes("\uFFFD");
}

const BATCH = 512;
/** Spans that wait to be sent; newer ones are dropped and counted. */
const WAITING = 8_192;
const TRIES = 4;
const LONGEST_WAIT_MS = 30_000;

/** Sends spans over OTLP/HTTP in JSON. What fails is counted and told once in a row; it never reaches a turn. */
export function otlpExporter(settings: OtlpSettings, ports: OtlpPorts): OtlpExporter {
  const counts = { sent: 0, failed: 0, dropped: 0 };
  let waiting: Span[] = [];
  let sending: Promise<void> | undefined;
  let failing = false;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      const trouble = await send(batch.map(wireSpan), settings, ports);
      if (trouble === undefined) counts.sent += batch.length;
      else counts.failed += batch.length;
      if (trouble !== undefined && !failing) {
        ports.warn(
          `Spans could not be sent to ${settings.url}: ${trouble}. Turns go on; further failures are only counted.`,
        );
      }
      failing = trouble !== undefined;
    }
    sending = undefined;
  };

  return {
    sink: async (spans) => {
      const room = Math.max(0, WAITING - waiting.length);
      waiting.push(...spans.slice(0, room));
      counts.dropped += Math.max(0, spans.length - room);
      sending ??= drain();
    },
    flush: async (limitMs) => {
      if (sending === undefined) return;
      const over = new AbortController();
      const limit = sleep(limitMs, over.signal).catch(() => undefined);
      await Promise.race([sending, limit]);
      over.abort();
    },
    counts: () => ({ ...counts }),
  };
}

/** Undefined when the collector took the spans; else what went wrong. */
async function send(spans: readonly WireSpan[], settings: OtlpSettings, ports: OtlpPorts): Promise<string | undefined> {
  const body = JSON.stringify(envelope(spans, settings, ports.version));
  let trouble: string | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const answer = await post(body, settings, ports);
    if ("done" in answer) return undefined;
    trouble = answer.trouble;
    if (!answer.again || attempt === TRIES - 1) break;
    await sleep(Math.min(answer.waitMs ?? (ports.backOffMs ?? 500) * 2 ** attempt, LONGEST_WAIT_MS));
  }
  return trouble;
}

type Answer = { readonly done: true } | { readonly trouble: string; readonly again: boolean; readonly waitMs?: number };

/** What a collector answers when it may take the same spans later. */
const later: readonly number[] = [429, 502, 503, 504];

async function post(body: string, settings: OtlpSettings, { fetch }: OtlpPorts): Promise<Answer> {
  try {
    const response = await fetch(settings.url, {
      method: "POST",
      headers: { ...settings.headers, "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(settings.timeoutMs),
    });
    const text = (await response.text()).slice(0, 200).trim();
    if (response.ok) return { done: true };
    const trouble = `it answered ${response.status}${text === "" ? "" : ` (${text})`}`;
    return { trouble, again: later.includes(response.status), ...retryAfter(response.headers.get("retry-after")) };
  } catch (error) {
    return { trouble: reason(error), again: true };
  }
}

function retryAfter(header: string | null): { readonly waitMs?: number } {
  if (header === null) return {};
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now();
  return Number.isFinite(ms) && ms >= 0 ? { waitMs: ms } : {};
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

function envelope(spans: readonly WireSpan[], settings: OtlpSettings, version: string): object {
  const attributes: readonly WireAttribute[] = Object.entries({ ...settings.resource, "service.version": version }).map(
    ([key, value]) => ({ key, value: { stringValue: value } }),
  );
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: "talaria", version }, spans }] }],
  };
}
