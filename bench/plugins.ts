import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, median } from "./measure.ts";
import { firstRequest } from "./program.ts";

const many = 100;
const hook = `export function register(context) { context.registerHook("pre_tool_call", () => undefined); }\n`;

/** A home with plugins of one hook each; `enabled`: they are. */
function furnish(home: string, enabled: boolean): void {
  const names = Array.from({ length: many }, (_, index) => `plugin-${index}`);
  for (const name of names) {
    const folder = join(home, ".talaria", "plugins", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "plugin.yaml"), `name: ${name}\nversion: 1.0.0\ndescription: One hook\n`);
    writeFileSync(join(folder, "index.ts"), hook);
  }
  if (enabled) writeFileSync(join(home, ".talaria", "config.yaml"), JSON.stringify({ plugins: { enabled: names } }));
}

interface Reloads {
  readonly first: number;
  readonly median: number;
  /** Bytes that stay of one reload. */
  readonly grown: number;
}

/** Start-up with a hundred enabled plugins against one that has them and enables none; what a reload takes and leaves. */
export async function pluginFigures(rounds = 9): Promise<readonly Figure[]> {
  const without: number[] = [];
  const withAll: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await firstRequest((home) => furnish(home, false)));
    withAll.push(await firstRequest((home) => furnish(home, true)));
  }
  const [none, all] = [median(without.slice(1)), median(withAll.slice(1))];
  const words = ["--conditions=talaria-source", "--expose-gc", "bench/plugin-reloads.ts"];
  const reloads = JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" })) as Reloads;
  return [
    {
      name: `start with ${many} plugins, beyond 1.5 × none`,
      value: all - 1.5 * none,
      unit: "ms",
      atMost: 150,
      from: `${all.toFixed(0)} ms - 1.5 × ${none.toFixed(0)} ms`,
    },
    {
      name: "reload of a plugin",
      value: reloads.median,
      unit: "ms",
      atMost: 200,
      from: `12 KB of source; the first of a process, which loads the reader: ${reloads.first.toFixed(0)} ms`,
    },
    {
      name: "heap that stays, over the size of one reload's source",
      value: reloads.grown / 12_000,
      unit: "×",
      atMost: 0.1,
      from: `${reloads.grown.toFixed(0)} bytes a reload, over 1,000`,
    },
  ];
}
