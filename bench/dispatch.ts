import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Target {
  readonly name: string;
  readonly ratio: number;
  readonly atMost: number;
  readonly met: boolean;
}
export interface DispatchFigures {
  /** Nanoseconds for one dispatch, the best of all runs. */
  readonly nanoseconds: Readonly<Record<string, number>>;
  readonly targets: readonly Target[];
}

const samples = 60;
const sampleMs = 4;

/** Measures one contender in this process: the best of several samples, in nanoseconds. */
async function measure(name: string): Promise<number> {
  const { contenders } = await import("./contenders.ts");
  const make = contenders[name];
  if (make === undefined) throw new Error(`There is no contender "${name}".`);
  const loop = make();
  let times = 1_000;
  for (let spent = 0; spent < sampleMs; ) {
    const started = performance.now();
    await loop(times);
    spent = performance.now() - started;
    if (spent < sampleMs) times *= 2;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < samples; at++) {
    const started = performance.now();
    await loop(times);
    best = Math.min(best, ((performance.now() - started) * 1e6) / times);
  }
  return best;
}

async function inOwnProcess(name: string): Promise<number> {
  const file = fileURLToPath(import.meta.url);
  const { stdout } = await run(process.execPath, [...process.execArgv, file, "--contender", name]);
  return Number(stdout);
}

const pairs: readonly {
  readonly name: string;
  readonly ours: string;
  readonly theirs: string;
  readonly atMost: number;
}[] = [
  { name: "unheard, against an empty call", ours: "kernel, unheard", theirs: "empty call", atMost: 2 },
  { name: "0 handlers, against tapable", ours: "kernel tell, sync 0", theirs: "tapable, sync 0", atMost: 1 },
  { name: "1 synchronous handler, against tapable", ours: "kernel tell, sync 1", theirs: "tapable, sync 1", atMost: 1 },
  {
    name: "10 synchronous handlers, against tapable",
    ours: "kernel tell, sync 10",
    theirs: "tapable, sync 10",
    atMost: 1,
  },
  {
    name: "1 asynchronous handler, against tapable",
    ours: "kernel tell, async 1",
    theirs: "tapable, async 1",
    atMost: 1.3,
  },
  {
    name: "10 asynchronous handlers, against tapable",
    ours: "kernel tell, async 10",
    theirs: "tapable, async 10",
    atMost: 1,
  },
];

/** Measures all contenders side by side: each in processes of its own, round by round. */
export async function dispatchBench(rounds = 3): Promise<DispatchFigures> {
  const { contenders } = await import("./contenders.ts");
  const nanoseconds: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(contenders)) {
      nanoseconds[name] = Math.min(nanoseconds[name] ?? Number.POSITIVE_INFINITY, await inOwnProcess(name));
    }
  }
  const targets = pairs.map(({ name, ours, theirs, atMost }) => {
    const ratio = (nanoseconds[ours] ?? Number.NaN) / (nanoseconds[theirs] ?? Number.NaN);
    return { name, ratio, atMost, met: ratio <= atMost };
  });
  return { nanoseconds, targets };
}

/** The figures as a table of contenders by number of handlers, then the targets. */
export function drawDispatch({ nanoseconds, targets }: DispatchFigures): string {
  const rows = new Map<string, Map<string, number>>();
  for (const [name, figure] of Object.entries(nanoseconds)) {
    const [, label = name, count = ""] = /^(.*?)(?: (\d+))?$/.exec(name) ?? [];
    rows.set(label, (rows.get(label) ?? new Map<string, number>()).set(count, figure));
  }
  const cell = (figure: number | undefined) =>
    (figure === undefined ? "" : figure.toFixed(figure < 10 ? 1 : 0)).padStart(9);
  const lines = [
    `${"ns per dispatch".padEnd(26)}${["alone", "0", "1", "10"].map((head) => head.padStart(9)).join("")}`,
  ];
  for (const [label, figures] of rows) {
    lines.push(label.padEnd(26) + ["", "0", "1", "10"].map((count) => cell(figures.get(count))).join(""));
  }
  lines.push("");
  for (const { name, ratio, atMost, met } of targets) {
    lines.push(`${met ? "met   " : "MISSED"} ${name.padEnd(44)} ${ratio.toFixed(2)} (at most ${atMost})`);
  }
  return lines.join("\n");
}

const [flag, name] = process.argv.slice(2);
if (import.meta.main === true || process.argv[1] === fileURLToPath(import.meta.url)) {
  if (flag === "--contender") console.log(await measure(name ?? ""));
  else console.log(drawDispatch(await dispatchBench()));
}
