import type { Provider } from "./catalogue.ts";
import type { Connection } from "./connection.ts";
import { failure } from "./failure.ts";
import type { Model, ModelCall } from "./model.ts";
import type { ModelPorts } from "./ports.ts";
import { exchange } from "./transport.ts";

export interface LocalServer {
  readonly provider: Provider;
  readonly model: string;
}

const probeMs = 150;
const listMs = 10_000;

/** Asks the usual loopback ports at once; the first of the catalogue that answers with a model counts. 150 ms at most. */
export async function findLocalServer(
  providers: readonly Provider[],
  ports: ModelPorts,
): Promise<LocalServer | undefined> {
  const local = providers.filter((provider) => provider.port !== undefined);
  const answers = await Promise.all(
    local.map(async (provider) => {
      const connection = { provider, model: "", baseUrl: provider.baseUrl, apiKey: undefined };
      const [model] = await names(connection, ports, probeMs).catch(() => []);
      return model === undefined ? undefined : { provider, model };
    }),
  );
  return answers.find((answer) => answer !== undefined);
}

/** The first model that a server lists, if it lists any. */
export async function firstModel(connection: Connection, ports: ModelPorts): Promise<string | undefined> {
  const [first] = await names(connection, ports, listMs).catch(() => []);
  return first;
}

/** The names that a provider offers, in its own order. Rejects with a `ModelError`. */
export function listModels(connection: Connection, ports: ModelPorts): Promise<readonly string[]> {
  return names(connection, ports, listMs);
}

async function names(connection: Connection, ports: ModelPorts, limitMs: number): Promise<readonly string[]> {
  const limit = new AbortController();
  const open = exchange(ports, limit.signal, limitMs * 2);
  let cancel: () => void = () => undefined;
  const address = { provider: connection.provider.name, id: "(list)", baseUrl: connection.baseUrl };
  try {
    const answered = open.fetch(`${connection.baseUrl}/models`, { headers: headersOf(connection) });
    // Counted from here: the very first fetch of a process loads its client first.
    cancel = ports.clock.timer(limitMs, () => limit.abort(timedOut(limitMs)));
    const response = await answered;
    const body = await response.text();
    if (!response.ok)
      throw Object.assign(new Error(response.statusText), { statusCode: response.status, responseBody: body });
    return namesIn(JSON.parse(body));
  } catch (error) {
    throw failure(error, { connection, address, exchange: open, idleMs: limitMs, now: ports.clock.now() });
  } finally {
    cancel();
    open.close();
  }
}

function headersOf({ provider, apiKey, headers }: Connection): Record<string, string> {
  const credential: Record<string, string> = {};
  if (apiKey && provider.protocol === "anthropic") credential["x-api-key"] = apiKey;
  else if (apiKey && provider.protocol === "google") credential["x-goog-api-key"] = apiKey;
  else if (apiKey && provider.protocol === "azure") credential["api-key"] = apiKey;
  else if (apiKey) credential["authorization"] = `Bearer ${apiKey}`;
  if (provider.protocol === "anthropic") credential["anthropic-version"] = "2023-06-01";
  return { ...headers, ...credential };
}

/** `{data: [{id}]}` of OpenAI and Anthropic, `{models: [{name}]}` of Google and Ollama. */
function namesIn(body: unknown): readonly string[] {
  const { data, models } = (body ?? {}) as { readonly data?: unknown; readonly models?: unknown };
  const rows: readonly unknown[] = Array.isArray(data)
    ? data
    : Array.isArray(models)
      ? models
      : Array.isArray(body)
        ? body
        : [];
  return rows
    .map((row) =>
      typeof row === "string"
        ? row
        : ((row as { id?: unknown } | null)?.id ?? (row as { name?: unknown } | null)?.name),
    )
    .filter((name): name is string => typeof name === "string" && !/embed/i.test(name))
    .map((name) => name.replace(/^models\//, ""));
}

/** Asks a model for one word. Rejects with its `ModelError`. */
export async function testModel(
  model: Model,
  call: ModelCall,
  now: () => number,
): Promise<{ readonly text: string; readonly milliseconds: number; readonly responseModel: string }> {
  const started = now();
  const result = await model.generate(
    {
      system: "",
      messages: [{ role: "user", content: "Answer with the single word: ready" }],
      tools: [],
      maxOutputTokens: 256,
    },
    call,
  );
  return { text: result.message.content, milliseconds: now() - started, responseModel: result.responseModel };
}

function timedOut(limitMs: number): Error {
  return Object.assign(new Error(`no answer within ${limitMs} ms`), { code: "ETIMEDOUT" });
}
