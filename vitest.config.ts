import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["talaria-source"] },
  ssr: {
    resolve: {
      conditions: ["talaria-source", "node", "import", "default"],
      externalConditions: ["talaria-source", "node", "import"],
    },
  },
  test: {
    include: ["src/**/*.test.ts", "plugins/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Programs, servers and terminals race with a loaded machine; a fault fails twice.
    retry: process.env["CI"] ? 1 : 0,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
