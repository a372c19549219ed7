import { expect, test } from "vitest";
import { bash, say } from "../hooks/hook-fixture.ts";
import { type PluginHome, pluginHome } from "./plugin-fixture.ts";

/** What the program tells a memory and a context engine that are written in Python. */
const python = { entry: "__init__.py" };
const noting = `import json
from hermes_constants import get_hermes_home

def note(*value):
    with open(get_hermes_home() / "notes", "a") as file:
        file.write(json.dumps(value) + "\\n")
`;
const notes = (home: PluginHome): readonly unknown[] =>
  home
    .read("~/.talaria/notes")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
const configured = (home: PluginHome, yaml: string): void => {
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}${yaml}`);
};

const memory = `${noting}
from agent.memory_provider import MemoryProvider

class Attic(MemoryProvider):
    name = "attic"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs):
        self.session = session_id
        note("begin", kwargs["agent_context"], kwargs["user_id"], kwargs["platform"], kwargs["hermes_home"] == str(get_hermes_home()))
    def get_tool_schemas(self): return []
    def on_turn_start(self, turn_number, message, **kwargs): note("turn", turn_number, message, sorted(kwargs))
    def queue_prefetch(self, query, *, session_id=""): note("queue", query, session_id == self.session)
    def sync_turn(self, user, assistant, *, session_id=""): note("sync", user, assistant, session_id == self.session)
    def on_session_end(self, messages): note("end", [one["content"] for one in messages if one["role"] == "user"], messages[-1])
    def on_delegation(self, task, result, *, child_session_id="", **kwargs): note("delegated", task, result, child_session_id != "")

def register(ctx):
    ctx.register_memory_provider(Attic())
`;

test("a memory in Python hears of turns, of what may be asked next and of sub-agents", async () => {
  const home = await pluginHome();
  home.plugin("attic", memory, { ...python, manifest: "name: attic\nkind: exclusive\n" });
  configured(home, "memory:\n  provider: attic\n");
  const delegate = { calls: [{ name: "delegate_task", args: { goal: "look" } }] };
  const turn = await home.turn({ steps: [delegate, say("looked"), say("done")], prompt: "where is the lamp?" });
  expect(turn.status, turn.stderr).toBe(0);
  expect(notes(home)).toEqual([
    ["begin", "primary", "", "run", true],
    ["turn", 1, "where is the lamp?", ["session_id"]],
    ["delegated", "look", "looked", true],
    ["sync", "where is the lamp?", "done", true],
    ["queue", "where is the lamp?", true],
    ["end", ["where is the lamp?"], { role: "assistant", content: "done" }],
  ]);
  expect(home.log()).not.toContain("failed");
});

const engine = `${noting}
from agent.context_engine import ContextEngine

class Sieve(ContextEngine):
    name = "sieve"
    def update_model(self, model, context_length, base_url, api_key, provider):
        note("model", model, context_length > 0, base_url.startswith("http"), api_key, provider)
    def update_from_response(self, usage): note("usage")
    def should_compress(self, prompt_tokens=None): return False
    def compress(self, messages, current_tokens=None): return messages

def register(ctx):
    ctx.register_context_engine(Sieve())
`;

test("a context engine in Python is told of the model, without its key", async () => {
  const home = await pluginHome();
  home.plugin("sieve", engine, python);
  home.plugins("enabled: [sieve]");
  configured(home, "context:\n  engine: sieve\n");
  const turn = await home.turn({ steps: [say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(notes(home)).toEqual([["model", "test-model", true, true, "", "custom"], ["usage"]]);
});

const memoryOfAll = `${noting}
from agent.memory_provider import MemoryProvider

class Chest(MemoryProvider):
    name = "chest"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None): note([one["role"] for one in messages])

def register(ctx):
    ctx.register_memory_provider(Chest())
`;

test("a memory in Python that asks for the messages of a turn is given the conversation", async () => {
  const home = await pluginHome();
  home.plugin("chest", memoryOfAll, { ...python, manifest: "name: chest\nkind: exclusive\n" });
  configured(home, "memory:\n  provider: chest\n");
  await home.turn({ steps: [bash("echo hi"), say("done")] });
  expect(notes(home)).toEqual([[["user", "assistant", "tool", "assistant"]]]);
});

const engineWithTools = `${noting}
from agent.context_engine import ContextEngine

class Comb(ContextEngine):
    name = "comb"
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return False
    def compress(self, messages, current_tokens=None): return messages
    def get_tool_schemas(self): return [{"name": "comb_find", "description": "Finds.", "parameters": {"type": "object", "properties": {}}}]
    def handle_tool_call(self, name, args, **kwargs): return {"tool": name, "share": float("nan")}

def register(ctx):
    ctx.register_context_engine(Comb())
`;

test("the tools of a context engine in Python are offered and called, and what is no number is null", async () => {
  const home = await pluginHome();
  home.plugin("comb", engineWithTools, python);
  home.plugins("enabled: [comb]");
  configured(home, "context:\n  engine: comb\n");
  const turn = await home.turn({ steps: [{ calls: [{ name: "comb_find", args: {} }] }, say("done")] });
  expect(turn.results).toEqual(['{"tool": "comb_find", "share": null}']);
});

const tracer = `${noting}
def answered(*, finish_reason, usage, assistant_message, response, **kwargs):
    calls = assistant_message.tool_calls or []
    told = [[one.id != "", one.name, one.function.name, json.loads(one.function.arguments)] for one in calls]
    note(finish_reason, response["finish_reason"], usage["input_tokens"], usage["output_tokens"], assistant_message.content, told)

def register(ctx):
    ctx.register_hook("post_api_request", answered)
`;

test("a tracer in Python reads the model's answer as an object, its reason and its tokens by their usual names", async () => {
  const home = await pluginHome();
  home.plugin("tracer", tracer, python);
  home.plugins("enabled: [tracer]");
  const turn = await home.turn({ steps: [bash("echo hi"), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(notes(home)).toEqual([
    ["tool_calls", "tool_calls", 10, 5, "", [[true, "terminal", "terminal", { command: "echo hi" }]]],
    ["stop", "stop", 10, 5, "done", []],
  ]);
});
