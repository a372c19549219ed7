import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "#config";
import { modelSection } from "./model-section.ts";

async function section(source: string, environment: Record<string, string> = {}): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "model-section-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "config.yaml");
  writeFileSync(file, source);
  return modelSection(await loadConfig({ file, environment }));
}

const whole = "model: {provider: custom, default: m, base_url: 'http://h/v1', api_key: [a, b], headers: {X: y}}";

test.each([
  ["nothing", "", {}, {}],
  ["a name alone", "model: gpt-5", {}, { default: "gpt-5" }],
  [
    "a section, as it stands",
    whole,
    {},
    { provider: "custom", default: "m", base_url: "http://h/v1", api_key: ["a", "b"], headers: { X: "y" } },
  ],
  [
    "older places at the top level",
    "model: m\nprovider: custom\nbase_url: http://h/v1\napi_key: k",
    {},
    { default: "m", provider: "custom", base_url: "http://h/v1", api_key: "k" },
  ],
  [
    "a provider that the environment names, without what belongs to the other one",
    `${whole.slice(0, -1)}, streaming: false}`,
    { HERMES_INFERENCE_PROVIDER: "openai" },
    { provider: "openai", streaming: false },
  ],
  [
    "the same provider in both",
    "model: {provider: xai, default: m}",
    { HERMES_INFERENCE_PROVIDER: "xai" },
    { provider: "xai", default: "m" },
  ],
  ["a model of the environment, which is a reference of its own", "", { TALARIA_MODEL: "xai/m" }, {}],
  ["a list, which is no section", "model: [1]", {}, [1]],
])("%s", async (_, source, environment, expected) => {
  expect(await section(source, environment)).toEqual(expected);
});
