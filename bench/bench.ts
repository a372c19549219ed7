import { execFileSync } from "node:child_process";
import { dispatchBench, drawDispatch } from "./dispatch.ts";
import { hooks } from "./hooks.ts";
import { draw, type Figure } from "./measure.ts";
import { pluginFigures } from "./plugins.ts";
import { loopFigures, sessionFigures, startFigures } from "./program.ts";
import { pythonFigures } from "./python.ts";

/** `npm run bench [part …]`: ratios of ours against baselines, measured side by side in one run. Never a lone time. */
const parts: Readonly<Record<string, () => Promise<string>>> = {
  dispatch: async () => drawDispatch(await dispatchBench()),
  start: async () => draw("start-up", await startFigures()),
  loop: async () => draw("the loop", await loopFigures()),
  hooks: async () => draw("hooks", await hookFigures()),
  plugins: async () => draw("plugins", await pluginFigures()),
  python: async () => draw("Python", await pythonFigures()),
  sessions: async () => draw("sessions", await sessionFigures()),
};

async function hookFigures(): Promise<readonly Figure[]> {
  const rows = await hooks();
  return rows.map(({ name, ratio, target }) => ({
    name,
    value: ratio,
    unit: "×",
    atMost: target,
    from: "lower quartiles",
  }));
}

execFileSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) console.log(await measure());
}
