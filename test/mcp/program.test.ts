import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { events, folder, modelHome, type RunOptions, run, sent, server } from "../program-fixture.ts";

const fixture = resolve("test/mcp/server-fixture.ts");
const stdio = (...words: readonly string[]) => ({ command: process.execPath, args: [fixture, ...words] });
const config = (servers: object): string => `mcp_servers: ${JSON.stringify(servers)}\n`;

/** Names of the tools that a request to the model offers. */
function offered(request: { readonly body: unknown }): readonly string[] {
  const { tools } = request.body as { readonly tools: readonly { readonly function: { readonly name: string } }[] };
  return tools.map((tool) => tool.function.name);
}

async function webServer(): Promise<string> {
  const child = spawn(process.execPath, [fixture, "http"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((settle) => child.stdout.once("data", (data) => settle(String(data).trim())));
}

/** A home without a model of its own. */
function home(servers: object): RunOptions {
  const made = folder();
  mkdirSync(join(made, ".talaria"));
  writeFileSync(join(made, ".talaria", "config.yaml"), config(servers));
  return { home: made };
}

test("tools of servers reach the model, and their answers too", async () => {
  const model = await server(
    { calls: [{ name: "mcp_calc_add_up", args: { a: 19, b: 23 } }] },
    { calls: [{ name: "mcp_web_fail", args: {} }] },
    { text: "done" },
  );
  const servers = { calc: stdio(), web: { url: await webServer() }, broken: stdio("ends") };
  const { words, ...options } = modelHome("chat", model, config(servers));
  const ran = await run(["run", "--json", ...words, "add"], options);
  expect(ran.stderr).toBe("");
  expect(ran.status).toBe(0);
  expect(offered(model.requests[0]!)).toEqual(expect.arrayContaining(["terminal", "mcp_calc_add_up", "mcp_web_fail"]));
  expect(sent(model.requests[1]).at(-1)).toMatchObject({ role: "tool", content: "the sum is 42" });
  expect(sent(model.requests[2]).at(-1)).toMatchObject({ role: "tool", content: "no luck" });
  const ends = events(ran).filter(({ type }) => type === "tool-end");
  expect(ends.map(({ status }) => status)).toEqual(["ok", "error"]);
  expect(events(ran)).toContainEqual(
    expect.objectContaining({
      type: "notice",
      text: "The tools of the MCP server broken are not there: it ended with status 3",
    }),
  );
});

test("hooks see calls under the names of Claude Code, and a server's tool answers for a rule", async () => {
  const model = await server(
    { calls: [{ name: "mcp_calc_judge", args: { command: "ls" } }] },
    { calls: [{ name: "terminal", args: { command: "rm -r notes" } }] },
    { calls: [{ name: "terminal", args: { command: "echo fine" } }] },
    { text: "done" },
  );
  const { words, ...options } = modelHome("chat", model, config({ calc: stdio() }));
  const seen = join(options.home, "seen.jsonl");
  const judge = { type: "mcp_tool", server: "calc", tool: "judge", input: { command: `\${tool_input.command}` } };
  mkdirSync(join(options.home, ".claude"));
  const rules = [
    { matcher: "Bash", hooks: [judge] },
    { matcher: "mcp__calc__.*", hooks: [{ type: "command", command: `cat >> ${seen}` }] },
  ];
  writeFileSync(join(options.home, ".claude", "settings.json"), JSON.stringify({ hooks: { PreToolUse: rules } }));
  const ran = await run(["run", "--json", ...words, "tidy up"], options);
  expect(ran.status).toBe(0);
  expect(JSON.parse(readFileSync(seen, "utf8"))).toMatchObject({
    tool_name: "mcp__calc__judge",
    tool_input: { command: "ls" },
    mcp_server: { name: "calc", source: "config" },
  });
  expect(sent(model.requests[2]).at(-1)?.content).toContain("the judge says no to rm -r notes");
  expect(sent(model.requests[3]).at(-1)?.content).toContain("fine");
});

test("a rule whose server is away stops nothing", async () => {
  const model = await server({ calls: [{ name: "terminal", args: { command: "echo fine" } }] }, { text: "done" });
  const { words, ...options } = modelHome("chat", model, config({ calc: stdio("ends") }));
  mkdirSync(join(options.home, ".claude"));
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "mcp_tool", server: "calc", tool: "judge" }] }] };
  writeFileSync(join(options.home, ".claude", "settings.json"), JSON.stringify({ hooks }));
  await run(["run", "--json", ...words, "go"], options);
  expect(sent(model.requests[1]).at(-1)?.content).toContain("fine");
});

test("a server that dies in a call is an answer to the model, and is there again for the next call", async () => {
  const model = await server(
    { calls: [{ name: "mcp_calc_die", args: {} }] },
    { calls: [{ name: "mcp_calc_add_up", args: { a: 1, b: 1 } }] },
    { text: "done" },
  );
  const { words, ...options } = modelHome("chat", model, config({ calc: stdio() }));
  const ran = await run(["run", "--json", ...words, "go"], options);
  expect(sent(model.requests[1]).at(-1)?.content).toContain('"error"');
  expect(sent(model.requests[2]).at(-1)?.content).toBe("the sum is 2");
  expect(ran.status).toBe(0);
});

test.each(["silent", "floods"])(
  "a server that is %s is not waited for longer than its time, nor left running",
  async (kind) => {
    const model = await server({ text: "hello" });
    const mark = `${kind}-${process.pid}-${Date.now()}`;
    const { words, ...options } = modelHome(
      "chat",
      model,
      config({ bad: { ...stdio(kind, mark), connect_timeout: 1 } }),
    );
    const begun = performance.now();
    const ran = await run(["run", ...words, "hi"], options);
    expect(ran).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(performance.now() - begun).toBeLessThan(6000);
    expect(execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" })).not.toContain(mark);
  },
);

test("'talaria tools' lists them, 'talaria doctor' says how each server does", async () => {
  const options = home({ calc: stdio(), broken: stdio("ends"), odd: 3, off: { ...stdio(), enabled: false } });
  const listed = JSON.parse((await run(["tools", "--json"], options)).stdout) as readonly {
    name: string;
    toolset: string;
  }[];
  expect(listed.find(({ name }) => name === "mcp_calc_add_up")).toMatchObject({ toolset: "mcp-calc" });
  const doctor = await run(["doctor", "--json"], options);
  const findings = JSON.parse(doctor.stdout) as readonly { about: string; state: string; detail: string }[];
  const of = (name: string) => findings.find(({ about }) => about === `MCP server ${name}`);
  expect(of("calc")).toMatchObject({ state: "ok", detail: expect.stringMatching(/^connected, \d+ tools$/) });
  expect(of("broken")).toMatchObject({ state: "problem", detail: "it ended with status 3" });
  expect(of("odd")).toMatchObject({ state: "problem" });
  expect(of("off")).toMatchObject({ state: "ok", detail: "it is switched off" });
  expect(readFileSync(join(options.home, ".talaria", "logs", "mcp-stderr.log"), "utf8")).toContain(
    "[broken] something is missing",
  );
  expect(doctor.status).toBe(1);
});
