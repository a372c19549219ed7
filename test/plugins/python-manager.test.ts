import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { run } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";
import { pluginHome, registering } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ calls: [{ name, args }] });
const tool = (name: string): string =>
  `context.registerTool({ name: "${name}", toolset: "side_tools", schema: { description: "x", parameters: { type: "object" } }, handler: () => "${name} ran" });`;

/** Says what each of the manager's functions answers inside a tool. */
const asking = `import json
from hermes_cli import plugins as all_of
from hermes_cli.commands import resolve_command, COMMAND_REGISTRY

def mine(**kw):
    return {"mine": kw.get("text"), "version": kw.get("telemetry_schema_version")}

async def later(**kw):
    return "later"

def guard(tool_name, session_id, middleware_trace, **kw):
    if tool_name == "terminal":
        return {"action": "block", "message": "python says no"}

def ask(args, **kw):
    live = object()
    told = {
        "hook": [one for one in all_of.invoke_hook("my_event", text="hi", some_thing=1, live=live)],
        "middleware": all_of.invoke_middleware("tool_request", tool_name="t", args={"a": 1}),
        "has": [all_of.has_hook("my_event"), all_of.has_hook("only_typescript"), all_of.has_hook("nobody"),
                all_of.has_middleware("tool_request"), all_of.has_middleware("llm_execution")],
        "blocked": [all_of.get_pre_tool_call_block_message(name, {}) for name in ("terminal", "todo", "read_file")],
        "toolsets": [list(one) for one in all_of.get_plugin_toolsets()],
        "plugins": sorted(one["key"] for one in all_of.get_plugin_manager().list_plugins() if one["source"] == "user"),
        "commands": {name: one["handler"]("word") for name, one in sorted(all_of.get_plugin_commands().items())},
        "alias": [resolve_command("reset").name, resolve_command("greet").name, resolve_command("nothing")],
        "help": next(one.description for one in COMMAND_REGISTRY if one.name == "help"),
        "tasks": [one["key"] for one in all_of.get_plugin_auxiliary_tasks()],
    }
    all_of.set_thread_tool_whitelist({"ask", "todo"}, "only todo, not {tool_name}")
    told["barred"] = all_of.get_pre_tool_call_block_message("side", {})
    told["allowed"] = all_of.get_pre_tool_call_block_message("todo", {})
    return json.dumps(told)

def lift(args, **kw):
    all_of.clear_thread_tool_whitelist()
    return "lifted"

def register(ctx):
    schema = {"description": "x", "parameters": {"type": "object", "properties": {}}}
    ctx.register_tool("ask", "home_assistant", schema, ask)
    ctx.register_hook("my_event", mine)
    ctx.register_hook("my_event", later)
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_command("greet", lambda words: "hello " + words, "Greets")
    ctx.register_auxiliary_task("sorting", display_name="Sorting", description="x")
`;

test("what Python code asks of all plugins counts those in TypeScript, and its whitelist holds for the run", async () => {
  const home = await pluginHome();
  home.plugin("asking", asking, { entry: "__init__.py" });
  home.plugin(
    "other",
    registering(`${tool("side")}
      context.registerHook("my_event", (payload) => ({ theirs: payload.text, someThing: payload.someThing, has: Object.keys(payload).includes("telemetrySchemaVersion") }));
      context.registerHook("my_event", () => { throw new Error("theirs broke"); });
      context.registerHook("only_typescript", () => undefined);
      context.registerHook("pre_tool_call", ({ toolName }) => toolName === "read_file" ? { action: "block", message: "typescript says no" } : undefined);
      context.registerMiddleware("tool_request", ({ args, toolName }) => ({ args: { ...args, toolName } }));
      context.registerCommand({ name: "echo", description: "Echoes", handler: (words) => "echo " + words });
      context.registerAuxiliaryTask({ key: "naming", displayName: "Naming", description: "x" });`),
  );
  home.plugins("enabled: [asking, other]");
  const turn = await home.turn({ steps: [call("ask"), call("side"), call("todo"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(JSON.parse(turn.results[0] ?? "")).toEqual({
    hook: [{ mine: "hi", version: "hermes.observer.v1" }, "later", { theirs: "hi", someThing: 1, has: true }],
    middleware: [{ args: { a: 1, toolName: "t" } }],
    has: [true, true, false, true, false],
    blocked: ["python says no", null, "typescript says no"],
    toolsets: [
      ["home_assistant", "🔌 Home Assistant", "ask"],
      ["side_tools", "🔌 Side Tools", "side"],
    ],
    plugins: ["asking", "other"],
    commands: { echo: "echo word", greet: "hello word" },
    alias: ["new", "greet", null],
    help: "Show the commands.",
    tasks: ["naming", "sorting"],
    barred: "only todo, not side",
    allowed: null,
  });
  expect(turn.results[1]).toContain("only todo, not side");
  expect(turn.results[2]).not.toContain("only todo");
  expect(home.log()).toContain("Hook 'my_event' callback (anonymous) raised: theirs broke");
});

const setup = `from hermes_cli.cli_output import prompt, prompt_yes_no
from hermes_cli.secret_prompt import masked_secret_prompt

def run(arguments):
    name = prompt("Your name", default="nobody")
    secret = masked_secret_prompt("Secret")
    print("%s / %s / %s" % (name, secret, prompt_yes_no("Sure?", default=False)))

def register(ctx):
    ctx.register_cli_command("setup-me", "Sets up", lambda parser: None, run)
`;

test("a command in Python asks the person: line by line from a pipe, at a terminal without showing a secret", async () => {
  const home = await pluginHome();
  home.plugin("asks", setup, { entry: "__init__.py" });
  home.plugins("enabled: [asks]");
  const piped = await run(["setup-me"], { home: home.home, input: "ada\nhush\ny\n" });
  expect(piped.stdout, piped.stderr).toContain("ada / hush / True\n");
  const nobody = await run(["setup-me"], { home: home.home });
  expect(nobody.stdout).toContain("nobody /  / False\n");
  const seen = terminal(["setup-me"], { home: home.home });
  await seen.sees("Your name [nobody]: ");
  seen.type("ada\r");
  await seen.sees("Secret: ");
  seen.type("hush\r");
  await seen.sees("Sure? [y/N]: ");
  expect(seen.text()).not.toContain("hush");
  seen.type("y\r");
  await seen.sees("ada / hush / True");
  expect(await seen.done).toBe(0);
});
