import { describe, expect, test } from "vitest";
import type { Message } from "#kernel";
import { isModelError } from "./error.ts";
import { listModels, testModel } from "./listing.ts";
import { connectionTo, machine, never } from "./machine-fixture.ts";
import type { ModelRequest } from "./model.ts";
import { providerModel } from "./provider-model.ts";
import { type ModelServerOptions, modelServer, type ServerStep } from "./testing/model-server.ts";

const hello: ModelRequest = { system: "Be brief.", messages: [{ role: "user", content: "hello" }], tools: [] };
const tools = ["terminal", "read_file"].map((name) => ({
  name,
  description: `The ${name}.`,
  parameters: { type: "object", properties: {} },
}));

async function served(
  script: readonly ServerStep[],
  options: ModelServerOptions,
  body: (url: string, server: Awaited<ReturnType<typeof modelServer>>) => Promise<void>,
) {
  const server = await modelServer(script, options);
  try {
    await body(server.url, server);
  } finally {
    await server.close();
  }
}

describe("OpenAI's two protocols", () => {
  test.each(["chat", "responses"] as const)(
    "a server at OPENAI_BASE_URL that speaks only %s is understood, and asked rightly at once the second time",
    (protocol) =>
      served([{ text: "one" }, { text: "two" }], { speaks: [protocol] }, async (url, server) => {
        const model = providerModel(connectionTo("openai", `${url}/v1`), machine);
        const say = async () => (await model.generate(hello, { signal: never() })).message.content;
        expect([await say(), await say()]).toEqual(["one", "two"]);
        expect(server.requests.at(-1)?.protocol).toBe(protocol);
        expect(server.requests).toHaveLength(protocol === "chat" ? 2 : 3);
        expect(model.apiMode).toBe(protocol === "chat" ? "chat_completions" : "responses");
      }),
  );

  test("an unknown model is no unknown protocol", () =>
    served(
      [{ fault: { kind: "status", status: 404, message: "The model `x` does not exist" } }],
      {},
      async (url, server) => {
        const error = await providerModel(connectionTo("openai", `${url}/v1`), machine)
          .generate(hello, { signal: never() })
          .catch((reason: unknown) => reason);
        expect(isModelError(error) && error.code).toBe("model_not_found");
        expect(server.requests).toHaveLength(1);
      },
    ));
});

describe("Anthropic's cache marks", () => {
  interface Block {
    readonly cache_control?: unknown;
  }
  interface Sent {
    readonly system: readonly Block[];
    readonly tools: readonly Block[];
    readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
    readonly max_tokens: number;
  }

  test("stand on the system prompt, the last tool and the last two ends, over a prefix that stays the same byte for byte", () =>
    served([{ text: "one" }, { text: "two" }], {}, async (url, server) => {
      const model = providerModel(connectionTo("anthropic", `${url}/v1`), machine);
      const first: Message[] = [{ role: "user", content: "first" }];
      const answer = await model.generate({ ...hello, tools, messages: first }, { signal: never() });
      await model.generate(
        { ...hello, tools, messages: [...first, answer.message, { role: "user", content: "second" }] },
        { signal: never() },
      );
      const [before, after] = server.requests.map(({ body }) => body as Sent);
      expect(after?.system.at(-1)?.cache_control).toEqual({ type: "ephemeral" });
      expect(after?.tools.map((tool) => tool.cache_control)).toEqual([undefined, { type: "ephemeral" }]);
      expect(after?.messages.map(({ content }) => content.at(-1)?.cache_control !== undefined)).toEqual([
        true,
        false,
        true,
      ]);
      expect(after?.messages[0]).toEqual(before?.messages[0]);
      expect(JSON.stringify([after?.system, after?.tools])).toBe(JSON.stringify([before?.system, before?.tools]));
      expect(after?.max_tokens).toBeGreaterThan(1000);
    }));

  test("reading and writing the cache is counted within the input", () =>
    served([{ text: "x", usage: { input: 1000, output: 3, cacheRead: 700, cacheWrite: 200 } }], {}, async (url) => {
      const connection = connectionTo("anthropic", `${url}/v1`, { model: "claude-sonnet-4-5" });
      const { usage } = await providerModel(connection, machine).generate(hello, { signal: never() });
      expect(usage).toMatchObject({ inputTokens: 1000, cacheReadTokens: 700, cacheWriteTokens: 200, outputTokens: 3 });
      expect(usage.costUsd).toBeCloseTo((100 * 3 + 700 * 0.3 + 200 * 3.75 + 3 * 15) / 1e6, 12);
    }));
});

