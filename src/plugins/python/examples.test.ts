import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventName } from "#kernel";
import { type Shop, shop } from "./python-fixture.ts";
import { pythonHandlers } from "./python-handlers.ts";

/** How long a busy machine may take. */
const patience = { timeout: 30_000 };

/** The Python examples of the documents that this plugin system follows, as they stand there. */
const example = (name: string): string => readFileSync(new URL(`./examples/${name}.py`, import.meta.url), "utf8");

const ran: Record<string, unknown>[] = [];
let here: Shop;
beforeAll(async () => {
  here = shop({
    services: {
      "model.route": () => ({ model: "big", provider: "p", baseUrl: "https://m.test/v1", apiMode: "chat_completions" }),
      "agent.run": (values) => {
        ran.push(values);
        return { final_response: "All is well.", completed: true };
      },
      "gateway.platforms": () => ["telegram"],
    },
    environment: { ...process.env, SPONGEBOB_MODE: "on" },
  });
  for (const name of plugins) here.plugin(name, example(name));
  // What it presumes, it is given: the module itself stays as it is.
  here.plugin("deny", {
    "__init__.py": `import builtins\nbuiltins._is_approved_user = lambda user: user == "7"\n${example("deny_unauthorized_dms")}`,
  });
  here.plugin("gather", {
    "__init__.py": `import builtins\nbuiltins._bot_mentioned = lambda text: "@bot" in text\n${example("buffer_or_rewrite")}`,
  });
  here.plugin(
    "my-plugin",
    `def register(ctx):
    ctx.register_tool(
        name="my_custom_tool",
        toolset="hermes-cli",
        schema={
            "type": "function",
            "function": {
                "name": "my_custom_tool",
                "description": "A custom tool from my plugin",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "message": {"type": "string"}
                    },
                    "required": ["message"]
                }
            }
        },
        handler=lambda args: f"Echo: {args['message']}",
    )
    ctx.register_hook("pre_tool_call", lambda **kw: None)
    ctx.register_hook("post_llm_call", lambda **kw: None)
    ctx.register_command(
        name="mycmd",
        handler=lambda raw_args: f"Got: {raw_args}",
        description="My custom command",
    )
`,
  );
  await here.plugins.discover();
});
afterAll(() => here.close());

const plugins = [
  "audit_tool_call",
  "warn_dangerous",
  "track_metrics",
  "guardrails",
  "log_response_length",
  "init_session",
  "cleanup_session",
  "session_duration",
  "log_subagent",
  "notify_approval",
  "log_decision",
  "redact_secrets",
  "summarize_find",
  "spongebob",
];

test.each([...plugins, "deny", "gather", "my-plugin"])("%s is loaded", (name) => {
  expect(here.errorOf(name)).toBeUndefined();
});

test.each<[EventName, Record<string, unknown>, Record<string, unknown>]>([
  ["pre_llm_call", {}, { context: ["Never execute commands that delete files without explicit user confirmation."] }],
  ["transform_tool_result", { result: `key sk-${"a".repeat(40)}.` }, { result: "key [REDACTED]." }],
  ["transform_tool_result", { result: "nothing" }, {}],
  ["transform_llm_output", { responseText: "Hi!" }, { text: "Hi!! Tartar sauce!" }],
  ["transform_terminal_output", { command: "ls", output: "x\n".repeat(60_000) }, {}],
  ["on_session_start", {}, {}],
  ["post_tool_call", { result: '{"error": "x"}' }, {}],
  ["post_approval_response", {}, {}],
])("%s is answered as the example says", async (event, payload, expected) => {
  const answer = await here.fire(event, payload);
  if ("text" in expected) expect(Object.values(answer)).toEqual(Object.values(expected));
  else expect(answer).toEqual(expected);
});

test("a long listing becomes a summary", async () => {
  const { output } = await here.fire("transform_terminal_output", { command: "find /", output: "/x\n".repeat(20_000) });
  expect(output).toMatch(/^\/x\n[\s\S]*\n\n\[summary: 20000 paths total, showing first 40\]$/);
});

