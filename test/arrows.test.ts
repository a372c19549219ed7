import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { plant } from "./house-fixture.ts";

const cruiser = "dependency-cruiser/bin/dependency-cruiser.mjs";

test("the check of the arrows reads every file of src", () => {
  const run = spawnSync(
    process.execPath,
    [`node_modules/${cruiser}`, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "src"],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const { modules } = JSON.parse(run.stdout) as { modules: { source: string }[] };
  const read = new Set(modules.map((module) => module.source));
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !read.has(`src/${file}`))).toEqual([]);
});

const door = {
  "src/kernel/index.ts": 'export { fold } from "./fold.ts";\n',
  "src/kernel/fold.ts": "export const fold = 1;\n",
};
const violations: readonly [rule: string, file: string, text: string][] = [
  ["config-stays-in-its-layer", "src/config/planted.ts", 'import { fold } from "#kernel";\nexport const x = fold;\n'],
  [
    "kernel-stays-in-its-layer",
    "src/kernel/planted.ts",
    'import type { X } from "../agent/x.ts";\nexport type Y = X;\n',
  ],
  ["kernel-is-pure", "src/kernel/planted.ts", 'import { join } from "node:path";\nexport const x = join;\n'],
  [
    "kernel-knows-zod-only",
    "src/kernel/planted.ts",
    'import type { Document } from "yaml";\nexport type X = Document;\n',
  ],
  ["enter-by-the-door", "src/agent/planted.ts", 'import { fold } from "../kernel/fold.ts";\nexport const x = fold;\n'],
  [
    "only-the-host-touches-the-machine",
    "src/trace/planted.ts",
    'import { rmSync } from "node:fs";\nexport const x = rmSync;\n',
  ],
  [
    "capabilities-knows-shapes-only",
    "src/capabilities/todo/planted.ts",
    'import { y } from "../../agent/index.ts";\nexport const x = y;\n',
  ],
  [
    "a-capability-knows-no-other-capability",
    "src/capabilities/todo/planted.ts",
    'import { z } from "../terminal/z.ts";\nexport const x = z;\n',
  ],
  ["no-unresolvable", "src/agent/planted.ts", 'import { nothing } from "#nowhere";\nexport const x = nothing;\n'],
  ["no-circles", "src/agent/planted.ts", 'import { y } from "./x.ts";\nexport const x = y;\n'],
  ["no-circles", "src/agent/planted.ts", 'import type { X } from "./x.ts";\nexport const x: X = 1;\n'],
  [
    "plugins-and-examples-come-in-by-the-doors",
    "plugins/web/planted.ts",
    'import { fold } from "../../src/kernel/fold.ts";\nexport const x = fold;\n',
  ],
];

test.each(violations)("a planted violation of %s fails the check", (rule, file, text) => {
  const others = {
    "src/agent/x.ts": 'import { x } from "./planted.ts";\nexport type X = number;\nexport const y = () => x;\n',
    "src/agent/index.ts": "export const y = 2;\n",
    "src/capabilities/terminal/z.ts": "export const z = 3;\n",
    ...(file === "src/agent/planted.ts" ? {} : { "src/agent/planted.ts": "export const x = 1;\n" }),
  };
  const folders = file.startsWith("plugins") ? ["src", "plugins"] : ["src"];
  const { status, output } = plant({ ...door, ...others, [file]: text }, cruiser, [
    "--config",
    ".dependency-cruiser.mjs",
    ...folders,
  ]);
  expect(output).toContain(rule);
  expect(status).not.toBe(0);
});

test("the agent's modules in Python stand on the host, which imports none of them", () => {
  const shims = readdirSync("python/shims").map((name) => name.replace(/\.py$/, ""));
  expect(shims).toContain("gateway");
  const imported = new RegExp(`^\\s*(?:from|import)\\s+(?:${shims.join("|")})\\b.*|.*import_module\\(.*`, "gm");
  const reading = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".py"))
      .flatMap((file) => (readFileSync(`${folder}/${file}`, "utf8").match(imported) ?? []).map((line) => line.trim()));
  expect(reading("python/shims").length).toBeGreaterThan(5);
  // An entry point is whatever module a package names.
  expect(reading("python/talaria_host")).toEqual(["target = importlib.import_module(module)"]);
});
