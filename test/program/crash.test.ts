import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ServerStep } from "../../src/testing.ts";
import { events, modelHome, pairs, run, sent, server, start, until } from "../program-fixture.ts";

const call = (command: string): ServerStep => ({ calls: [{ name: "terminal", args: { command } }] });

interface Phase {
  readonly name: string;
  readonly script: readonly ServerStep[];
  /** In the output, or `asked`: when the model has been asked so many times. */
  readonly at: string | number;
  /** What the model must be told after that. */
  readonly told: readonly RegExp[];
  readonly calls: number;
}

const phases: readonly Phase[] = [
  {
    name: "before the first answer",
    script: [{ text: "x", fault: { kind: "stall", at: "start" } }],
    at: 1,
    told: [],
    calls: 0,
  },
  {
    name: "while it streams",
    script: [{ text: "one two three four five", fault: { kind: "stall", at: "middle" } }],
    at: '"type":"text"',
    told: [],
    calls: 0,
  },
  {
    name: "while a tool runs",
    script: [call("echo ran >> ran.txt; echo begun; sleep 30")],
    at: '"chunk":"begun',
    told: [/unknown|not known/i],
    calls: 1,
  },
  {
    name: "while the second of two tools runs",
    script: [
      {
        calls: [
          { name: "terminal", args: { command: "echo first" } },
          { name: "terminal", args: { command: "echo begun; sleep 30" } },
        ],
      },
    ],
    at: '"chunk":"begun',
    told: [/first/, /unknown|not known/i],
    calls: 2,
  },
  {
    name: "when the results are in and the model is asked again",
    script: [call("echo whole"), { text: "x", fault: { kind: "stall", at: "start" } }],
    at: 2,
    told: [/whole/],
    calls: 1,
  },
  {
    name: "while it waits to try again",
    script: [call("echo whole"), { fault: { kind: "status", status: 503, retryAfter: "60" } }],
    at: '"type":"retry"',
    told: [/whole/],
    calls: 1,
  },
];

test.each(phases)(
  "killed $name, the session goes on without loss or repetition",
  async ({ script, at, told, calls }) => {
    const model = await server(...script);
    const { words, ...options } = modelHome("chat", model);
    const child = start(["run", "--json", ...words, "begin here"], options);
    let output = "";
    child.stdout?.on("data", (text) => {
      output += text;
    });
    await until(String(at), () => (typeof at === "number" ? model.requests.length === at : output.includes(at)));
    child.kill("SIGKILL");
    await child.done;

    model.push({ text: "I go on." });
    const again = await run(["run", "--json", "--resume", "last", ...words, "go on"], options);
    expect(events(again).at(-1)).toMatchObject({ outcome: "completed", text: "I go on." });
    expect(again.status).toBe(0);
    const messages = sent(model.requests.at(-1));
    const said = JSON.stringify(messages);
    expect(said.match(/begin here/g)).toHaveLength(1);
    expect(said.match(/go on/g)).toHaveLength(1);
    const { called, answered } = pairs(messages);
    expect(called).toHaveLength(calls);
    expect(answered).toEqual(called);
    for (const each of told) expect(said).toMatch(each);
    const ran = join(options.home, "ran.txt");
    if (existsSync(ran)) expect(readFileSync(ran, "utf8")).toBe("ran\n");
  },
);

test("killed at any moment of a long turn, again and again, nothing is lost", async () => {
  const steps = Array.from({ length: 40 }, (_, index) => call(`echo step-${index} | tee -a steps.txt`));
  const model = await server(...steps, ...steps);
  const { words, ...options } = modelHome("chat", model);
  const first = await run(["run", "--max-iterations", "1", ...words, "begin"], options);
  expect(first.status).toBe(4);
  for (let round = 0; round < 6; round += 1) {
    const before = model.requests.length;
    const child = start(["run", "--json", "--resume", "last", ...words, `round-${round};`], options);
    await until("the model was asked", () => model.requests.length > before + round);
    child.kill("SIGKILL");
    await child.done;
  }
  model.push(...Array.from({ length: 40 }, () => ({ text: "end" })));
  const last = await run(["run", "--json", "--resume", "last", ...words, "finish"], options);
  expect(last.status).toBe(0);
  const check = await run(["doctor"], options);
  expect(check.stdout).toMatch(/✓ store/);
  const messages = sent(model.requests.at(-1));
  const { called, answered } = pairs(messages);
  expect(answered).toEqual(called);
  expect(new Set(called).size).toBe(called.length);
  const said = JSON.stringify(messages);
  for (let round = 0; round < 6; round += 1) expect(said.match(new RegExp(`round-${round};`, "g"))).toHaveLength(1);
});
