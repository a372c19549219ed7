import type { Providers } from "#plugins";
import type { ProviderSource } from "./provider-choice.ts";

/** Providers that a test hands over, and what was warned of. */
export interface ProviderFixture extends ProviderSource {
  readonly warnings: readonly string[];
}

export function providerFixture(
  offered: {
    readonly [K in keyof Providers]?: readonly Providers[K][];
  },
): ProviderFixture {
  const warnings: string[] = [];
  return {
    warnings,
    mayHave: (kind) => (offered[kind] ?? []).length > 0,
    providers: async <K extends keyof Providers>(kind: K) => (offered[kind] ?? []) as readonly Providers[K][],
    warn: (message) => warnings.push(message),
  };
}
