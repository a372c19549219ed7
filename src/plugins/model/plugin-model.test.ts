import { describe, expect, test } from "vitest";
import { isPluginError } from "../error.ts";
import type { CompletionOptions } from "../plugin-context.ts";
import { type PluginQuestion, pluginModel } from "./plugin-model.ts";

const usage = { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 1, reasoningTokens: 0 };

function model(entries: unknown = {}, text = "hello") {
  const asked: PluginQuestion[] = [];
  const logs: string[] = [];
  const made = pluginModel(
    { key: "web/clock", name: "clock" },
    {
      entries: () => entries,
      ask: async (question) => {
        asked.push(question);
        return { text, usage, provider: "custom", model: "served-model" };
      },
      log: (level, message) => void logs.push(`${level} ${message}`),
    },
  );
  return { made, asked, logs };
}

const hello = [{ role: "user", content: "hi" }] as const;
const policy = (llm: unknown) => ({ "web/clock": { llm } });

test("an answer carries text, usage, where it came from, and the audit", async () => {
  const { made, asked, logs } = model();
  const messages = [{ role: "system", content: "be short" }, ...hello, { role: "assistant", content: "yes?" }] as const;
  expect(await made.complete(messages, { purpose: "greet", maxTokens: 9 })).toEqual({
    text: "hello",
    provider: "custom",
    model: "served-model",
    agentId: "default",
    usage: {
      inputTokens: 7,
      outputTokens: 3,
      totalTokens: 10,
      cacheReadTokens: 2,
      cacheWriteTokens: 1,
      costUsd: undefined,
    },
    audit: { pluginId: "web/clock", purpose: "greet", profile: undefined },
  });
  expect(asked[0]).toMatchObject({ system: "be short", messages: messages.slice(1), maxOutputTokens: 9 });
  expect(logs).toEqual(["info plugin web/clock asked custom/served-model (greet): 7 tokens in, 3 out"]);
});

describe("overrides", () => {
  const all = {
    allow_provider_override: true,
    allow_model_override: true,
    allow_agent_id_override: true,
    allow_profile_override: true,
  };
  const refused: readonly (readonly [string, unknown, CompletionOptions, string])[] = [
    ["nothing is allowed by itself", {}, { model: "m" }, "web/clock.llm.allow_model_override"],
    ["the provider comes first", {}, { profile: "p", model: "m", provider: "x" }, "allow_provider_override"],
    ["then the model", policy({ allow_provider_override: true }), { provider: "x", model: "m" }, "allow_model"],
    ["then the agent id", {}, { profile: "p", agentId: "a" }, "allow_agent_id_override"],
    ["then the profile", {}, { profile: "p" }, "allow_profile_override"],
    ["a list leaves others out", policy({ ...all, allowed_models: ["a"] }), { model: "b" }, "llm.allowed_models"],
    ["an empty list leaves all out", policy({ ...all, allowed_providers: [] }), { provider: "b" }, "allowed_providers"],
    ["the text false is no consent", policy({ allow_model_override: "false" }), { model: "m" }, "allow_model_override"],
    ["the text true is none either", policy({ allow_model_override: "true" }), { model: "m" }, "allow_model_override"],
    ["entries that are no mapping", "yes", { model: "m" }, "allow_model_override"],
    ["a policy that is no mapping", policy([all]), { model: "m" }, "allow_model_override"],
  ];
  test.each(refused)("%s", async (_name, entries, options, key) => {
    const { made, asked } = model(entries);
    const error = await made.complete(hello, options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "PluginLlmTrustError", message: expect.stringContaining(key) });
    expect(isPluginError(error, "not_allowed")).toBe(true);
    expect(asked).toEqual([]);
  });

  const taken: readonly (readonly [string, unknown, CompletionOptions])[] = [
    ["a flag without a list allows any", policy(all), { provider: "x", model: "m", agentId: "a", profile: "p" }],
    ["names are compared without case and blanks", policy({ ...all, allowed_models: [" GPT-X "] }), { model: "gpt-x" }],
    ["a star anywhere allows any", policy({ ...all, allowed_models: ["a", "*"] }), { model: "m" }],
    ["a list that is none counts for nothing", policy({ ...all, allowed_models: "a" }), { model: "m" }],
    ["an empty override is none", {}, { model: "", provider: "  ", agentId: "", profile: "" }],
    ["the entry may bear the manifest's name", { clock: { llm: all } }, { model: "m" }],
  ];
  test.each(taken)("%s", async (_name, entries, options) => {
    const { made, asked } = model(entries);
    const { agentId } = await made.complete(hello, options);
    expect(agentId).toBe(options.agentId?.trim() || "default");
    expect(asked[0]?.model).toBe(options.model?.trim() || undefined);
    expect(asked[0]?.extraBody).toEqual(
      options.profile?.trim() ? { metadata: { auth_profile: options.profile } } : undefined,
    );
  });

  test("the policy is read on every call, and a text where a switch belongs is told", async () => {
    const llm: Record<string, unknown> = { allow_model_override: "false" };
    const { made, logs } = model(policy(llm));
    await expect(made.complete(hello, { model: "m" })).rejects.toThrow("allow_model_override");
    expect(logs).toEqual([
      'warning plugins.entries.web/clock.llm.allow_model_override must be true or false, but is "false": it counts as false',
    ]);
    llm["allow_model_override"] = true;
    expect((await made.complete(hello, { model: "m" })).text).toBe("hello");
  });
});

