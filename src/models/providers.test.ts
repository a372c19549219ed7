import { describe, test } from "vitest";
import type { Connection } from "./connection.ts";
import { connectionTo, machine } from "./machine-fixture.ts";
import { providerModel } from "./provider-model.ts";
import { type ModelTraits, modelContract } from "./testing/model-contract.ts";

interface Wired {
  readonly provider: string;
  readonly path: string;
  readonly more?: Partial<Connection>;
  readonly traits?: ModelTraits;
}

const wired: readonly Wired[] = [
  { provider: "custom", path: "/v1" },
  { provider: "deepseek", path: "/v1" },
  { provider: "openai", path: "/v1", more: { apiMode: "responses" } },
  { provider: "anthropic", path: "/v1" },
  { provider: "google", path: "/v1beta", traits: { callsAreObjects: true } },
  { provider: "bedrock", path: "" },
  { provider: "azure", path: "/openai", traits: { noReasoning: true } },
];

for (const { provider, path, more, traits } of wired) {
  describe(`the model contract over ${provider}`, () => {
    const make = ({ url }: { readonly url: string }, idleTimeoutMs: number) =>
      providerModel(connectionTo(provider, `${url}${path}`, { idleTimeoutMs, ...more }), machine);
    for (const { name, run } of modelContract(make, traits)) test(name, run);
  });
}
