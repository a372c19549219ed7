import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ServerStep } from "../../src/testing.ts";
import { events, modelHome, pairs, run, sent, server, start, until } from "../program-fixture.ts";

const call = (command: string): ServerStep => ({ calls: [{ name: "terminal", args: { command } }] });

/** Whether a process is there and not only waiting to be reaped. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Starts a run, waits for a phase, sends the signal, and gives the end. */
async function stopped(script: readonly ServerStep[], phase: string, signal: NodeJS.Signals = "SIGINT") {
  const model = await server(...script);
  const { words, ...options } = modelHome("chat", model);
  const child = start(["run", "--json", ...words, "begin"], options);
  let output = "";
  child.stdout?.on("data", (text) => {
    output += text;
  });
  await until(phase, () => (phase === "asked" ? model.requests.length === 1 : output.includes(phase)));
  child.kill(signal);
  return { model, words, options, ran: await child.done };
}

const stall: ServerStep["fault"] = { kind: "stall", at: "start" };

test.each<[string, readonly ServerStep[], string]>([
  ["waiting for the model", [{ text: "x", fault: stall }], "asked"],
  [
    "streaming",
    [{ text: "the first half and the second half", fault: { kind: "stall", at: "middle" } }],
    '"type":"text"',
  ],
  ["running a tool", [call("echo begun; sleep 300")], '"chunk":"begun'],
  ["waiting to try again", [{ fault: { kind: "status", status: 429, retryAfter: "120" } }], '"type":"retry"'],
])("an interrupt while %s ends with 130, keeps what was said, and resumes", async (_, script, phase) => {
  const { model, words, options, ran } = await stopped(script, phase);
  expect(ran.status).toBe(130);
  expect(events(ran).at(-1)).toMatchObject({ type: "turn-end", outcome: "interrupted" });

  const trace = await run(["trace", "--json"], options);
  expect(trace.stdout).toContain("cancelled");

  model.push({ text: "I go on." });
  const again = await run(["run", "--json", "--resume", "last", ...words, "go on"], options);
  expect(events(again).at(-1)).toMatchObject({ outcome: "completed", text: "I go on." });
  const messages = sent(model.requests.at(-1));
  const said = JSON.stringify(messages);
  expect(said.match(/"begin"/g)).toHaveLength(1);
  expect(said).toContain("interrupted");
  if (phase === '"type":"text"') expect(said).toContain("the first half");
  if (phase.includes("chunk")) expect(said).toContain("begun");
  const { called, answered } = pairs(messages);
  expect(answered).toEqual(called);
});

test("a stopped tool leaves no process behind, not even one that ignores the signal", async () => {
  const script = `trap '' INT TERM HUP; (trap '' INT TERM HUP; setsid sleep 301 & echo "pids $$ $BASHPID $!"; sleep 302) & wait; sleep 303`;
  const { ran } = await stopped([call(script)], '"chunk":"pids');
  expect(ran.status).toBe(130);
  const pids = [...(/"chunk":"pids (\d+) (\d+) (\d+)/.exec(ran.stdout) ?? [])].slice(1).map(Number);
  expect(pids).toHaveLength(3);
  expect(pids.filter(isAlive)).toEqual([]);
});

test.each<[NodeJS.Signals, number]>([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])("%s ends the turn in order too", async (signal, status) => {
  const { ran } = await stopped([call("echo begun; sleep 300")], '"chunk":"begun', signal);
  expect(ran.status).toBe(status);
  expect(events(ran).at(-1)).toMatchObject({ type: "turn-end", outcome: "interrupted" });
});

test("a second interrupt does not break the first", async () => {
  const model = await server(call("trap '' INT TERM; echo begun; sleep 300"));
  const { words, ...options } = modelHome("chat", model);
  const child = start(["run", "--json", ...words, "begin"], options);
  let output = "";
  child.stdout?.on("data", (text) => {
    output += text;
  });
  await until("the tool runs", () => output.includes('"chunk":"begun'));
  child.kill("SIGINT");
  child.kill("SIGINT");
  const ran = await child.done;
  expect(ran.status).toBe(130);
  const shown = await run(["sessions", "show", "last"], options);
  expect(shown.stdout).toContain("begin");
  expect(readFileSync(join(options.home, ".talaria", "logs", "agent.log"), "utf8")).toContain("ends: interrupted");
});
