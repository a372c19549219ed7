import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execution, type Workshop, workshop } from "../src/hooks/executors/executor-fixture.ts";
import { type Executed, type Executors, executors } from "../src/hooks/index.ts";

export interface Row {
  readonly name: string;
  /** Ours divided by what it is compared with, lower quartiles of one run, the two taking turns. */
  readonly ratio: number;
  readonly target: number;
}

type Act = () => Promise<unknown>;

async function timed(act: Act): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/** The longest time for which nothing else had its turn in this process. */
async function held(act: Act): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await act();
  isOver = true;
  return longest;
}

/** A hook that failed would be a fast one. */
const answered = async (run: Promise<Executed>): Promise<void> => {
  const { decoded } = await run;
  if (decoded.kind === "failed") throw new Error(`a hook of the bench failed: ${decoded.reason}`);
};

function lowerQuartile(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 2] ?? Number.NaN;
}

async function ratio(ours: Act, theirs: Act, rounds: number, measure = timed): Promise<number> {
  const [mine, other]: [number[], number[]] = [[], []];
  const warming = Math.max(5, rounds / 4);
  for (let round = 0; round < rounds + warming; round += 1) {
    const first = await measure(theirs);
    const second = await measure(ours);
    if (round < warming) continue;
    other.push(first);
    mine.push(second);
  }
  return lowerQuartile(mine) / lowerQuartile(other);
}

/** What hooks get too. Without a level, bash takes the socket for a remote login and reads the person's start-up files. */
const env = { ...process.env, SHLVL: "1" } as Readonly<Record<string, string>>;

/** The same program as anybody would run it from Node. */
function bare(file: string, args: readonly string[], input: string, cwd: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    child.stderr.resume();
    child.stdin.on("error", () => undefined);
    child.on("error", reject);
    child.on("close", () => resolve(out === "" ? undefined : JSON.parse(out)));
    child.stdin.end(input);
  });
}

const times =
  (count: number, act: Act): Act =>
  () =>
    Promise.all(Array.from({ length: count }, act));

const computing = "#!/bin/bash\nread -r line\nfor ((i = 0; i < 20000; i++)); do :; done\necho '{}'\n";
const waiting = "#!/bin/sh\nread -r line\nsleep 0.05\necho '{}'\n";
const tiny = "#!/bin/sh\nread -r line\necho '{}'\n";
const answering = `const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => console.log(JSON.stringify({ id: JSON.parse(line).id, answer: {} })));`;

/** How hooks compare with the same work done bare, side by side. */
export async function hooks(rounds = 60): Promise<readonly Row[]> {
  const shop = workshop({ environment: () => env });
  const house = executors(shop.ports);
  try {
    return [...(await programs(shop, house.run, rounds)), await address(shop, house.run, rounds * 5)];
  } finally {
    await house.close();
  }
}

async function programs(shop: Workshop, run: Executors, rounds: number): Promise<readonly Row[]> {
  const hook = (command: string): Act => {
    const asked = execution(shop, { type: "command", command });
    return () => answered(run.command(asked));
  };
  const { json } = execution(shop, { type: "command", command: "" });
  const program =
    (path: string): Act =>
    () =>
      bare(path, [], json, shop.folder);
  const [small, slow, busy] = [
    shop.script("tiny.sh", tiny),
    shop.script("waiting.sh", waiting),
    shop.script("busy.sh", computing),
  ];
  const worker = execution(shop, {
    type: "worker",
    command: process.execPath,
    args: [shop.script("worker.cjs", answering)],
  });
  const piped = execution(shop, { type: "command", command: `${small} | cat` });
  return [
    {
      name: "command hook against the same program",
      ratio: await ratio(hook(small), program(small), rounds),
      target: 1,
    },
    {
      name: "command hook with a pipe against bash -c",
      ratio: await ratio(
        () => answered(run.command(piped)),
        () => bare("bash", ["-c", `${small} | cat`], json, shop.folder),
        rounds,
      ),
      target: 1,
    },
    {
      name: "event loop held by a command hook against a spawn",
      ratio: await ratio(hook(small), program(small), rounds, held),
      target: 1,
    },
    {
      name: "worker against command hook",
      ratio: await ratio(() => answered(run.worker(worker)), hook(small), rounds * 4),
      target: 0.1,
    },
    {
      name: "five hooks that wait 50 ms against one",
      ratio: await ratio(times(5, hook(slow)), hook(slow), rounds / 4),
      target: 1.6,
    },
    {
      name: "five hooks that compute against five programs",
      ratio: await ratio(times(5, hook(busy)), times(5, program(busy)), rounds / 4),
      target: 1.1,
    },
  ];
}

async function address(shop: Workshop, run: Executors, rounds: number): Promise<Row> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.setHeader("content-type", "application/json").end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = join(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "hook").replace(":/", "://");
  const asked = execution(shop, { type: "http", url });
  const fetched = async (): Promise<unknown> =>
    (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: asked.json })).json();
  const row = {
    name: "http hook against fetch",
    ratio: await ratio(() => answered(run.http(asked)), fetched, rounds),
    target: 1.5,
  };
  server.closeAllConnections();
  server.close();
  return row;
}

if (process.argv[1] === import.meta.filename) console.table(await hooks());