describe("structured answers", () => {
  const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };

  test("the prompt holds instructions, name and schema in sorted order, then the inputs", async () => {
    const { made, asked } = model({}, '{"n": 1}');
    const input = [
      { type: "text", text: "one" },
      { type: "image", data: new Uint8Array([1, 2, 3]) },
      { type: "image", data: "AAAA", mimeType: "image/jpeg" },
      { type: "image", url: "https://example.org/a.png" },
    ] as const;
    const answer = await made.completeStructured({
      instructions: "count",
      input,
      jsonSchema: schema,
      schemaName: "count",
      systemPrompt: "exact",
    });
    expect(answer).toMatchObject({ parsed: { n: 1 }, contentType: "json", audit: { schemaName: "count" } });
    expect(asked[0]?.system).toMatch(/^exact\n\nAnswer with one JSON object/);
    expect(asked[0]?.responseFormat).toEqual({ name: "plugin_structured_output", schema });
    const [first, ...rest] = (asked[0]?.messages[0]?.content ?? []) as unknown as readonly { text: string }[];
    expect(first?.text).toMatch(/^count\n\nSchema name: count\n\nJSON schema:\n\{\n {2}"properties"/);
    expect(rest).toEqual([
      { type: "text", text: "one" },
      { type: "image", data: "AQID", mediaType: "image/png" },
      { type: "image", data: "AAAA", mediaType: "image/jpeg" },
      { type: "image", data: "https://example.org/a.png", mediaType: "image/*" },
    ]);
  });

  const parsed: readonly (readonly [string, string, unknown, string])[] = [
    ["bare JSON", ' {"n": 2} ', { n: 2 }, "json"],
    ["the first fenced block", 'Here:\n```json\n{"n": 3}\n```\n```\n{"n": 4}\n```', { n: 3 }, "json"],
    ["a fence without a name", '```\n{"n": 5}\n```', { n: 5 }, "json"],
    ["what is no JSON", "three", undefined, "text"],
    ["broken JSON", '{"n": ', undefined, "text"],
  ];
  test.each(parsed)("%s", async (_name, text, value, contentType) => {
    const { made } = model({}, text);
    const answer = await made.completeStructured({ instructions: "count", input: "x", jsonSchema: schema });
    expect(answer).toMatchObject({ contentType, text });
    expect(answer.parsed).toEqual(value);
  });

  test("an answer that does not match the schema is an error that says where", async () => {
    const { made } = model({}, '{"n": "three"}');
    const error = await made
      .completeStructured({ instructions: "count", input: "x", jsonSchema: schema })
      .catch((thrown: unknown) => thrown);
    expect(isPluginError(error, "schema_mismatch")).toBe(true);
    expect(String(error)).toContain("n: Invalid input");
  });

  test("a schema that cannot be checked is left to the model", async () => {
    const { made, logs } = model({}, '{"n": "three"}');
    const answer = await made.completeStructured({ instructions: "c", input: "x", jsonSchema: { type: "odd" } });
    expect(answer.parsed).toEqual({ n: "three" });
    expect(logs.join()).toContain("not checked");
  });

  const bad: readonly (readonly [string, object])[] = [
    ["instructions must not be empty", { instructions: " ", input: "x" }],
    ["input must not be empty", { instructions: "a", input: "" }],
    ["input must not be empty", { instructions: "a", input: [] }],
    ["input 1 is a text without text", { instructions: "a", input: [{ type: "text" }] }],
    ["input 1 is an image without data", { instructions: "a", input: [{ type: "image" }] }],
    ["input 1 is neither", { instructions: "a", input: [{ type: "sound" }] }],
  ];
  test.each(bad)("refuses: %s", async (message, options) => {
    const { made, asked } = model();
    await expect(made.completeStructured(options as never)).rejects.toThrow(message);
    expect(asked).toEqual([]);
  });
});
