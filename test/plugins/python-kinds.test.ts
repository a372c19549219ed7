import { expect, test } from "vitest";
import { bash, say, writeFile } from "../hooks/hook-fixture.ts";
import { type PluginHome, pluginHome } from "./plugin-fixture.ts";

/** Plugins of our own, each of a kind that people publish for Hermes: what they count on, in the running program. */
const python = { entry: "__init__.py" };
const call = (name: string, args: Readonly<Record<string, unknown>> = {}) => ({ calls: [{ name, args }] });
const schema = (name: string): string => `{"name": "${name}", "description": "x", "parameters": {"type": "object"}}`;

async function having(plugins: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) {
  const home = await pluginHome();
  for (const [name, source] of Object.entries(plugins))
    home.plugin(name, source, { ...python, files, manifest: `name: ${name.split("/").at(-1)}\n` });
  home.plugins(`enabled: [${Object.keys(plugins).join(", ")}]`);
  return home;
}
const well = async (home: PluginHome, options: Parameters<PluginHome["turn"]>[0]) => {
  const turn = await home.turn(options);
  expect(turn.status, turn.stderr).toBe(0);
  return turn;
};

test("a tidier follows what was written and clears it away when the turn ends", async () => {
  const home = await having({
    tidy: `import json
from hermes_constants import get_hermes_home

TRACKED = get_hermes_home() / "tidy" / "tracked.json"

def tracked():
    return json.loads(TRACKED.read_text()) if TRACKED.exists() else []

def note(tool_name, args=None, result=None, task_id="", session_id="", tool_call_id="", **_):
    path = (args or {}).get("path", "")
    if tool_name == "write_file" and path.split("/")[-1].startswith("test_"):
        TRACKED.parent.mkdir(parents=True, exist_ok=True)
        TRACKED.write_text(json.dumps(tracked() + [path]))

def clear(session_id="", completed=None, interrupted=None, **_):
    import os
    for path in tracked():
        if os.path.exists(path):
            os.unlink(path)
    TRACKED.write_text("[]")

def register(ctx):
    ctx.register_hook("post_tool_call", note)
    ctx.register_hook("on_session_end", clear)
    ctx.register_command("tidy", handler=lambda raw: "%d tracked" % len(tracked()), description="Tidies")
`,
  });
  const file = `${home.project}/test_passing.py`;
  await well(home, { steps: [writeFile(file), bash(`ls ${file} && cat ~/.talaria/tidy/tracked.json`), say("done")] });
  expect(home.has("test_passing.py")).toBe(false);
  expect(home.read("~/.talaria/tidy/tracked.json")).toBe("[]");
});

test("a tracer of a nested key hears of requests and does nothing without its package", async () => {
  const home = await having({
    "observability/tracer": `try:
    import langfuse_of_nobody as sdk
except ImportError:
    sdk = None

def on_request(*, task_id, turn_id, api_request_id, session_id, request_messages, model, provider, **_):
    if sdk is None:
        return
    raise RuntimeError("never")

def register(ctx):
    for name in ("pre_api_request", "post_api_request", "pre_llm_call", "post_llm_call", "pre_tool_call", "post_tool_call"):
        ctx.register_hook(name, on_request if name == "pre_api_request" else (lambda **_: None))
`,
  });
  await well(home, { steps: [say("done")] });
  const { stdout } = await home.program("plugins", "list", "--json");
  expect(stdout).toContain('"observability/tracer"');
  expect(home.log()).not.toContain("raised:");
});

