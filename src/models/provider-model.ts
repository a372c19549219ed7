import type { JSONSchema7, LanguageModelV4 } from "@ai-sdk/provider";
import { readAnswer } from "./answer.ts";
import type { Connection } from "./connection.ts";
import { isModelError, type ModelAddress, ModelError } from "./error.ts";
import { factsOf, type ModelFacts } from "./facts.ts";
import { failure } from "./failure.ts";
import type { Model, ModelCall, ModelRequest, ModelResult } from "./model.ts";
import type { ModelPorts } from "./ports.ts";
import { callOptions, type PromptStyle } from "./prompt.ts";
import { withExtraBody } from "./request-body.ts";
import { exchange } from "./transport.ts";
import { asStream } from "./unstreamed.ts";
import type { Wire } from "./wire.ts";
import { wiresFor } from "./wires.ts";

const defaultIdleMs = 120_000;
const defaultOutputLimit = 8_192;

/** The model that a connection leads to. Its provider package is loaded at the first call. */
export function providerModel(connection: Connection, ports: ModelPorts): Model {
  const facts = factsOf(connection.model);
  const wires = wiresFor(connection).map((wire) => ({ wire, opened: languages(connection, wire) }));
  let chosen = 0;
  return {
    ...addressOf(connection),
    get apiMode() {
      return wireAt(wires, chosen).wire.apiMode;
    },
    contextWindow: connection.contextWindow ?? facts.contextWindow,
    acceptsImages: facts.acceptsImages,
    async generate(request, call) {
      const first = wireAt(wires, chosen);
      try {
        return await generate({ connection, ports, facts, ...first }, request, call);
      } catch (error) {
        const other = wires[chosen + 1];
        if (!other || !isUnknownPath(error)) throw error;
        const result = await generate({ connection, ports, facts, ...other }, request, call);
        chosen += 1;
        return result;
      }
    },
  };
}

interface WireInUse {
  readonly wire: Wire;
  readonly opened: Languages;
}

interface Place extends WireInUse {
  readonly connection: Connection;
  readonly ports: ModelPorts;
  readonly facts: ModelFacts;
}

async function generate(place: Place, request: ModelRequest, call: ModelCall): Promise<ModelResult> {
  const { connection, ports, facts } = place;
  call.signal.throwIfAborted();
  const idleMs = connection.idleTimeoutMs ?? defaultIdleMs;
  const open = exchange(ports, call.signal, idleMs);
  let language: Language | undefined;
  try {
    language = await opened(place, withExtraBody(open.fetch, request, place.wire.apiMode));
    const stream = await started(language.model, place, request, open.signal);
    const origin = {
      provider: connection.provider.name,
      model: connection.model,
      price: facts.price,
      saidDone: () => open.saidDone,
    };
    return await readAnswer(stream, request, origin, (delta) => {
      if (!call.signal.aborted) call.onDelta?.(delta);
    });
  } catch (error) {
    call.signal.throwIfAborted();
    if (isModelError(error)) throw error;
    throw failure(error, {
      connection,
      address: addressOf(connection),
      exchange: open,
      idleMs,
      now: ports.clock.now(),
    });
  } finally {
    open.close();
    if (language !== undefined) place.opened.giveBack(language);
  }
}

/** A provider package's model, whose requests go to the exchange at hand. */
interface Language {
  readonly model: LanguageModelV4;
  readonly exchange: { fetch: typeof globalThis.fetch };
}

/** Models for one call at a time each, made once: a package builds and compiles its schemas anew for each. */
interface Languages {
  take(fetch: typeof globalThis.fetch): Promise<Language>;
  giveBack(language: Language): void;
}

function languages(connection: Connection, wire: Wire): Languages {
  const idle: Language[] = [];
  return {
    async take(fetch) {
      const known = idle.pop();
      if (known !== undefined) {
        known.exchange.fetch = fetch;
        return known;
      }
      const exchange = { fetch };
      return { exchange, model: await wire.open(connection, (input, init) => exchange.fetch(input, init)) };
    },
    giveBack: (language) => void idle.push(language),
  };
}

/** A provider package that cannot be loaded or set up is no failure of the server, and no second try helps. */
async function opened({ connection, opened }: Place, fetch: typeof globalThis.fetch): Promise<Language> {
  try {
    return await opened.take(fetch);
  } catch (cause) {
    const summary = `its provider package could not be set up: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new ModelError({ code: "not_configured", address: addressOf(connection), summary, cause });
  }
}

function addressOf({ provider, model, baseUrl }: Connection): ModelAddress {
  return { provider: provider.name, id: model, baseUrl };
}

function jsonFormat({ responseFormat }: ModelRequest) {
  if (responseFormat === undefined) return undefined;
  const { name, schema } = responseFormat;
  return { responseFormat: { type: "json" as const, name, ...(schema && { schema: schema as JSONSchema7 }) } };
}

async function started(
  language: LanguageModelV4,
  { connection, wire, facts }: Place,
  request: ModelRequest,
  signal: AbortSignal,
) {
  const options = callOptions(limited(request, wire, facts), styleOf(connection, wire, facts));
  const extra = wire.options?.(connection, request);
  const format = wire.apiMode === "chat_completions" ? undefined : jsonFormat(request);
  const call = { ...options, ...format, ...(extra && { providerOptions: extra }), abortSignal: signal };
  if (connection.streaming === false) return asStream(await language.doGenerate(call));
  return (await language.doStream(call)).stream;
}

function limited(request: ModelRequest, wire: Wire, facts: ModelFacts): ModelRequest {
  if (!wire.needsOutputLimit || request.maxOutputTokens !== undefined) return request;
  return { ...request, maxOutputTokens: facts.maxOutputTokens ?? defaultOutputLimit };
}

function styleOf(connection: Connection, wire: Wire, facts: ModelFacts): PromptStyle {
  const { cache = "5m" } = connection;
  return {
    provider: connection.provider.name,
    acceptsImages: facts.acceptsImages,
    returnsReasoning: wire.returnsReasoning,
    imagesInToolResults: wire.imagesInToolResults,
    callId: wire.callId ?? ((id) => id),
    ...(wire.cacheMark && cache !== "off" && { cacheMark: wire.cacheMark(cache) }),
  };
}

/** The server does not know the address itself, which is another matter than a model that it does not know. */
function isUnknownPath(error: unknown): error is ModelError {
  return isModelError(error) && [404, 405, 501].includes(error.statusCode ?? 0) && !/model/i.test(error.summary);
}

function wireAt(wires: readonly WireInUse[], index: number): WireInUse {
  const wire = wires[index];
  if (!wire) throw new RangeError(`no wire ${index}`);
  return wire;
}
