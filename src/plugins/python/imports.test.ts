import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Shop, shop } from "./python-fixture.ts";
import { pythonHandlers } from "./python-handlers.ts";

/** How long a busy machine may take. */
const patience = { timeout: 30_000 };

let here: Shop;
beforeEach(() => {
  here = shop();
});
afterEach(() => here.close());

const says = (name: string, expression: string): string =>
  `def register(ctx):\n    ctx.register_tool("${name}", "t", {"name": "${name}"}, lambda args: ${expression})\n`;

test("a plugin is a package: relative imports, nested ones and its own files", async () => {
  here.plugin("image_gen/my-own", {
    "__init__.py": `import json, os
if __package__:
    from .src.deep import value
    from . import sibling
else:
    raise SystemExit("not a package")
with open(os.path.join(os.path.dirname(__file__), "data.json")) as file:
    data = json.load(file)
${says("own", '" ".join([__name__, __package__, value, sibling.name, data["x"]])')}`,
    "src/__init__.py": "",
    "src/deep.py": "from ..sibling import name\nvalue = 'deep ' + name\n",
    "sibling.py": "name = 'sibling'\n",
    "data.json": '{"x": "data"}',
  });
  await here.plugins.discover();
  expect(here.errorOf("image_gen/my-own")).toBeUndefined();
  const name = "hermes_plugins.image_gen__my_own";
  expect(await here.tool("own")).toBe(`${name} ${name} deep sibling sibling data`);
});

test("two plugins of one name in two categories do not meet; each is reached as plugins.<name>, too", async () => {
  for (const category of ["tts", "image_gen"])
    here.plugin(`${category}/openai`, {
      "__init__.py": says(category, "__import__('hermes_plugins').__name__ + ' ' + __name__"),
    });
  here.plugin("flat", {
    "__init__.py": `from plugins.flat.inner import x\n${says("flat", "x")}`,
    "inner.py": "x = 'inner'\n",
  });
  await here.plugins.discover();
  expect(await here.tool("tts")).toBe("hermes_plugins hermes_plugins.tts__openai");
  expect(await here.tool("image_gen")).toBe("hermes_plugins hermes_plugins.image_gen__openai");
  expect(await here.tool("flat")).toBe("inner");
});

test("a file beside the plugin's folder is found where it lies", async () => {
  here.plugin(
    "validate",
    `import importlib.util, os
spec = importlib.util.spec_from_file_location("shared_utils", os.path.join(os.path.dirname(__file__), "..", "shared_utils.py"))
shared = importlib.util.module_from_spec(spec)
spec.loader.exec_module(shared)
${says("shared", "shared.x")}`,
  );
  await here.plugins.discover();
  expect(here.errorOf("validate")).toMatch(/No such file or directory: .*shared_utils\.py/);
  writeFileSync(join(here.home, "plugins", "shared_utils.py"), "x = 'shared'\n");
  await here.plugins.enable("validate");
  expect(await here.tool("shared")).toBe("shared");
});

test("a reload runs all modules of the plugin anew, even within one second", async () => {
  const folder = here.plugin("changes", {
    "__init__.py": `from .inner import x\n${says("changes", "x")}`,
    "inner.py": "x = '1'\n",
  });
  await here.plugins.discover();
  expect(await here.tool("changes")).toBe("1");
  for (const next of ["2", "3"]) {
    writeFileSync(join(folder, "inner.py"), `x = '${next}'\n`);
    await here.plugins.reload("changes");
    expect(await here.tool("changes")).toBe(next);
  }
  await here.plugins.unload("changes");
  await expect(here.tool("changes")).rejects.toThrow("no tool changes");
});