test("tools that keep files in the home answer with JSON, errors as well; a package below is imported relatively", async () => {
  const home = await having(
    {
      costs: `import json, os
from .src.budget import save
from agent.secret_scope import get_secret

def check(args, **kw):
    missing = [one for one in ("COSTS_HOST", "COSTS_KEY") if not get_secret(one)]
    if missing:
        return json.dumps({"error": "not configured: missing " + ", ".join(missing)})
    return json.dumps({"status": "ok"})

def register(ctx):
    ctx.register_tool("cost_set", "costs", ${schema("cost_set")}, lambda args, **kw: json.dumps(save(args["daily"])))
    ctx.register_tool("cost_check", "costs", ${schema("cost_check")}, check, requires_env=["COSTS_HOST"])
`,
    },
    {
      "src/__init__.py": "",
      "src/budget.py": `from utils import atomic_json_write
from hermes_constants import get_hermes_home

def save(daily):
    atomic_json_write(get_hermes_home() / "budget.json", {"daily": daily})
    return {"status": "updated", "daily": "$%.2f" % daily}
`,
    },
  );
  const steps = [call("cost_set", { daily: 2.5 }), call("cost_check"), say("done")];
  const turn = await well(home, { steps });
  expect(turn.results.map((result) => JSON.parse(result))).toEqual([
    { status: "updated", daily: "$2.50" },
    { error: "not configured: missing COSTS_HOST, COSTS_KEY" },
  ]);
  expect(JSON.parse(home.read("~/.talaria/budget.json"))).toEqual({ daily: 2.5 });
  home.write("~/.talaria/.env", "COSTS_HOST=h\nCOSTS_KEY=k\n");
  expect((await well(home, { steps: [call("cost_check"), say("done")] })).results).toEqual(['{"status": "ok"}']);
});

test("a plugin that opens a file beside its folder is loaded where it lies; where that is missing only it fails", async () => {
  const beside = `import importlib.util, pathlib
spec = importlib.util.spec_from_file_location("beside", pathlib.Path(__file__).resolve().parent.parent / "beside.py")
beside = importlib.util.module_from_spec(spec)
spec.loader.exec_module(beside)

def register(ctx):
    ctx.register_hook("pre_llm_call", lambda **kw: beside.TEXT)
`;
  const home = await having({
    needs: beside,
    other: 'def register(ctx):\n    ctx.register_hook("pre_llm_call", lambda **kw: "the other is there")\n',
  });
  const alone = await well(home, {});
  expect(alone.sent).toContain("the other is there");
  expect(alone.notices.join("\n")).toMatch(/plugin needs is not loaded: .*No such file or directory: .*beside\.py/);
  home.write("~/.talaria/plugins/beside.py", "TEXT = 'from beside'\n");
  expect((await well(home, {})).sent).toContain("from beside\\n\\nthe other is there");
});

test("a guard blocks secrets in files and commands, adds its policy, and may name hooks that nothing fires", async () => {
  const home = await having(
    {
      guards: `if __package__:
    from .rules import hits
else:
    from rules import hits

def guard(tool_name="", args=None, **_):
    found = [value for value in (args or {}).values() if isinstance(value, str) and hits(value)]
    if found:
        return {"action": "block", "message": "Blocked env-file access via %s: %s" % (tool_name, found[0])}

def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook("pre_llm_call", lambda **_: {"context": "Planning guard policy: out-of-scope issues are logged."})
    ctx.register_hook("pre_verify", lambda **_: {"action": "continue"})
    ctx.register_hook("pre_tool_dispatch", lambda **_: None)
    ctx.register_hook("transform_llm_output", lambda response_text, **_: response_text + " (checked)")
`,
    },
    { "rules.py": "import re\n\ndef hits(text):\n    return re.search(r'(^|[/ ])\\.env(\\.|$)', text) is not None\n" },
  );
  const steps = [call("read_file", { path: "/p/.env" }), bash("cat .env.local"), bash("echo fine"), say("done")];
  const turn = await well(home, { steps });
  expect(turn.results[0]).toContain("Blocked env-file access via read_file: /p/.env");
  expect(turn.results[1]).toContain("Blocked env-file access via terminal: cat .env.local");
  expect(turn.results[2]).toContain("fine");
  expect(turn.sent).toContain("Planning guard policy");
  expect(turn.stdout).toContain("done (checked)");
  expect(home.log()).toContain("there is no hook 'pre_tool_dispatch'");
});

