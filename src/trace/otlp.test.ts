import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type OtlpPorts, otlpExporter, otlpSettings } from "./otlp.ts";
import { wireSpan } from "./otlp-span.ts";
import type { Span } from "./span.ts";

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: read by the tests as the wire has it
  readonly body: any;
}

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A collector that answers with the given statuses in turn, then with 200. */
async function collector(statuses: readonly number[] = [], delayMs = 0) {
  const received: Received[] = [];
  const left = [...statuses];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) });
      response.statusCode = left.shift() ?? 200;
      response.setHeader("retry-after", "0");
      setTimeout(() => response.end("{}"), delayMs);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, endpoint };
}

function exporter(endpoint: string, variables = {}) {
  const warnings: string[] = [];
  const settings = otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...variables });
  if (settings === undefined) throw new Error("no settings");
  const ports: OtlpPorts = { fetch, version: "1.2.3", warn: (message) => warnings.push(message), backOffMs: 5 };
  return { exporter: otlpExporter(settings, ports), warnings };
}

function span(kind: Span["kind"], name: string, more: Partial<Span> = {}): Span {
  const common = {
    id: "00000000000000aa",
    parentId: "00000000000000bb",
    sessionId: "s",
    turnId: "t",
    status: "ok",
  } as const;
  return {
    ...common,
    kind,
    name,
    startedAt: 1_700_000_000_000.25,
    endedAt: 1_700_000_000_012.5,
    attributes: {},
    ...more,
  };
}
const attribute = (wire: ReturnType<typeof wireSpan>, key: string) =>
  wire.attributes.find((each) => each.key === key)?.value;

test("spans reach a collector with the headers and the resource of the environment", async () => {
  const { received, endpoint } = await collector();
  const { exporter: sender } = exporter(`${endpoint}/`, {
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, x-team=a",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
  });
  await sender.sink([span("turn", "turn", { parentId: undefined }), span("tool", "terminal")]);
  await sender.flush(5000);
  expect(sender.counts()).toEqual({ sent: 2, failed: 0, dropped: 0 });
  const [{ path, headers, body }] = received as [Received];
  expect(path).toBe("/v1/traces");
  expect(headers).toMatchObject({ "content-type": "application/json", authorization: "Bearer x", "x-team": "a" });
  const [resourceSpans] = body.resourceSpans;
  expect(resourceSpans.resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "talaria" } });
  expect(resourceSpans.resource.attributes).toContainEqual({
    key: "deployment.environment",
    value: { stringValue: "test" },
  });
  expect(resourceSpans.scopeSpans[0].scope).toEqual({ name: "talaria", version: "1.2.3" });
  expect(resourceSpans.scopeSpans[0].spans.map((each: { name: string }) => each.name)).toEqual([
    "invoke_agent talaria",
    "execute_tool terminal",
  ]);
});

test("names and attributes are those of the conventions for generative AI", () => {
  const model = wireSpan(
    span("model", "gpt-x", {
      attributes: {
        provider: "openai",
        inputTokens: 5,
        outputTokens: 2,
        costUsd: 0.5,
        finishReason: "stop",
        iteration: 1,
      },
    }),
  );
  expect(model).toMatchObject({
    name: "chat gpt-x",
    kind: 3,
    spanId: "00000000000000aa",
    parentSpanId: "00000000000000bb",
    startTimeUnixNano: "1700000000000250000",
    endTimeUnixNano: "1700000000012500000",
    status: { code: 1 },
  });
  expect(model.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(attribute(model, "gen_ai.operation.name")).toEqual({ stringValue: "chat" });
  expect(attribute(model, "gen_ai.provider.name")).toEqual({ stringValue: "openai" });
  expect(attribute(model, "gen_ai.request.model")).toEqual({ stringValue: "gpt-x" });
  expect(attribute(model, "gen_ai.usage.input_tokens")).toEqual({ intValue: "5" });
  expect(attribute(model, "gen_ai.response.finish_reasons")).toEqual({
    arrayValue: { values: [{ stringValue: "stop" }] },
  });
  expect(attribute(model, "talaria.cost_usd")).toEqual({ doubleValue: 0.5 });
  expect(attribute(model, "gen_ai.conversation.id")).toEqual({ stringValue: "s" });

  const tool = wireSpan(span("tool", "terminal", { status: "blocked", attributes: { callId: "c1", reason: "no rm" } }));
  expect(tool).toMatchObject({ name: "execute_tool terminal", kind: 1, status: { code: 2, message: "no rm" } });
  expect(attribute(tool, "gen_ai.tool.call.id")).toEqual({ stringValue: "c1" });
  expect(attribute(tool, "error.type")).toEqual({ stringValue: "blocked" });
});

test("a collector that is busy is asked again, and then has each span once", async () => {
  const { received, endpoint } = await collector([503, 429]);
  const { exporter: sender, warnings } = exporter(endpoint);
  await sender.sink([span("tool", "x")]);
  await sender.flush(5000);
  expect(received).toHaveLength(3);
  expect(sender.counts()).toEqual({ sent: 1, failed: 0, dropped: 0 });
  expect(warnings).toEqual([]);
});

test("a refusal is not repeated, is told once and counted", async () => {
  const { received, endpoint } = await collector([400, 400]);
  const { exporter: sender, warnings } = exporter(endpoint);
  for (let count = 0; count < 2; count++) {
    await sender.sink([span("tool", "x")]);
    await sender.flush(5000);
  }
  expect(received).toHaveLength(2);
  expect(sender.counts()).toEqual({ sent: 0, failed: 2, dropped: 0 });
  expect(warnings).toEqual([expect.stringMatching(/could not be sent to http.*answered 400/)]);
});

test("neither a dead nor a stalling collector holds a turn up", async () => {
  const dead = exporter("http://127.0.0.1:9");
  await dead.exporter.sink([span("tool", "x")]);
  await dead.exporter.flush(5000);
  expect(dead.exporter.counts().failed).toBe(1);

  const { endpoint } = await collector([], 60_000);
  const stalled = exporter(endpoint);
  const begun = performance.now();
  await stalled.exporter.sink([span("tool", "x")]);
  expect(performance.now() - begun).toBeLessThan(50);
  await stalled.exporter.flush(50);
  expect(performance.now() - begun).toBeLessThan(1000);
});

test("what waits is bounded", async () => {
  const { endpoint } = await collector([], 200);
  const { exporter: sender } = exporter(endpoint);
  await sender.sink([span("tool", "first")]);
  await sender.sink(Array.from({ length: 9000 }, () => span("tool", "x")));
  expect(sender.counts().dropped).toBe(9000 - 8192);
});

const address = "http://c:4318";
test.each([
  [{}, undefined, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: address }, undefined, `${address}/v1/traces`],
  [
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${address}/x`, OTEL_EXPORTER_OTLP_ENDPOINT: "http://d" },
    undefined,
    `${address}/x`,
  ],
  [{}, `${address}/base/`, `${address}/base/v1/traces`],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_SDK_DISABLED: "true" }, undefined, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_TRACES_EXPORTER: "none" }, undefined, undefined],
])("%j with endpoint %j sends to %j", (variables, endpoint, url) => {
  expect(otlpSettings(variables, endpoint)?.url).toBe(url);
});

test("an address that is none is refused by name, odd headers are taken as they are", () => {
  expect(() => otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" })).toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT/);
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: address, OTEL_EXPORTER_OTLP_HEADERS: "a=%zz,b=%ff,,c" };
  const settings = otlpSettings(variables, undefined, { a: "config's", d: "too" });
  expect(settings?.headers).toEqual({ a: "%zz", b: "%ff", d: "too" });
});
