import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { modelHome, run, server } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";

const fixture = resolve("test/mcp/server-fixture.ts");

/** Names of the tools that a request to the model offers. */
function offered(request: { readonly body: unknown }): readonly string[] {
  const { tools } = request.body as { readonly tools: readonly { readonly function: { readonly name: string } }[] };
  return tools.map((tool) => tool.function.name);
}

const projectFile = (name = "calc"): string =>
  JSON.stringify({
    mcpServers: {
      [name]: { type: "stdio", command: "${NODE_PROGRAM}", args: [`\${CALC_SERVER:-${fixture}}`] },
      lost: { command: "${NOBODY_SETS_THIS}" },
    },
  });

test("servers of a project's .mcp.json are started where its folder is trusted, and nowhere else", async () => {
  const model = await server({ text: "one" }, { text: "two" }, { text: "three" });
  const { words, home, env } = modelHome("chat", model);
  const cwd = join(home, "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, ".mcp.json"), projectFile());
  const options = { home, cwd, env: { ...env, NODE_PROGRAM: process.execPath } };
  expect((await run(["run", ...words, "go"], options)).status).toBe(0);
  const untrusted = await run(["doctor"], options);
  expect(untrusted.stdout).toContain(".mcp.json: its MCP servers are not started: the folder is not trusted");
  expect(untrusted.stdout).toContain("talaria hooks trust");
  expect((await run(["hooks", "trust"], options)).stderr).toBe("");
  expect((await run(["run", ...words, "go"], options)).status).toBe(0);
  expect((await run(["run", "--no-project-hooks", ...words, "go"], options)).status).toBe(0);
  const isThere = model.requests.map((request) => offered(request).includes("mcp_calc_add_up"));
  expect(isThere).toEqual([false, true, false]);
  const trusted = (await run(["doctor"], options)).stdout;
  expect(trusted).toContain("MCP server calc");
  expect(trusted).toContain("the server lost is left out: it names variables that are not set (NOBODY_SETS_THIS)");
});

test("hooks are told whether an MCP tool comes from config.yaml or from the project", async () => {
  const model = await server(
    { calls: ["ours", "theirs"].map((name) => ({ name: `mcp_${name}_add_up`, args: { a: 1, b: 2 } })) },
    { text: "done" },
  );
  const config = `mcp_servers: ${JSON.stringify({ ours: { command: process.execPath, args: [fixture] } })}\n`;
  const { words, home, env } = modelHome("chat", model, config);
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  writeFileSync(join(cwd, ".mcp.json"), projectFile("theirs"));
  const hook = { type: "command", command: "cat >> seen.jsonl" };
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
  await run(["run", "--accept-hooks", ...words, "go"], { home, cwd, env: { ...env, NODE_PROGRAM: process.execPath } });
  const seen = readFileSync(join(cwd, "seen.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  expect(seen.map((line) => JSON.parse(line).mcp_server)).toEqual([
    { name: "ours", source: "config" },
    { name: "theirs", source: "project" },
  ]);
});

test("a change of mcp_servers or .mcp.json counts at the next turn; what has not changed stays connected", async () => {
  const model = await server({ text: "first-answer" }, { text: "second-answer" });
  const config = `mcp_servers: ${JSON.stringify({ kept: { command: process.execPath, args: [fixture] } })}\n`;
  const { home, env } = modelHome("chat", model, config);
  const screen = terminal(["chat", "--accept-hooks"], {
    home,
    cwd: home,
    columns: 100,
    env: { ...env, NODE_PROGRAM: process.execPath },
  });
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("first-answer");
  writeFileSync(join(home, ".mcp.json"), projectFile("late"));
  screen.type("go on\r");
  await screen.sees("second-answer");
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);
  const mcp = model.requests.map((request) => offered(request).filter((name) => name.endsWith("_add_up")));
  expect(mcp).toEqual([["mcp_kept_add_up"], ["mcp_kept_add_up", "mcp_late_add_up"]]);
});