describe("reasoning goes back to where it came from", () => {
  const conversation = (message: Message): ModelRequest => ({
    ...hello,
    tools,
    messages: [
      ...hello.messages,
      message,
      { role: "tool", toolCallId: "call_1_1", toolName: "terminal", content: "ok" },
    ],
  });
  const thinking: ServerStep = {
    reasoning: "Let me see.",
    signature: "c2lnbmF0dXJl",
    calls: [{ name: "terminal", args: {}, id: "call_1_1" }],
  };

  test.each([
    ["anthropic", "/v1", {}, '"signature":"c2lnbmF0dXJl"'],
    ["google", "/v1beta", {}, '"thoughtSignature":"c2lnbmF0dXJl"'],
    ["openai", "/v1", { apiMode: "responses", model: "gpt-5.5" }, '"encrypted_content":"c2lnbmF0dXJl"'],
    ["deepseek", "/v1", {}, '"reasoning_content":"Let me see."'],
  ] as const)("to %s with what it needs to accept it", (provider, path, more, expected) =>
    served([thinking, { text: "done" }], {}, async (url, server) => {
      const model = providerModel(connectionTo(provider, `${url}${path}`, more), machine);
      const { message } = await model.generate({ ...hello, tools }, { signal: never() });
      const stored = JSON.parse(JSON.stringify(message)) as Message;
      const callId = message.toolCalls?.[0]?.id ?? "";
      const request = conversation(stored);
      await model.generate(
        {
          ...request,
          messages: request.messages.map((each) => (each.role === "tool" ? { ...each, toolCallId: callId } : each)),
        },
        { signal: never() },
      );
      expect(server.requests[1]?.text).toContain(expected);
    }),
  );

  test("and never to another provider", () =>
    served([thinking, { text: "done" }], {}, async (url, server) => {
      const { message } = await providerModel(connectionTo("anthropic", `${url}/v1`), machine).generate(
        { ...hello, tools },
        { signal: never() },
      );
      await providerModel(connectionTo("deepseek", `${url}/v1`), machine).generate(conversation(message), {
        signal: never(),
      });
      expect(server.requests[1]?.text).not.toContain("Let me see.");
    }));
});

test("a server that marks its end without a finish reason has answered", async () => {
  const chunk = JSON.stringify({ id: "1", choices: [{ index: 0, delta: { content: "fine" } }] });
  const answering = (end: string) => ({
    ...machine,
    fetch: async () => new Response(`data: ${chunk}\n\n${end}`, { headers: { "content-type": "text/event-stream" } }),
  });
  const connection = connectionTo("custom", "http://127.0.0.1:9/v1");
  const { message, finishReason } = await providerModel(connection, answering("data: [DONE]\n\n")).generate(hello, {
    signal: never(),
  });
  expect([message.content, finishReason]).toEqual(["fine", "other"]);
  await expect(providerModel(connection, answering("")).generate(hello, { signal: never() })).rejects.toMatchObject({
    code: "network",
  });
});

test.each(["the server's own way", "the person's wish"])("an answer in one piece is understood: %s", async (why) => {
  const answer = {
    id: "1",
    model: "m-1",
    choices: [
      {
        message: {
          role: "assistant",
          content: "Whole.",
          tool_calls: [{ id: "c", type: "function", function: { name: "terminal", arguments: '{"command":"ls"}' } }],
        },
        finish_reason: "tool_calls",
      },
    ],
    usage: { prompt_tokens: 4, completion_tokens: 2 },
  };
  const asked: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_address, init) => {
    asked.push((JSON.parse(String(init?.body)) as { readonly stream?: boolean }).stream);
    return Response.json(answer);
  };
  const whole = { ...machine, fetch };
  const unstreamed = why === "the person's wish";
  const connection = connectionTo("custom", "http://127.0.0.1:9/v1", unstreamed ? { streaming: false } : {});
  const { message, responseModel, usage } = await providerModel(connection, whole).generate(hello, { signal: never() });
  expect([message.content, message.toolCalls, responseModel, usage.inputTokens]).toEqual([
    "Whole.",
    [{ id: "c", name: "terminal", args: { command: "ls" } }],
    "m-1",
    4,
  ]);
  expect(asked).toEqual([unstreamed ? undefined : true]);
});

test("a key that the server repeats stays out of the message", () =>
  served(
    [{ fault: { kind: "status", status: 401, message: "Incorrect API key provided: test-key" } }],
    {},
    async (url) => {
      const error = await providerModel(connectionTo("openai", `${url}/v1`), machine)
        .generate(hello, { signal: never() })
        .catch((reason: unknown) => reason);
      expect(String(error)).not.toContain("test-key");
      expect(String(error)).toContain("OPENAI_API_KEY");
    },
  ));

test("nobody listening is a network error that names the address", async () => {
  const model = providerModel(connectionTo("ollama", "http://127.0.0.1:9/v1"), machine);
  const error = await model.generate(hello, { signal: never() }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "network", retryable: true });
  expect(String(error)).toContain("Is Ollama running at http://127.0.0.1:9/v1?");
});

test("OpenRouter is sent Anthropic's cache marks", () =>
  served([{ text: "x" }], {}, async (url, server) => {
    await providerModel(connectionTo("openrouter", `${url}/v1`, { model: "anthropic/claude-x" }), machine).generate(
      hello,
      { signal: never() },
    );
    const { messages } = (server.requests[0]?.body ?? { messages: [] }) as {
      messages: { content: { cache_control?: unknown }[] }[];
    };
    expect(messages.map(({ content }) => content[0]?.cache_control)).toEqual([
      { type: "ephemeral" },
      { type: "ephemeral" },
    ]);
  }));

test("a provider's models are listed and one is tried", () =>
  served([{ text: "ready" }], { models: ["a", "b"] }, async (url) => {
    const connection = connectionTo("google", `${url}/v1beta`);
    expect(await listModels(connection, machine)).toEqual(["a", "b"]);
    const outcome = await testModel(providerModel(connection, machine), { signal: never() }, machine.clock.now);
    expect(outcome.text).toBe("ready");
    await expect(
      listModels(connectionTo("custom", `${url}/nowhere`, { baseUrl: "http://127.0.0.1:9/v1" }), machine),
    ).rejects.toMatchObject({ code: "network" });
  }));
