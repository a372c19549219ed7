import { expect, test } from "vitest";
import { connectionTo, machine, never } from "./machine-fixture.ts";
import type { ModelRequest, ReasoningEffort } from "./model.ts";
import { providerModel } from "./provider-model.ts";
import { modelServer } from "./testing/model-server.ts";

const hello: ModelRequest = { system: "Be brief.", messages: [{ role: "user", content: "hello" }], tools: [] };

type Row = readonly [provider: string, model: string, effort: ReasoningEffort, expected: Record<string, unknown>];
const rows: readonly Row[] = [
  ["custom", "some-model", "minimal", { reasoning_effort: "minimal" }],
  ["custom", "some-model", "none", { reasoning_effort: "none" }],
  ["openrouter", "deepseek/deepseek-r1", "high", { reasoning: { effort: "high" } }],
  ["openai", "gpt-5", "low", { reasoning_effort: "low" }],
  ["anthropic", "claude-sonnet-4-5", "none", { thinking: { type: "disabled" } }],
  ["anthropic", "claude-sonnet-4-5", "low", { thinking: { type: "enabled", budget_tokens: 6400 } }],
  ["google", "gemini-2.5-flash", "none", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
];

test.each(rows)("%s/%s is told the effort %s in its own words", async (provider, model, reasoningEffort, expected) => {
  const server = await modelServer([{ text: "ok" }]);
  try {
    const address = `${server.url}/${provider === "google" ? "v1beta" : "v1"}`;
    const connection = { ...connectionTo(provider, address), model };
    await providerModel(connection, machine).generate({ ...hello, reasoningEffort }, { signal: never() });
    expect(server.requests.at(-1)?.body).toMatchObject(expected);
  } finally {
    await server.close();
  }
});

test("where nothing is said, nothing is told", async () => {
  const server = await modelServer([{ text: "ok" }]);
  try {
    await providerModel(connectionTo("custom", `${server.url}/v1`), machine).generate(hello, { signal: never() });
    const told = Object.keys(server.requests[0]?.body as object);
    for (const name of ["reasoning_effort", "reasoning", "temperature", "max_tokens"]) expect(told).not.toContain(name);
  } finally {
    await server.close();
  }
});
