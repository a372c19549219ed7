import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Tool, ToolOutcome, TurnContext } from "#agent";
import type { Payload } from "#kernel";
import { isAlive } from "../turn-fixture.ts";
import { type Mcp, mcp } from "./mcp.ts";

const fixture = resolve("test/mcp/server-fixture.ts");
const stdio = (...words: readonly string[]) => ({ command: process.execPath, args: [fixture, ...words] });

interface Opened extends Mcp {
  readonly said: string[];
  readonly stderr: string[];
  call(name: string, args?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolOutcome>;
}

function open(servers: Readonly<Record<string, unknown>>): Opened {
  const said: string[] = [];
  const stderr: string[] = [];
  const made = mcp({
    servers,
    cwd: tmpdir(),
    environment: process.env,
    version: "test",
    log: (_level, message) => said.push(message),
    stderr: (server, text) => stderr.push(`${server}: ${text}`),
  });
  onTestFinished(() => made.close());
  const call: Opened["call"] = async (name, args = {}, signal = new AbortController().signal) => {
    const tool = offered(made).find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.run(args, { callId: "c-1", context: {} as TurnContext, signal, progress: () => undefined });
  };
  return Object.assign(made, { said, stderr, call });
}

const offered = (made: Mcp) => made.tools?.({} as TurnContext) as readonly Tool[];
const names = (made: Mcp) => offered(made).map(({ name }) => name);
const took = async (work: Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work.catch(() => undefined);
  return performance.now() - begun;
};

async function webServer(...words: readonly string[]): Promise<{ readonly url: string; end(): Promise<void> }> {
  const child = spawn(process.execPath, [fixture, "http", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((settle) => child.once("exit", () => settle()));
  const end = () => {
    child.kill("SIGKILL");
    return ended;
  };
  onTestFinished(end);
  const url = await new Promise<string>((settle) => child.stdout.once("data", (data) => settle(String(data).trim())));
  return { url, end };
}

describe.each(["stdio", "streamable HTTP"])("a server over %s", (transport) => {
  const entry = async () => (transport === "stdio" ? stdio() : { url: (await webServer()).url });

  test("offers its tools with their arguments, under its name", async () => {
    const made = open({ "my-calc": await entry() });
    await made.connected();
    const [tool] = offered(made);
    expect(tool).toMatchObject({
      name: "mcp_my_calc_add_up",
      toolset: "mcp-my-calc",
      description: "Adds two numbers.",
      mcpServer: { name: "my-calc", source: "config" },
      parameters: {
        type: "object",
        required: ["a", "b"],
        properties: { b: { type: "number", description: "the other" } },
      },
    });
    expect(tool?.concurrency).toBeUndefined();
    expect(made.report()[0]).toMatchObject({ name: "my-calc", state: "connected" });
  });

  test("answers in texts and images, and says what failed", async () => {
    const made = open({ s: await entry() });
    await made.connected();
    expect(await made.call("mcp_s_add_up", { a: 2, b: 40 })).toEqual({ content: "the sum is 42" });
    expect(await made.call("mcp_s_fail")).toEqual({ content: "no luck", isError: true });
    expect(await made.call("mcp_s_picture")).toMatchObject({
      content: [
        { type: "text", text: "one\ntwo" },
        { type: "image", mediaType: "image/png" },
      ],
    });
    expect(await made.call("mcp_s_add_up", { a: "two" })).toMatchObject({ isError: true });
  });

  test("gives large answers whole", async () => {
    const made = open({ s: await entry() });
    await made.connected();
    const { content } = (await made.call("mcp_s_flood", { megabytes: 3 })) as { content: string };
    expect(content).toHaveLength(3_000_000);
  });

  test("that never answers a call is given up at the time limit, or with the turn", async () => {
    const made = open({ s: { ...(await entry()), timeout: 0.3 } });
    await made.connected();
    expect(await took(made.call("mcp_s_hang"))).toBeLessThan(2000);
    expect(await made.call("mcp_s_hang")).toMatchObject({ isError: true });
    const turn = new AbortController();
    setTimeout(() => turn.abort(new Error("interrupted")), 50);
    await expect(made.call("mcp_s_hang", {}, turn.signal)).rejects.toThrow();
    expect(await made.call("mcp_s_add_up", { a: 1, b: 1 })).toEqual({ content: "the sum is 2" });
  });

  test("may offer other tools later", async () => {
    const made = open({ s: await entry() });
    await made.connected();
    await made.call("mcp_s_late");
    await expect.poll(() => names(made)).toContain("mcp_s_newcomer");
    expect(await made.call("mcp_s_newcomer")).toEqual({ content: "here I am" });
  });

  test("answers hooks before any turn has begun", async () => {
    const made = open({ s: await entry() });
    const call = { server: "s", tool: "add-up", input: { a: 1, b: 2 }, signal: new AbortController().signal };
    expect(await made.callTool(call)).toEqual({ text: "the sum is 3", isError: false });
    await expect(made.callTool({ ...call, server: "t" })).rejects.toThrow("no MCP server is called t");
  });
});

test("a server that dies in a call is started again for the next one", async () => {
  const made = open({ s: stdio() });
  await made.connected();
  expect(await made.call("mcp_s_die")).toMatchObject({ isError: true });
  expect(names(made)).toContain("mcp_s_add_up");
  expect(await made.call("mcp_s_add_up", { a: 1, b: 1 })).toEqual({ content: "the sum is 2" });
  expect(made.said.join("\n")).toContain("it ended with status 7");
});

test("a server on the network that forgets its sessions is asked again, one that is gone is said to be", async () => {
  const web = await webServer();
  const made = open({ s: { url: web.url } });
  await made.connected();
  expect(await made.call("mcp_s_forget")).toEqual({ content: "forgotten" });
  expect(await made.call("mcp_s_add_up", { a: 1, b: 1 })).toEqual({ content: "the sum is 2" });
  await web.end();
  expect(await made.call("mcp_s_add_up", { a: 1, b: 1 })).toMatchObject({ isError: true });
  expect(made.report()[0]?.state).toBe("failed");
});

test("headers are sent; without them the server's refusal is told, and no secret with it", async () => {
  const { url } = await webServer("Bearer sesame-sesame");
  const good = open({ s: { url, headers: { Authorization: "Bearer sesame-sesame" } } });
  await good.connected();
  expect(await good.call("mcp_s_add_up", { a: 1, b: 1 })).toEqual({ content: "the sum is 2" });
  const bad = open({ s: { url, headers: { Authorization: "Bearer something-else" } } });
  await bad.connected();
  expect(bad.report()[0]).toMatchObject({ state: "failed" });
  expect(bad.said.join("\n")).not.toContain("something-else");
});

test.each([
  ["never answers", stdio("silent"), /did not answer in 3 s/],
  ["ends at once", stdio("ends"), /^it ended with status 3/],
  ["writes without end", stdio("floods"), /^it wrote a message that is too long/],
  ["prints without end", stdio("chatters"), /^it writes without end what is no message/],
  ["is not there", { command: "no-such-program-anywhere" }, /no-such-program-anywhere/],
  ["is on a port where nobody listens", { url: "http://127.0.0.1:18/mcp" }, /nothing listens/],
])("a server that %s delays one turn by no more than its connect time, and the others work", async (_, entry, why) => {
  const made = open({ bad: { ...entry, connect_timeout: 3 }, good: stdio() });
  expect(await took(made.connected())).toBeLessThan(4500);
  expect(await took(made.connected())).toBeLessThan(300);
  await expect.poll(() => made.report()[0]?.detail, { timeout: 10_000 }).toMatch(why);
  await expect.poll(() => names(made), { timeout: 5000 }).toContain("mcp_good_add_up");
  const call = { server: "bad", tool: "x", input: {}, signal: new AbortController().signal };
  await expect(made.callTool(call)).rejects.toThrow(/^the MCP server bad is not connected: /);
});

test("without a connect time the first turn waits five seconds and says so, the second does not", async () => {
  const made = open({ bad: stdio("silent"), odd: 7, off: { enabled: false } });
  const notices: unknown[] = [];
  const context = {
    surface: { emit: (event: { text: string }) => notices.push(event.text) },
  } as unknown as TurnContext;
  const turn = async () => made.on?.before_agent?.({} as Payload<"before_agent">, context);
  const first = await took(turn());
  expect(first).toBeGreaterThan(4900);
  expect(first).toBeLessThan(7000);
  expect(await took(turn())).toBeLessThan(300);
  expect(notices).toEqual([
    "The tools of the MCP server bad are not there: it has not answered yet",
    "The tools of the MCP server odd are not there: must be a mapping with command or url",
  ]);
});

test("what a server prints that is no message is passed over, its standard error is kept", async () => {
  const made = open({ s: stdio("garbage"), e: stdio("ends") });
  await made.connected();
  expect(await made.call("mcp_s_add_up", { a: 1, b: 1 })).toEqual({ content: "the sum is 2" });
  expect(made.stderr.join("")).toContain("e: something is missing");
});

test("a server ends with everything it has started, also what left its group", async () => {
  const folder = mkdtempSync(join(tmpdir(), "talaria-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "family.json");
  const made = open({ s: stdio("family", file) });
  await made.connected();
  expect(existsSync(file)).toBe(true);
  const family = JSON.parse(readFileSync(file, "utf8")) as number[];
  expect(await Promise.all(family.map(isAlive))).toEqual([true, true]);
  expect(await took(made.close())).toBeLessThan(2500);
  expect(await Promise.all(family.map(isAlive))).toEqual([false, false]);
  await expect(
    made.callTool({ server: "s", tool: "x", input: {}, signal: new AbortController().signal }),
  ).rejects.toThrow("the program is ending");
});

test("a server sees of our environment what programs need, and what is configured for it", async () => {
  process.env["TALARIA_TEST_SECRET"] = "hidden";
  const made = open({ s: { ...stdio(), env: { GIVEN: "yes" }, cwd: "/" } });
  await made.connected();
  const { content } = (await made.call("mcp_s_variables")) as { content: string };
  const seen = JSON.parse(content) as Record<string, string>;
  expect(seen).toMatchObject({ GIVEN: "yes", PATH: process.env["PATH"], cwd: "/" });
  expect(seen["TALARIA_TEST_SECRET"]).toBeUndefined();
});

test("tools may be chosen, and run beside others where the server allows it", async () => {
  const made = open({
    a: { ...stdio(), tools: { include: ["add-up"], exclude: ["add-up"] }, supports_parallel_tool_calls: true },
    b: { ...stdio(), tools: { exclude: ["add-up", "hang"] } },
    off: { ...stdio(), enabled: false },
  });
  await made.connected();
  expect(names(made).filter((name) => /^mcp_a_(?!list|read|get)/.test(name))).toEqual(["mcp_a_add_up"]);
  expect(names(made)).toContain("mcp_b_die");
  expect(names(made)).not.toContain("mcp_b_hang");
  expect(offered(made)[0]?.concurrency).toBe("parallel");
  expect(made.report()[2]).toEqual({ name: "off", state: "off", detail: "it is switched off", tools: [] });
});