describe("what plugins import from the agent", () => {
  test("is there, with the shape that they use", async () => {
    await here.close();
    const written: unknown[] = [];
    here = shop({
      services: {
        "config.read": () => ({ display: { skin: "dark" }, plugins: { enabled: ["x"] } }),
        "config.write": ({ config }) => void written.push(config),
      },
    });
    here.plugin(
      "imports",
      `import json, os
from hermes_constants import get_hermes_home, display_hermes_home
from hermes_cli.config import load_config, save_config, cfg_get, get_env_value, save_env_value, read_raw_config
from agent.secret_scope import get_secret
from hermes_cli.profiles import get_active_profile_name
from tools.registry import registry, tool_error, tool_result
from tools.approval import is_approval_bypass_active, check_dangerous_command
from hermes_cli.plugins import get_plugin_manager, discover_plugins, PluginContext, invoke_hook
from hermes_state import SessionDB
from utils import atomic_json_write
from gateway.platforms.base import BasePlatformAdapter, SendResult, MessageEvent, MessageType
from gateway.config import Platform, PlatformConfig
from gateway.session import SessionSource
from agent.image_gen_provider import ImageGenProvider, resolve_aspect_ratio, success_response
from agent.video_gen_provider import VideoGenProvider
from agent.tts_provider import TTSProvider
from agent.transcription_provider import TranscriptionProvider
from agent.browser_provider import BrowserProvider
from agent.memory_provider import MemoryProvider
from agent.context_engine import ContextEngine
from agent.auxiliary_client import async_call_llm, extract_content_or_reasoning
from agent.redact import redact_sensitive_text
from tools.lazy_deps import ensure
from tools.interrupt import is_interrupted
from tools.url_safety import is_safe_url
from gateway.platforms.helpers import MessageDeduplicator, strip_markdown
from gateway.status import acquire_scoped_lock, release_scoped_lock
from providers import register_provider, list_providers
from providers.base import ProviderProfile
from hermes_cli.cli_output import print_info, prompt_yes_no
from hermes_cli.secret_prompt import masked_secret_prompt
from cron import create_job

def report(args):
    save_env_value("SOME_KEY", "a b#c")
    config = load_config()
    config["display"]["skin"] = "light"
    save_config(config)
    atomic_json_write(get_hermes_home() / "x" / "y.json", {"ä": 1})
    return tool_result(
        home=str(get_hermes_home()), skin=cfg_get(config, "display", "skin"), none=cfg_get(config, "a", "b", default=7),
        secret=get_secret("SOME_KEY"), stored=open(get_hermes_home() / ".env").read(), profile=get_active_profile_name(),
        platform=str(Platform("telegram")), same=Platform("telegram") is Platform.TELEGRAM,
        hooks=list(get_plugin_manager()._hooks), called=invoke_hook("pre_llm_call", session_id="s"),
        event=MessageEvent(text="/new now", source=SessionSource(platform="x")).get_command_args(),
        absent=[hasattr(PluginContext, name) for name in ("get_config", "register_hook")],
        lock=[acquire_scoped_lock("a", "b")[0], acquire_scoped_lock("a", "b")[0]],
        plain=strip_markdown("**a** [b](c)"), redacted=redact_sensitive_text("Bearer abcdefghijklmnop sk-aaaaaaaaaaaaaaaaaaaa"), unsafe=is_safe_url("http://127.0.0.1/"),
        file=json.load(open(get_hermes_home() / "x" / "y.json")),
    )

def register(ctx):
    ctx.register_tool("report", "t", {"name": "report"}, report)
    ctx.register_hook("pre_llm_call", lambda session_id: "context of " + session_id)
`,
      "name: imports\nkind: standalone\n",
    );
    await here.plugins.discover();
    expect(here.errorOf("imports")).toBeUndefined();
    expect(JSON.parse(String(await here.tool("report")))).toEqual({
      home: here.home,
      skin: "light",
      none: 7,
      secret: "a b#c",
      stored: 'SOME_KEY="a b#c"\n',
      profile: "default",
      platform: "telegram",
      same: true,
      hooks: ["pre_llm_call"],
      called: ["context of s"],
      event: "now",
      absent: [false, true],
      lock: [true, true],
      plain: "a b",
      redacted: "Bearer abcd*** sk-a***",
      unsafe: false,
      file: { ä: 1 },
    });
    expect(written).toEqual([{ display: { skin: "light" }, plugins: { enabled: ["x"] } }]);
  });

  test("reaches the model and the tools of the program, on behalf of the plugin", async () => {
    await here.close();
    const asked: unknown[] = [];
    const usage = {
      inputTokens: 1,
      outputTokens: 2,
      totalTokens: 3,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: undefined,
    };
    const audit = { pluginId: "model", purpose: undefined, profile: undefined };
    const answer = { text: "{}", provider: "p", model: "m", agentId: "default", usage, audit };
    here = shop({
      reach: {
        model: ({ key }) => ({
          async complete(messages, options) {
            asked.push([key, messages, options]);
            if (options?.provider !== undefined)
              throw Object.assign(new Error("plugins.entries.model.llm"), { name: "PluginLlmTrustError" });
            return answer;
          },
          completeStructured: async (options) => {
            asked.push(options);
            return { ...answer, parsed: { total: 5 }, contentType: "json" as const };
          },
        }),
        dispatchTool: async ({ key }, name, args) => `${key} ${name} ${JSON.stringify(args)}`,
      },
    });
    here.plugin(
      "model",
      `from agent.plugin_llm import PluginLlmTrustError
async def extract(args):
    result = await ctx_.llm.acomplete_structured(instructions="read", input=[{"type": "image", "data": b"\\x00", "mime_type": "image/png"}], json_schema={"type": "object"}, max_tokens=5)
    return "%s %s %s" % (result.parsed["total"], result.model, result.usage.total_tokens)

def complete(args):
    try:
        return ctx_.llm.complete([{"role": "user", "content": "hi"}], provider=args.get("provider")).text
    except PermissionError as error:
        return "%s: %s" % (type(error).__name__, error)

def register(ctx):
    global ctx_
    ctx_ = ctx
    ctx.register_tool("extract", "t", {"name": "extract"}, extract, is_async=True)
    ctx.register_tool("complete", "t", {"name": "complete"}, complete)
    ctx.register_tool("call", "t", {"name": "call"}, lambda args: ctx.dispatch_tool("terminal", {"command": "ls"}))
    ctx.register_command("receipt", lambda raw: "Usage: /receipt <path>" if not raw else None)
`,
    );
    await here.plugins.discover();
    expect(here.errorOf("model")).toBeUndefined();
    expect(await here.tool("extract")).toBe("5 m 3");
    expect(asked[0]).toEqual({
      instructions: "read",
      input: [{ type: "image", data: "AA==", mimeType: "image/png" }],
      jsonSchema: { type: "object" },
      jsonMode: false,
      maxTokens: 5,
    });
    expect(await here.tool("complete")).toBe("{}");
    expect(await here.tool("complete", { provider: "x" })).toBe("PluginLlmTrustError: plugins.entries.model.llm");
    expect(await here.tool("call")).toBe('model terminal {"command":"ls"}');
    expect(await here.plugins.registry.of("command")[0]?.value.handler("")).toBe("Usage: /receipt <path>");
  });
});

