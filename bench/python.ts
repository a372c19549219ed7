import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rows } from "../src/kernel/index.ts";
import { shop } from "../src/plugins/python/python-fixture.ts";
import type { Figure } from "./measure.ts";

/** The least that a Python process can do for a call: read a line, parse it, answer with its id. */
const echo = `import json, sys
for line in sys.stdin:
    message = json.loads(line)
    sys.stdout.write(json.dumps({"id": message["id"], "ok": None}) + "\\n")
    sys.stdout.flush()
`;

const plugin = `def register(ctx):
    ctx.register_hook("pre_tool_call", lambda tool_name, **kw: None)
`;

interface Echo {
  ask(payload: object): Promise<unknown>;
  readonly process: ChildProcess;
}

function startEcho(interpreter: string, script: string): Echo {
  const child = spawn(interpreter, ["-u", script], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (value: unknown) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, ok } = JSON.parse(line) as { readonly id: number; readonly ok: unknown };
    waiting.get(id)?.(ok);
    waiting.delete(id);
  });
  let last = 0;
  return {
    process: child,
    ask(payload) {
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        child.stdin.write(`${JSON.stringify({ id, payload })}\n`);
      });
    },
  };
}

async function timed(act: () => Promise<unknown>, times: number): Promise<number> {
  const start = performance.now();
  for (let round = 0; round < times; round += 1) await act();
  return performance.now() - start;
}

const lowerQuartile = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[values.length >> 2] ?? Number.NaN;

/** A hook in Python, from the payload to what it returned, against a bare echo of lines to the same interpreter. */
export async function pythonFigures(): Promise<readonly Figure[]> {
  const here = shop();
  const folder = mkdtempSync(join(tmpdir(), "talaria-echo-"));
  try {
    here.plugin("observes", plugin);
    await here.plugins.discover();
    if (here.errorOf("observes") !== undefined) throw new Error(here.errorOf("observes"));
    writeFileSync(join(folder, "echo.py"), echo);
    const bare = startEcho(here.interpreter, join(folder, "echo.py"));
    const { example } = rows.pre_tool_call.row;
    const callback = here.plugins.registry.of("hook")[0]?.value.callback;
    if (callback === undefined) throw new Error("the hook of the bench was not registered");
    const signal = new AbortController().signal;
    const moment = { sessionId: "s", cwd: "/", platform: "cli", signal };
    const theirs: number[] = [];
    const ours: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      const one = await timed(() => bare.ask(example), 100);
      const other = await timed(async () => callback(example, moment), 100);
      if (round < 15) continue;
      theirs.push(one);
      ours.push(other);
    }
    bare.process.kill();
    const [mine, other] = [lowerQuartile(ours), lowerQuartile(theirs)];
    const from = `${(mine * 10).toFixed(0)} µs / ${(other * 10).toFixed(0)} µs, lower quartiles`;
    return [{ name: "a hook in Python against a bare echo", value: mine / other, unit: "×", atMost: 1.3, from }];
  } finally {
    await here.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
