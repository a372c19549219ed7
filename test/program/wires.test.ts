import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelServer, ScriptedCall, ServerFault } from "../../src/testing.ts";
import { events, modelHome, type Protocol, pairs, protocols, type Ran, run, sent, server } from "../program-fixture.ts";

const all = Object.keys(protocols) as readonly Protocol[];
const echo = (text: string | number): ScriptedCall => ({ name: "terminal", args: { command: `echo n${text}` } });

async function ask(protocol: Protocol, model: ModelServer, more = "", words: readonly string[] = []): Promise<Ran> {
  const { words: named, ...options } = modelHome(protocol, model, more);
  return run(["run", "--json", ...named, ...words, "do it"], options);
}

const ends = (ran: Ran) => events(ran).filter(({ type }) => type === "tool-end");
const end = (ran: Ran) => events(ran).at(-1);

describe.each(all)("a run over %s", (protocol) => {
  test("an answer comes whole, with its tokens", async () => {
    const model = await server({ text: "Grüße, 世界 ☃ 👩‍👩‍👧!", usage: { input: 120, output: 7 } });
    const ran = await ask(protocol, model);
    expect(end(ran)).toMatchObject({ outcome: "completed", text: "Grüße, 世界 ☃ 👩‍👩‍👧!" });
    expect(end(ran)?.["usage"]).toMatchObject({ inputTokens: 120, outputTokens: 7 });
    expect(ran.status).toBe(0);
  });

  test.each([1, 20, 100])("%i tool calls one after another", async (count) => {
    const steps = Array.from({ length: count }, (_, index) => ({ calls: [echo(index)] }));
    const model = await server(...steps, { text: "all done" });
    const ran = await ask(protocol, model, "", ["--max-iterations", "150"]);
    expect(ends(ran)).toHaveLength(count);
    expect(
      ends(ran).every(({ status, result }, index) => status === "ok" && String(result).includes(`n${index}`)),
    ).toBe(true);
    expect(end(ran)).toMatchObject({ outcome: "completed", text: "all done", iterations: count + 1 });
    expect(model.requests).toHaveLength(count + 1);
  });

  test.each([20, 100])("%i tool calls in one answer, results in call order", async (count) => {
    const model = await server({ calls: Array.from({ length: count }, (_, index) => echo(index)) }, { text: "ok" });
    const ran = await ask(protocol, model);
    expect(ends(ran)).toHaveLength(count);
    const order = [...String(model.requests[1]?.text).matchAll(/\\?"output\\?":\s*\\?"n(\d+)/g)].map(([, found]) =>
      Number(found),
    );
    expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
    expect(end(ran)).toMatchObject({ outcome: "completed" });
  });

  test("reading calls run side by side and answer in call order", async () => {
    const paths = ["a.txt", "b.txt", "c.txt", "d.txt"];
    const write = paths.map((path) => ({ name: "write_file", args: { path, content: `in ${path}` } }));
    const read = paths.map((path) => ({ name: "read_file", args: { path } }));
    const model = await server({ calls: write }, { calls: read }, { text: "ok" });
    const ran = await ask(protocol, model);
    const kinds = events(ran).filter(
      ({ type, name }) => (type === "tool-start" || type === "tool-end") && name === "read_file",
    );
    expect(kinds.slice(0, 2).map(({ type }) => type)).toEqual(["tool-start", "tool-start"]);
    const found = [...String(model.requests[2]?.text).matchAll(/1\|in (\w)\.txt/g)].map(([, letter]) => letter);
    expect(found).toEqual(["a", "b", "c", "d"]);
  });

  const mended: readonly (readonly [string, ServerFault])[] = [
    ["429 with Retry-After", { kind: "status", status: 429, retryAfter: "1" }],
    ["500", { kind: "status", status: 500 }],
    ["529", { kind: "status", status: 529 }],
    ["a stream cut in mid-character", { kind: "cut", at: "character" }],
    ["a stream cut in mid-character by a torn connection", { kind: "cut", at: "character", reset: true }],
    ["a stream cut in mid-JSON", { kind: "cut", at: "json" }],
    ["a connection torn before the answer", { kind: "reset" }],
    ["garbage bytes", { kind: "garbage", form: "binary" }],
    ["a web page", { kind: "garbage", form: "html" }],
    ["nothing at all", { kind: "garbage", form: "empty" }],
    ["broken events", { kind: "garbage", form: "broken-events" }],
  ];
  test.each(mended)("%s is tried again and the answer is whole", async (_, fault) => {
    const model = await server({ text: "half ☃ of the answer that was cut", fault }, { text: "Whole ☃." });
    const ran = await ask(protocol, model);
    expect(end(ran)).toMatchObject({ outcome: "completed", text: "Whole ☃." });
    expect(events(ran).some(({ type }) => type === "retry" || type === "reset" || type === "notice")).toBe(true);
    expect(model.requests).toHaveLength(2);
    expect(ran.status).toBe(0);
  });

  test("a cut answer with a tool call is not run twice", async () => {
    const model = await server(
      { calls: [echo("once")], fault: { kind: "cut", at: "json" } },
      { calls: [echo("once")] },
      { text: "ok" },
    );
    const ran = await ask(protocol, model);
    expect(ends(ran)).toHaveLength(1);
    expect(end(ran)).toMatchObject({ outcome: "completed", text: "ok" });
  });

  test("a wrong key fails at once and names it", async () => {
    const model = await server({ fault: { kind: "status", status: 401, message: "bad key" } });
    const ran = await ask(protocol, model);
    expect(end(ran)).toMatchObject({ outcome: "failed" });
    expect(String(end(ran)?.["text"])).toMatch(/key/i);
    expect(model.requests).toHaveLength(1);
    expect(ran.stdout + ran.stderr).not.toContain("sk-test");
    expect(ran.status).toBe(1);
  });

  test("a server that never works fails after the attempts of the settings", async () => {
    const fault: ServerFault = { kind: "status", status: 503 };
    const model = await server({ fault }, { fault }, { fault });
    const ran = await ask(protocol, model, "agent:\n  api_max_retries: 1\n");
    expect(end(ran)).toMatchObject({ outcome: "failed" });
    expect(model.requests).toHaveLength(2);
    expect(ran.status).toBe(1);
  });

  test("an unknown tool is told to the model, which goes on", async () => {
    const model = await server({ calls: [{ name: "no_such_tool", args: {} }] }, { text: "ok" });
    const ran = await ask(protocol, model);
    expect(model.requests[1]?.text).toContain("no_such_tool");
    expect(end(ran)).toMatchObject({ outcome: "completed", text: "ok" });
  });
});

test.each(["start", "middle"] as const)("a server that stalls at the %s is given up and asked again", async (at) => {
  const model = await server({ text: "one two three four", fault: { kind: "stall", at } }, { text: "then it came" });
  const { words, ...options } = modelHome("chat", model);
  writeFileSync(
    join(options.home, ".talaria", "config.yaml"),
    `model:\n  provider: custom\n  default: test-model\n  base_url: ${model.url}/v1\n  api_key: sk-test\n  idle_timeout: 1\n`,
  );
  const ran = await run(["run", "--json", ...words, "do it"], options);
  expect(end(ran)).toMatchObject({ outcome: "completed", text: "then it came" });
  expect(ran.stderr).toBe("");
});

test("a conversation that grew too long is summarised and the turn goes on", async () => {
  const fault: ServerFault = {
    kind: "status",
    status: 400,
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  };
  const steps = Array.from({ length: 30 }, (_, index) => ({ calls: [echo(index)] }));
  const model = await server(...steps, { fault }, { text: "Summary of the beginning." }, { text: "went on" });
  const ran = await ask("chat", model);
  expect(end(ran)).toMatchObject({ outcome: "completed", text: "went on" });
  expect(events(ran).some(({ type }) => type === "compaction")).toBe(true);
  const { called, answered } = pairs(sent(model.requests.at(-1)));
  expect(answered).toEqual(called);
});

// Gemini sends arguments as objects: they cannot be broken on the wire.
test.each(["chat", "responses", "anthropic"] as const)(
  "arguments over %s that are nearly JSON are mended; what was cut off is told to the model and not run",
  async (protocol) => {
    const model = await server(
      { calls: [{ name: "terminal", text: "{command: 'echo mended',}" }] },
      { calls: [{ name: "terminal", text: '{"command": "touch half' }] },
      { text: "ok" },
    );
    const ran = await ask(protocol, model);
    expect(end(ran)).toMatchObject({ outcome: "completed", text: "ok" });
    expect(ends(ran).map(({ result }) => String(result))).toEqual([expect.stringContaining("mended")]);
    expect(model.requests[2]?.text).toContain("cut off");
  },
);
