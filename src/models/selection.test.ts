import { describe, expect, test } from "vitest";
import { readChoice } from "./choice.ts";
import { isModelError } from "./error.ts";
import { machine, never } from "./machine-fixture.ts";
import { readProviders } from "./own-providers.ts";
import type { ModelPorts } from "./ports.ts";
import { type Environment, selectModel } from "./selection.ts";
import { modelServer } from "./testing/model-server.ts";

/** A machine on which nothing listens. */
const silent: ModelPorts = {
  ...machine,
  fetch: () => Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })),
};

async function chosen(reference: string | undefined, section: unknown, environment: Environment, ports = silent) {
  const { candidate, origin } = await selectModel(reference, readChoice(section).choice, environment, ports);
  const [model] = candidate.models;
  return { at: `${model.provider}|${model.id}|${model.baseUrl}`, origin, credentials: candidate.models.length };
}

interface Choice {
  readonly name: string;
  readonly reference?: string;
  readonly section?: unknown;
  readonly environment?: Environment;
  readonly at: string;
}

const anthropic = { ANTHROPIC_API_KEY: "k" };
const openrouter = { OPENROUTER_API_KEY: "k" };

const choices: readonly Choice[] = [
  { name: "nothing at all gives the offline model", at: "offline|offline|" },
  { name: "the offline model can be asked for", reference: "offline", environment: anthropic, at: "offline|offline|" },
  {
    name: "a provider's key alone is enough",
    environment: anthropic,
    at: "anthropic|claude-sonnet-5-5|https://api.anthropic.com/v1",
  },
  {
    name: "--model provider/name",
    reference: "anthropic/claude-x",
    environment: anthropic,
    at: "anthropic|claude-x|https://api.anthropic.com/v1",
  },
  {
    name: "a name with slashes of its own",
    reference: "openrouter/anthropic/claude-x",
    environment: openrouter,
    at: "openrouter|anthropic/claude-x|https://openrouter.ai/api/v1",
  },
  {
    name: "an alias",
    reference: "gemini/flash",
    environment: { GOOGLE_API_KEY: "k" },
    at: "google|flash|https://generativelanguage.googleapis.com/v1beta",
  },
  {
    name: "a bare name of a known family",
    reference: "claude-x",
    environment: anthropic,
    at: "anthropic|claude-x|https://api.anthropic.com/v1",
  },
  {
    name: "vendor/name goes to the aggregator where the vendor has no key",
    reference: "meta-llama/llama-4",
    environment: openrouter,
    at: "openrouter|meta-llama/llama-4|https://openrouter.ai/api/v1",
  },
  {
    name: "also for a vendor that is a provider itself",
    reference: "anthropic/claude-x",
    section: { provider: "openrouter" },
    environment: openrouter,
    at: "openrouter|anthropic/claude-x|https://openrouter.ai/api/v1",
  },
  {
    name: "Hermes's custom provider",
    section: { provider: "custom", default: "m/x", base_url: "http://10.0.0.1:9/v1/", api_key: "k" },
    at: "custom|m/x|http://10.0.0.1:9/v1",
  },
  {
    name: "an address alone is a custom provider",
    section: { default: "m", base_url: "http://10.0.0.1:9" },
    at: "custom|m|http://10.0.0.1:9/v1",
  },
  {
    name: "an address of a known host is that provider",
    section: { default: "m", base_url: "https://openrouter.ai/api/v1" },
    environment: openrouter,
    at: "openrouter|m|https://openrouter.ai/api/v1",
  },
  {
    name: "provider auto counts as absent",
    section: { provider: "auto", default: "claude-x" },
    environment: anthropic,
    at: "anthropic|claude-x|https://api.anthropic.com/v1",
  },
  {
    name: "model: as a name only",
    section: "anthropic/claude-x",
    environment: anthropic,
    at: "anthropic|claude-x|https://api.anthropic.com/v1",
  },
  {
    name: "another provider by --model is not sent the configured address",
    reference: "anthropic/claude-x",
    section: { provider: "custom", base_url: "http://10.0.0.1:9/v1", api_key: "secret", default: "m" },
    environment: anthropic,
    at: "anthropic|claude-x|https://api.anthropic.com/v1",
  },
  {
    name: "ANTHROPIC_BASE_URL without /v1",
    reference: "anthropic/m",
    environment: { ...anthropic, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    at: "anthropic|m|http://127.0.0.1:9/v1",
  },
  {
    name: "ANTHROPIC_BASE_URL with /v1/",
    reference: "anthropic/m",
    environment: { ...anthropic, ANTHROPIC_BASE_URL: "http://127.0.0.1:9/v1/" },
    at: "anthropic|m|http://127.0.0.1:9/v1",
  },
  {
    name: "ANTHROPIC_BASE_URL with a path of its own",
    reference: "anthropic/m",
    environment: { ...anthropic, ANTHROPIC_BASE_URL: "http://127.0.0.1:9/api/anthropic" },
    at: "anthropic|m|http://127.0.0.1:9/api/anthropic/v1",
  },
  {
    name: "OPENAI_BASE_URL without /v1",
    reference: "openai/m",
    environment: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:9" },
    at: "openai|m|http://127.0.0.1:9/v1",
  },
  {
    name: "OPENAI_BASE_URL needs no key",
    reference: "openai/m",
    environment: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    at: "openai|m|http://127.0.0.1:9/v1",
  },
  {
    name: "GEMINI_BASE_URL without /v1beta",
    reference: "google/m",
    environment: { GEMINI_API_KEY: "k", GEMINI_BASE_URL: "http://127.0.0.1:9/" },
    at: "google|m|http://127.0.0.1:9/v1beta",
  },
  {
    name: "an address on this machine goes before a key",
    environment: { ...anthropic, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    at: "openai|gpt-5.5|http://127.0.0.1:9/v1",
  },
  {
    name: "a bare name belongs to the configured provider",
    reference: "gpt-x",
    section: { provider: "custom", base_url: "http://10.0.0.1:9/v1", default: "m" },
    environment: { OPENAI_API_KEY: "k" },
    at: "custom|gpt-x|http://10.0.0.1:9/v1",
  },
  {
    name: "a key in the config goes with the model's own provider",
    section: { default: "anthropic/claude-x", api_key: "k" },
    at: "anthropic|claude-x|https://api.anthropic.com/v1",
  },
  {
    name: "a provider alone by --model gives its usual model",
    reference: "anthropic",
    section: { provider: "custom", base_url: "http://10.0.0.1:9/v1", default: "m" },
    environment: anthropic,
    at: "anthropic|claude-sonnet-5-5|https://api.anthropic.com/v1",
  },
  {
    name: "a server's own variable does not go before a key",
    environment: { ...anthropic, OLLAMA_HOST: "0.0.0.0:11434" },
    at: "anthropic|claude-sonnet-5-5|https://api.anthropic.com/v1",
  },
  {
    name: "an address without a key does not go before a key",
    environment: { ...anthropic, OPENAI_BASE_URL: "https://llm.example.com/v1" },
    at: "anthropic|claude-sonnet-5-5|https://api.anthropic.com/v1",
  },
  {
    name: "Ollama's own variable has no scheme",
    reference: "ollama/qwen3:8b",
    environment: { OLLAMA_HOST: "10.1.1.1:11434" },
    at: "ollama|qwen3:8b|http://10.1.1.1:11434/v1",
  },
  {
    name: "a bare model name goes to the only provider",
    reference: "some-model",
    environment: { OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    at: "openai|some-model|http://127.0.0.1:9/v1",
  },
  {
    name: "access keys are enough for Bedrock",
    reference: "bedrock/m",
    environment: { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" },
    at: "bedrock|m|",
  },
];

describe("which model is chosen", () => {
  test.each(choices)("$name", async ({ reference, section, environment = {}, at }) => {
    expect((await chosen(reference, section, environment)).at).toBe(at);
  });

  test.each([
    ["an unknown provider", "nonsense/m", undefined, {}, /names no known provider.*anthropic/s],
    ["a provider without its key", "anthropic/m", undefined, {}, /ANTHROPIC_API_KEY/],
    [
      "another provider, with the key of the configured one",
      "openai/m",
      { default: "anthropic/x", api_key: "secret" },
      {},
      /OPENAI_API_KEY/,
    ],
    ["a custom provider without an address", undefined, { provider: "custom", default: "m" }, {}, /model\.base_url/],
    [
      "an address whose server lists no model",
      undefined,
      { provider: "custom", base_url: "http://127.0.0.1:9/v1" },
      {},
      /model\.default/,
    ],
    [
      "an address that cannot be read",
      "openai/gpt-4o",
      undefined,
      { OPENAI_BASE_URL: "http://no host:1:2", OPENAI_API_KEY: "k" },
      /cannot be read.*OPENAI_BASE_URL/s,
    ],
    ["an unknown provider in the config", undefined, { provider: "antropic" }, {}, /antropic/],
  ] as const)("%s is refused with what to do", async (...[, reference, section, environment, message]) => {
    const error = await chosen(reference, section, environment).catch((reason: unknown) => reason);
    expect(isModelError(error) && error.code).toBe("not_configured");
    expect(String(error)).toMatch(message);
  });

  test("several keys become several credentials", async () => {
    expect(await chosen("openai/m", undefined, { OPENAI_API_KEY: "a, b,c" })).toMatchObject({ credentials: 3 });
    expect(await chosen(undefined, { provider: "openai", default: "m", api_key: ["a", "b"] }, {})).toMatchObject({
      credentials: 2,
    });
  });
});

describe("providers of the person's own", () => {
  const custom = [
    { name: "office", base_url: "http://10.0.0.2:9/v1/", api_key: "k", model: "m" },
    { name: "lab", base_url: "http://10.0.0.3:9/v1", key_env: "LAB_KEY", api_mode: "anthropic_messages" },
    { name: "nowhere" },
    "text",
  ];
  const { providers, problems } = readProviders(custom, {
    groq: { api_key: "k" },
    openai: { base_url: "not an address" },
  });

  test("what cannot be meant is named by its key", () => {
    expect(problems.map(({ key }) => key)).toEqual(["providers.openai", "custom_providers[2]", "custom_providers[3]"]);
  });

  test.each([
    ["office/other", "office|other|http://10.0.0.2:9/v1", "chat_completions"],
    ["office", "office|m|http://10.0.0.2:9/v1", "chat_completions"],
    ["lab/x", "lab|x|http://10.0.0.3:9/v1", "anthropic_messages"],
    [undefined, "groq|openai/gpt-oss-120b|https://api.groq.com/openai/v1", "chat_completions"],
  ])("%s", async (reference, at, apiMode) => {
    const { candidate } = await selectModel(reference, { providers }, { LAB_KEY: "k" }, silent);
    const [model] = candidate.models;
    expect(`${model.provider}|${model.id}|${model.baseUrl}`).toBe(at);
    expect(model.apiMode).toBe(apiMode);
  });
});

describe("local servers", () => {
  test("one on its usual port is found, with its first model that is no embedding", async () => {
    const server = await modelServer([{ text: "local" }], { models: ["nomic-embed-text", "qwen3:8b"] });
    const redirected: ModelPorts = {
      ...machine,
      fetch: (input, init) => {
        const url = String(input);
        if (!url.includes(":11434/")) return silent.fetch(input, init);
        return machine.fetch(url.replace("http://127.0.0.1:11434", server.url), init);
      },
    };
    const { candidate, origin } = await selectModel(undefined, {}, {}, redirected);
    const result = await candidate.models[0].generate(
      { system: "", messages: [{ role: "user", content: "hi" }], tools: [] },
      { signal: never() },
    );
    expect([origin, candidate.models[0].provider, candidate.models[0].id, result.message.content]).toEqual([
      "local-server",
      "ollama",
      "qwen3:8b",
      "local",
    ]);
    await server.close();
  });

  test("ports that never answer hold nobody up, and nothing is probed where a key is set", async () => {
    let asked = 0;
    const hanging: ModelPorts = {
      ...machine,
      fetch: (_, init) => {
        asked += 1;
        return new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
        );
      },
    };
    const started = performance.now();
    expect((await chosen(undefined, undefined, {}, hanging)).origin).toBe("offline");
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(asked).toBe(4);
    await chosen(undefined, undefined, anthropic, hanging);
    expect(asked).toBe(4);
  });
});

test.each([
  [{ provider: 7, default: "m" }, { provider: "7", model: "m" }, []],
  [["a"], {}, ["model"]],
  [
    { default: ["m"], base_url: "not an address", context_length: "big" },
    {},
    ["model.default", "model.base_url", "model.context_length"],
  ],
  [
    { default: "m", context_length: 9000, idle_timeout: 5, api_mode: "responses", unknown: 1 },
    { model: "m", contextWindow: 9000, idleTimeoutMs: 5000, apiMode: "responses" },
    [],
  ],
  [null, {}, []],
])("the section %j is read as %j", (section, choice, problems) => {
  const read = readChoice(section);
  expect(read.choice).toEqual(choice);
  expect(read.problems.map(({ key }) => key).sort()).toEqual([...problems].sort());
});
