import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Message } from "#kernel";
import { openSqliteStore } from "#sessions";
import { modelServer, type ServerStep } from "../src/testing.ts";
import { type Figure, median, ratio } from "./measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const talaria = join(root, "bin/talaria.cjs");
const bareLoop = join(root, "bench/bare-loop.mjs");

/** A home of its own and a model server that plays `steps`; arrivals are the times at which requests came. */
async function stage(steps: readonly ServerStep[]) {
  const home = mkdtempSync(join(tmpdir(), "talaria-bench-"));
  const arrivals: number[] = [];
  const timed = steps.map((step) => () => {
    arrivals.push(performance.now());
    return step;
  });
  const server = await modelServer(timed);
  const environment = {
    PATH: process.env["PATH"],
    HOME: home,
    TALARIA_HOME: join(home, ".talaria"),
    XDG_CACHE_HOME: join(tmpdir(), "talaria-bench-cache"),
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: "x",
  };
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { home, server, arrivals, environment, close };
}

type Stage = Awaited<ReturnType<typeof stage>>;

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${child.spawnargs.join(" ")} ended with ${code}`)),
    );
  });
}

async function run(
  words: readonly string[],
  { home, environment }: Pick<Stage, "home" | "environment">,
): Promise<number> {
  const started = performance.now();
  await ended(spawn(process.execPath, words, { cwd: home, env: environment, stdio: "ignore" }));
  return performance.now() - started;
}

const callsOf = (count: number): readonly ServerStep[] => [
  ...Array.from({ length: count }, (_, index) => ({
    calls: [{ id: `call_${index}`, name: "terminal", args: { command: `true ${index}` } }],
  })),
  { text: "done" },
];

/** Mean milliseconds between the requests of one run, the first left out. */
async function gap(words: (stage: Stage) => readonly string[], count: number): Promise<number> {
  const here = await stage(callsOf(count));
  try {
    await run(words(here), here);
    const { arrivals } = here;
    if (arrivals.length !== count + 1) throw new Error(`${arrivals.length} requests came instead of ${count + 1}`);
    return ((arrivals.at(-1) ?? 0) - (arrivals[1] ?? 0)) / (count - 1);
  } finally {
    await here.close();
  }
}

const task = (here: Stage): readonly string[] => [
  talaria,
  "run",
  "--model",
  "openai/bench",
  "--cwd",
  here.home,
  "--max-iterations",
  "200",
  "go",
];

/** The loop's own time per tool call, against a bare loop over the same server that spawns the same shell. */
export async function loopFigures(rounds = 5): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const count of [20, 100]) {
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < rounds; round++) {
      bare.push(await gap(({ server }) => [bareLoop, server.url], count));
      ours.push(await gap(task, count));
    }
    const [mine, theirs] = [median(ours), median(bare)];
    figures.push({
      name: `loop, time per tool call beyond a bare loop, ${count} calls`,
      value: mine - theirs,
      unit: "ms",
      atMost: 3,
      from: `${mine.toFixed(1)} ms - ${theirs.toFixed(1)} ms`,
    });
  }
  return figures;
}

/** Milliseconds from a start of the program to its first model request, in a furnished home in which it ran before. */
export async function firstRequest(furnish: (home: string) => void): Promise<number> {
  const here = await stage([{ text: "done" }, { text: "done" }]);
  try {
    furnish(here.home);
    await run(task(here), here);
    const started = performance.now();
    await run(task(here), here);
    return (here.arrivals[1] ?? Number.NaN) - started;
  } finally {
    await here.close();
  }
}

/** Start-up: the version, and the way from process start to the first model request, against bare Node. */
export async function startFigures(rounds = 11): Promise<readonly Figure[]> {
  const bare: number[] = [];
  const version: number[] = [];
  const first: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const here = await stage([{ text: "done" }]);
    try {
      bare.push(await run(["-e", "0"], here));
      version.push(await run([talaria, "--version"], here));
      const started = performance.now();
      await run(task(here), here);
      first.push((here.arrivals[0] ?? Number.NaN) - started);
    } finally {
      await here.close();
    }
  }
  // The first round fills the compile cache.
  const node = median(bare.slice(1));
  const begun = median(first.slice(1));
  return [
    ratio("start, talaria --version", median(version.slice(1)), node, 1.5),
    {
      name: "start to first model request, beyond 3 × node -e 0",
      value: begun - 3 * node,
      unit: "ms",
      atMost: 60,
      from: `${begun.toFixed(1)} ms - 3 × ${node.toFixed(1)} ms`,
    },
  ];
}

/** Milliseconds of one turn of the whole program in a session with that much behind it. `seen`: how much of it the model is sent. */
async function turnIn(messages: number, seen: number): Promise<number> {
  const here = await stage([{ text: "done" }, { text: "done" }]);
  try {
    await run(task(here), here);
    writeFileSync(join(here.home, ".talaria", "config.yaml"), "model:\n  context_length: 1000000\n");
    const id = await lengthen(join(here.home, ".talaria", "state.db"), messages - 2, seen);
    return await run([talaria, "run", "--resume", id, "--model", "openai/bench", "go on"], here);
  } finally {
    await here.close();
  }
}

/** Adds messages to the one session of a store and takes all but the last out of the model's sight, as summaries do. */
async function lengthen(file: string, count: number, seen: number): Promise<string> {
  const store = await openSqliteStore({ file });
  try {
    const [session] = await store.list();
    if (!session) throw new Error("the first run stored no session");
    const talk = Array.from(
      { length: count },
      (_, index): Message =>
        index % 2 === 0 ? { role: "user", content: `note ${index}` } : { role: "assistant", content: `seen ${index}` },
    );
    for (let at = 0; at < talk.length; at += 500) {
      const stored = await store.append(session.id, "bench", talk.slice(at, at + 500));
      const old = stored.filter((_, index) => at + index < count - seen);
      if (old.length > 0)
        await store.deactivate(
          session.id,
          old.map(({ seq }) => seq),
        );
    }
    return session.id;
  } finally {
    await store.close();
  }
}

/** A turn in a session of 10,000 messages against one of 100, the whole program each. */
export async function sessionFigures(rounds = 5): Promise<readonly Figure[]> {
  const times: Record<"small" | "long" | "whole", number[]> = { small: [], long: [], whole: [] };
  for (let round = 0; round < rounds; round++) {
    times.small.push(await turnIn(100, 100));
    times.long.push(await turnIn(10_000, 100));
    times.whole.push(await turnIn(10_000, 10_000));
  }
  const small = median(times.small);
  return [
    ratio("a turn after 10,000 messages, summarised, against 100", median(times.long), small, 1.3),
    ratio("a turn after 10,000 messages, all sent, against 100", median(times.whole), small, 1.3),
  ];
}