test("what a newer host has and this one has not is an AttributeError that costs the callback only", async () => {
  const home = await having({
    dashes: `def register(ctx):
    probes = [hasattr(ctx, name) for name in ("register_hook", "get_config", "spawn_task", "register_dashboard_plugin")]
    if probes != [True, False, False, False]:
        raise RuntimeError(probes)
    def normalize(response_text, **_):
        return response_text.replace("—", ctx.get_config("dash", "-"))
    ctx.register_hook("transform_llm_output", normalize)
`,
    "wrong-call": 'def register(ctx):\n    ctx.register_tool("only_a_name")\n',
  });
  const turn = await well(home, { steps: [say("a — b")] });
  expect(turn.stdout).toContain("a — b");
  expect(home.log()).toMatch(/Hook 'transform_llm_output' callback \S+ raised: .*no attribute 'get_config'/);
  expect(turn.notices.join("\n")).toMatch(/plugin wrong-call is not loaded: .*missing 3 required positional arguments/);
});

test("a command asks the model for structured data, over the program's own model", async () => {
  const home = await having({
    receipts: `import json
from pathlib import Path

SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}

def register(ctx):
    def extract(args, **kw):
        if not args.get("path"):
            return "Usage: <path-to-receipt>"
        path = Path(args["path"]).expanduser()
        if not path.exists():
            return "File not found: %s" % path
        result = ctx.llm.complete_structured(
            instructions="Extract the receipt.", input=[{"type": "text", "text": path.read_text()}],
            json_schema=SCHEMA, schema_name="receipt", purpose="receipts", temperature=0.0, max_tokens=512,
        )
        return json.dumps({"parsed": result.parsed, "model": result.model, "tokens": result.usage.total_tokens > 0})

    async def summarize(args, **kw):
        result = await ctx.llm.acomplete([{"role": "user", "content": args["text"]}])
        return result.text

    ctx.register_tool("extract", "receipts", ${schema("extract")}, extract)
    ctx.register_tool("summarize", "receipts", ${schema("summarize")}, summarize, is_async=True)
`,
  });
  home.write("receipt.txt", "milk 2.50");
  const steps = [
    call("extract"),
    call("extract", { path: "/nonexistent" }),
    call("extract", { path: `${home.project}/receipt.txt` }),
    say('{"total": 2.5}'),
    call("summarize", { text: "long" }),
    say("short"),
    say("done"),
  ];
  const { results } = await well(home, { steps });
  expect(results[0]).toContain("Usage: <path-to-receipt>");
  expect(results[1]).toContain("File not found: /nonexistent");
  expect(JSON.parse(results[2] ?? "")).toEqual({ parsed: { total: 2.5 }, model: "test-model", tokens: true });
  expect(results[3]).toContain("short");
});

test("a pruner shortens what the model is sent, a syncer changes how hard it thinks, a reviewer may not write", async () => {
  const home = await having({
    pruner: `def prune(request, api_mode="", **kw):
    messages = [dict(one) for one in request["messages"]]
    for one in messages:
        if one["role"] == "tool" and len(str(one["content"])) > 100:
            one["content"] = "[pruned]"
    return {"request": {**request, "messages": messages}, "source": "pruner"}

def register(ctx):
    ctx.register_middleware("llm_request", prune)
`,
    reasoning: `def sync(request, provider="", base_url="", **kw):
    request["reasoning_effort"] = "high"

def register(ctx):
    ctx.register_middleware("llm_request", sync)
`,
    reviewer: `from hermes_cli.profiles import get_active_profile_name

def register(ctx):
    def readonly(tool_name, **kw):
        if get_active_profile_name() == "default" and tool_name in {"write_file", "patch"}:
            return {"action": "block", "message": "reviewers only read"}
    ctx.register_hook("pre_tool_call", readonly)
`,
  });
  const long = `seq 1 200 | tr '\\n' ' '`;
  const turn = await well(home, { steps: [bash(long), writeFile("x"), say("done")] });
  const requests = home.server.requests.map(({ text }) => text);
  expect(requests[1]).toContain("[pruned]");
  expect(requests[0]).toContain('"reasoning_effort":"high"');
  expect(turn.results[1]).toContain("reviewers only read");
});

