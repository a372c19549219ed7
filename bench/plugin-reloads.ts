import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blueprint, createKernel } from "#kernel";
import { createPlugins, type MomentContext, type PluginReach, typescriptLoader } from "#plugins";
import { median } from "./measure.ts";

// Run with --expose-gc: reloads one plugin again and again, and says as JSON how long that took and what the heap became.
const home = mkdtempSync(join(tmpdir(), "talaria-reloads-"));
const folder = join(home, "plugins", "again");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "plugin.yaml"), "name: again\n");
const nothing = (): void => undefined;
const nowhere = (): never => {
  throw new Error("nothing is reached here");
};
const reach: PluginReach = {
  model: nowhere,
  dispatchTool: async () => nowhere(),
  injectMessage: () => false,
  toolsetOf: () => undefined,
  isBuiltInCommand: () => false,
};
const loader = typescriptLoader();
const plugins = createPlugins<MomentContext>({
  places: { bundled: [], home, project: undefined, packages: [] },
  settings: { enabled: ["again"], disabled: [], entries: {}, values: {} },
  environment: {},
  layer: createKernel<MomentContext>(blueprint, { every: () => nothing, report: nothing }),
  reach,
  loader: async () => loader,
  log: nothing,
  safeMode: false,
});

const filler = Array.from({ length: 200 }, (_, index) => `export const value${index}: number = ${index};`).join("\n");
function write(version: number): void {
  const schema = `{ name: "again", description: "v${version}" }`;
  const tool = `{ name: "again", toolset: "again", schema: ${schema}, handler: () => "v${version}" }`;
  const body = `context.registerTool(${tool}); context.registerHook("pre_tool_call", () => undefined);`;
  writeFileSync(join(folder, "index.ts"), `${filler}\nexport function register(context: any): void { ${body} }\n`);
}
const seen = (): string =>
  plugins.registry
    .of("tool")
    .map(({ value }) => value.schema["description"])
    .join();
function heap(): number {
  const { gc } = globalThis as { readonly gc?: () => void };
  for (let round = 0; round < 3; round += 1) gc?.();
  return process.memoryUsage().heapUsed;
}

const warm = 100;
const count = 1_000;
write(0);
await plugins.discover();
const times: number[] = [];
let before = 0;
for (let version = 1; version <= warm + count; version += 1) {
  write(version);
  if (version === warm + 1) before = heap();
  const started = performance.now();
  await plugins.reload("again");
  times.push(performance.now() - started);
  if (seen() !== `v${version}`) throw new Error(`after an edit to v${version} the plugin has ${seen()}`);
}
const grown = (heap() - before) / count;
await plugins.close();
rmSync(home, { recursive: true, force: true });
console.log(JSON.stringify({ first: times[0], median: median(times.slice(1)), grown }));
