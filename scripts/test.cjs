"use strict";
// `npm test`: installs if needed, then every check of the house. `npm test -- FILTER` runs the matching tests only.
const { mkdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { spawnSync } = require("node:child_process");
const { root, ensureInstalled, ensureBuilt, node, environment, say } = require("./prepare.cjs");

ensureInstalled();

const tool = (path) => join(root, "node_modules", path);
const results = join(root, "dist", "test-results.json");
const checks = [
  ["types", [tool("typescript7/bin/tsc"), "--noEmit"]],
  ["lint", [tool("@biomejs/biome/bin/biome"), "check", "--diagnostic-level=error", "."]],
  ["arrows", [tool("dependency-cruiser/bin/dependency-cruiser.mjs"), "--config", ".dependency-cruiser.mjs", "src"]],
  ["dead code", [tool("knip/bin/knip.js")]],
  ["generated files", ["--conditions=talaria-source", "scripts/generate.ts", "--check"]],
];
const tests = [
  tool("vitest/vitest.mjs"),
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${results}`,
];

function run(name, args) {
  const started = Date.now();
  const { status } = spawnSync(node(), args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: environment(),
  });
  say(`${name}: ${status === 0 ? "ok" : "FAILED"} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return status === 0;
}

const filters = process.argv.slice(2);
const passed = filters.length > 0 || checks.map(([name, args]) => run(name, args)).every(Boolean);
ensureBuilt();
mkdirSync(join(root, "dist"), { recursive: true });
const green = run("tests", [...tests, ...filters]);
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(results, "utf8"));
process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`);
process.exit(passed && green ? 0 : 1);