test("one that walks the frames of the agent is refused with its reason, and harms nobody", async () => {
  const home = await having({
    router: `import sys

def route(session_id, user_message, conversation_history, is_first_turn, model, platform, **kw):
    frame = sys._getframe()
    while frame:
        for value in frame.f_locals.values():
            if hasattr(value, "switch_model"):
                value.model = "other"
        frame = frame.f_back

def register(ctx):
    ctx.register_hook("pre_llm_call", route)
`,
  });
  const turn = await well(home, {});
  expect(turn.notices.join("\n")).toMatch(/plugin router is not loaded: .*walks the caller's frames/);
});

test("one plugin brings a tool, a slash command, a command of the command line and a skill", async () => {
  const home = await having(
    {
      evals: `from pathlib import Path

def setup(parser):
    sub = parser.add_subparsers(dest="what")
    sub.add_parser("show").add_argument("--format", choices=["text", "json"], default="text")

def run(args):
    print("shown as %s" % args.format if args.what == "show" else "nothing to do")

def register(ctx):
    ctx.register_tool("eval_run", "evals", ${schema("eval_run")}, lambda args, **kw: "ran")
    ctx.register_command("evals", handler=lambda raw: "help: /evals run", description="Evals", args_hint="<run>")
    ctx.register_cli_command("evals", help="Evals", setup_fn=setup, handler_fn=run)
    ctx.register_skill("how-to", Path(__file__).parent / "skills" / "how-to" / "SKILL.md", "How to")
`,
    },
    { "skills/how-to/SKILL.md": "---\nname: how-to\ndescription: How to\n---\n# How to evaluate\n" },
  );
  const turn = await well(home, {
    steps: [call("eval_run"), call("skill_view", { name: "evals:how-to" }), say("done")],
  });
  expect(turn.results[0]).toContain("ran");
  expect(turn.results[1]).toContain("How to evaluate");
  expect((await home.program("evals", "show", "--format", "json")).stdout).toBe("shown as json\n");
});

test("platforms and search providers are in the registries that other plugins read", async () => {
  const home = await having({
    backends: `from agent.web_search_provider import WebSearchProvider
from gateway.config import Platform, PlatformConfig
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, MessageType, SendResult

class Search(WebSearchProvider):
    name = "mine"
    display_name = "Mine"
    def is_available(self):
        return True
    def supports_search(self):
        return True
    def search(self, query, limit=5):
        return {"success": True, "data": {"web": [{"title": "T", "url": "https://example.com", "description": query}]}}

class Chat(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("mychat"))
    async def connect(self):
        return True
    async def disconnect(self):
        pass
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        return SendResult(success=True, message_id="1")
    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}

def look(args, **kw):
    from gateway.platform_registry import platform_registry
    from agent.web_search_registry import _providers
    return {"label": platform_registry.get("mychat").label, "providers": sorted(_providers)}

def register(ctx):
    ctx.register_web_search_provider(Search())
    ctx.register_platform(name="mychat", label="My Chat", adapter_factory=Chat, check_fn=lambda: True)
    ctx.register_tool("look", "look", ${schema("look")}, look)
`,
  });
  home.write("~/.talaria/config.yaml", `${home.read("~/.talaria/config.yaml")}web:\n  search_backend: mine\n`);
  const turn = await well(home, { steps: [call("look"), call("web_search", { query: "tea" }), say("done")] });
  expect(JSON.parse(turn.results[0] ?? "")).toEqual({ label: "My Chat", providers: ["mine"] });
  expect(turn.results[1]).toContain("tea");
});
