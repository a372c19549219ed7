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
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