test("what is logged keeps name and level, what is printed is told apart", async () => {
  await here.fire("pre_tool_call", { toolName: "terminal", args: { command: "ls" }, taskId: "t9" });
  await here.fire("subagent_stop", { parentSessionId: "p1", childStatus: "completed" });
  await expect.poll(() => here.printed, patience).toContain("⚠ Executing potentially dangerous tool: terminal");
  expect(here.logged).toContainEqual(
    'info hermes_plugins.audit_tool_call: TOOL_CALL session=t9 tool=terminal args={"command": "ls"}',
  );
  expect(here.logged.join("\n")).toMatch(/info hermes_plugins\.log_subagent: SUBAGENT parent=p1 .* status=completed/);
});

describe("a chat message on its way in", () => {
  const event = (text: string, source: object): Record<string, unknown> => ({
    event: { text, source, messageId: "1", internal: false },
  });
  test("has attributes, and is dropped for strangers", async () => {
    const fire = (user: string) =>
      here.fire(
        "pre_gateway_dispatch",
        event("hi @bot", { platform: "telegram", chat_id: "c", chat_type: "dm", user_id: user }),
      );
    expect(await fire("9")).toEqual({ dispatch: { action: "skip", reason: "unauthorized-dm" } });
  });
  test("is gathered until the bot is named", async () => {
    const group = { platform: "telegram", chat_id: "g", chat_type: "group", user_id: "9" };
    expect(await here.fire("pre_gateway_dispatch", event("one", group))).toEqual({
      dispatch: { action: "skip", reason: "ambient-buffered" },
    });
    expect(await here.fire("pre_gateway_dispatch", event("@bot two", group))).toEqual({
      dispatch: { action: "rewrite", text: "one\n@bot two" },
    });
  });
});

describe("gateway handlers", () => {
  const load = async (name: string, code = example(`handler_${name}`)) => {
    const folder = join(here.home, "hooks", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "handler.py"), code);
    return pythonHandlers(here.host)({ name, handler: join(folder, "handler.py") });
  };
  /** The examples write below ~/.hermes: for them the user's home is a folder of the test. */
  const atHome = (code: string): string =>
    code.replace(
      /^(from pathlib import Path)$/m,
      `$1\nPath.home = classmethod(lambda cls: cls(${JSON.stringify(here.home)}))`,
    );

  test("an activity log and a command log are written", async () => {
    const activity = await load("activity", atHome(example("handler_activity")));
    mkdirSync(join(here.home, ".hermes", "hooks", "my-hook"), { recursive: true });
    await activity("agent:start", { platform: "cli", message: "hi" });
    const line = readFileSync(join(here.home, ".hermes", "hooks", "my-hook", "activity.log"), "utf8");
    expect(JSON.parse(line)).toMatchObject({ event: "agent:start", message: "hi" });
    const commands = await load("command-logger", atHome(example("handler_command_logger")));
    await commands("command:reset", { command: "reset", args: "", platform: "cli", user_id: "7" });
    const log = readFileSync(join(here.home, ".hermes", "logs", "command_usage.jsonl"), "utf8");
    expect(JSON.parse(log)).toMatchObject({ command: "reset", user: "7" });
  });

  test("the checklist of BOOT.md is run by an agent in a thread that lives on", async () => {
    const handle = await load("boot-md", atHome(example("handler_boot_md")));
    mkdirSync(join(here.home, ".hermes"), { recursive: true });
    writeFileSync(join(here.home, ".hermes", "BOOT.md"), "# Startup Checklist\n");
    expect(await handle("gateway:startup", { platforms: [] })).toBeUndefined();
    await expect
      .poll(() => here.logged.join("\n"), patience)
      .toContain("info hooks.boot-md: boot-md completed: All is well.");
    expect(ran[0]).toMatchObject({
      model: "big",
      provider: "p",
      platform: "gateway",
      maxIterations: 20,
      skipMemory: true,
    });
  });

  test("a missing module is named, with the way to install it", async () => {
    const code = example("handler_session_webhook").replace("import httpx", "import httpx_that_nobody_has");
    await expect(load("webhook", code)).rejects.toThrow(
      /No module named 'httpx_that_nobody_has'; install it .* -m pip install httpx_that_nobody_has/,
    );
  });
});
