import { expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ name, args }] });

test("a plugin in Python gives the model a tool, and has its hooks and middleware fire", async () => {
  const home = await pluginHome();
  home.plugin(
    "weather",
    `import json
def weather(args, **kw):
    return json.dumps({"city": args["city"], "sky": "clear"})

def note(text):
    from hermes_constants import get_hermes_home
    with open(get_hermes_home() / "notes", "a") as file:
        file.write(text + "\\n")

def wrap(next_call, **kw):
    return json.dumps({"wrapped": json.loads(next_call())})

def loud(next_call, **kw):
    answer = next_call()
    if answer.choices[0].message.content:
        answer.choices[0].message.content += "!"
    return answer

def register(ctx):
    print("the weather is loaded")
    ctx.register_tool("weather", "weather", {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}, weather)
    ctx.register_hook("pre_llm_call", lambda **kw: {"context": "the sun is up"})
    ctx.register_hook("pre_tool_call", lambda tool_name, **kw: note("judged " + tool_name))
    ctx.register_hook("post_tool_call", lambda tool_name, status, **kw: note("done %s %s" % (tool_name, status)))
    ctx.register_middleware("tool_request", lambda args, **kw: {"args": {**args, "city": "Rome"}})
    ctx.register_middleware("tool_execution", wrap)
    ctx.register_middleware("llm_request", lambda request, **kw: {"request": {**request, "temperature": 0.25}})
    ctx.register_middleware("llm_execution", loud)
`,
    { entry: "__init__.py" },
  );
  home.plugins("enabled: [weather]");
  const turn = await home.turn({ steps: [call("weather", { city: "Oslo" }), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results).toEqual(['{"wrapped": {"city": "Rome", "sky": "clear"}}']);
  expect(turn.sent).toContain("the sun is up");
  expect(turn.sent).toContain('"temperature":0.25');
  expect(turn.stdout).toContain("done!");
  expect(turn.stderr + turn.stdout).toContain("the weather is loaded");
  expect(home.read("~/.talaria/notes")).toBe("judged weather\ndone weather ok\n");
});

test("a Python plugin that cannot be loaded, or ends its process, stops nobody", async () => {
  const home = await pluginHome();
  home.plugin("broken", "import nobody_has_this\n", { entry: "__init__.py" });
  home.plugin(
    "fatal",
    "import os\ndef register(ctx):\n    ctx.register_hook('pre_llm_call', lambda **kw: os._exit(3))\n",
    {
      entry: "__init__.py",
    },
  );
  home.plugins("enabled: [broken, fatal]");
  const turn = await home.turn({ steps: [say("still here")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.stdout).toContain("still here");
  expect(home.log()).toContain("No module named 'nobody_has_this'; install it for this interpreter");
  expect(home.log()).toContain("the Python host ended with exit code 3");
});

test("a command of a Python plugin reads its words with argparse, prints as it wrote, and gives its status", async () => {
  const home = await pluginHome();
  home.plugin(
    "greet",
    `def setup(parser):
    parser.add_argument("who")

def run(arguments):
    print("hello", arguments.who, end="")
    print("!")
    return 3

def register(ctx):
    ctx.register_cli_command("greet", "Greets somebody", setup, run)
`,
    { entry: "__init__.py" },
  );
  home.plugins("enabled: [greet]");
  expect(await home.program("greet", "ada")).toMatchObject({ status: 3, stdout: "hello ada!\n" });
  const wrong = await home.program("greet");
  expect([wrong.status, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toContain("the following arguments are required: who");
  expect((await home.program("--help")).stdout).toContain("Greets somebody");
});