describe("a gateway handler", () => {
  const load = (name: string, code: string) => {
    const folder = join(here.home, "hooks", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "handler.py"), code);
    return pythonHandlers(here.host)({ name, handler: join(folder, "handler.py") });
  };

  test("is a module of its own at the top: it has its file, and no relative imports", async () => {
    const handle = await load(
      "mine",
      "from __future__ import annotations\nimport sys\ndef handle(event_type, context=None):\n    return {'name': __name__, 'here': __name__ in sys.modules, 'file': __file__, 'event': event_type}\n",
    );
    expect(await handle("command:run", {})).toEqual({
      name: "hermes_hook_mine",
      here: true,
      file: join(here.home, "hooks", "mine", "handler.py"),
      event: "command:run",
    });
    await expect(load("relative", "from .x import y\ndef handle(e, c):\n    pass\n")).rejects.toThrow(
      /no known parent package|attempted relative import/,
    );
    await expect(load("none", "x = 1\n")).rejects.toThrow("no 'handle' function found in");
  });

  test("may be asynchronous, and what it starts lives on", async () => {
    const handle = await load(
      "lives",
      "import asyncio\nlog = []\nasync def later():\n    await asyncio.sleep(0.02)\n    log.append('later')\nasync def handle(event_type, context):\n    if event_type == 'agent:start':\n        asyncio.create_task(later())\n    return list(log)\n",
    );
    expect(await handle("agent:start", {})).toEqual([]);
    await expect.poll(async () => handle("agent:end", {}), patience).toEqual(["later"]);
  });

  test("that raises has failed with its own words", async () => {
    const handle = await load(
      "raises",
      "def handle(event_type, context):\n    raise RuntimeError('Task %s blocked' % context['session_id'])\n",
    );
    await expect(handle("agent:start", { session_id: "s1" })).rejects.toThrow(/^Task s1 blocked$/);
  });
});
