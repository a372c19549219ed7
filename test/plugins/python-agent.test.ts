import { expect, test } from "vitest";
import { bash, say } from "../hooks/hook-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";

const source = `import json
from hermes_cli.dashboard_auth import DashboardAuthProvider
from model_tools import handle_function_call

def talk(args, session_id="", **kw):
    from run_agent import AIAgent
    from gateway.run import _resolve_gateway_model
    from gateway.session import SessionStore

    agent = AIAgent(model=_resolve_gateway_model(), quiet_mode=True, max_iterations=5)
    before = [{"role": "system", "content": "kept out"}, {"role": "user", "content": "my name is Ada"},
              {"role": "assistant", "content": "Hello Ada"}]
    first = agent.run_conversation("who am I?", conversation_history=before)
    session = agent.session_id
    second = agent.run_conversation("and again?", conversation_history=first["messages"])
    same = agent.session_id == session
    fresh = agent.run_conversation("from the start", conversation_history=[{"role": "user", "content": "other"}])
    store = SessionStore()
    store.append_to_transcript(session, {"role": "user", "content": "overheard"})
    return {
        "said": [one["final_response"] for one in (first, second, fresh)],
        "roles": [one["role"] for one in second["messages"]],
        "same": same,
        "other": agent.session_id != session,
        "last": store.load_transcript(session)[-1],
        "tool": json.loads(handle_function_call("terminal", {"command": "echo called"}))["output"],
    }

def refused(args, **kw):
    from gateway.run import runner
    return runner().adapters.get("telegram") is None

def register(ctx):
    schema = {"description": "x", "parameters": {"type": "object"}}
    ctx.register_tool("talk", "talk", schema, talk)
    ctx.register_tool("refused", "talk", schema, refused)
    ctx.register_dashboard_auth_provider(DashboardAuthProvider())
`;

test("code in Python goes on with a conversation that it hands over, and adds to what is stored", async () => {
  const home = await pluginHome();
  home.plugin("talks", source, { entry: "__init__.py" });
  home.plugins("enabled: [talks]");
  const tool = (name: string) => ({ calls: [{ name, args: {} }] });
  const steps = [
    tool("talk"),
    say("You are Ada."),
    bash("true"),
    say("Still Ada."),
    say("Who?"),
    tool("refused"),
    say("done"),
  ];
  const turn = await home.turn({ steps });
  expect(turn.status, turn.stderr).toBe(0);
  expect(JSON.parse(turn.results[1] ?? "")).toEqual({
    said: ["You are Ada.", "Still Ada.", "Who?"],
    roles: ["user", "assistant", "user", "assistant", "user", "assistant", "tool", "assistant"],
    same: true,
    other: true,
    last: { role: "user", content: "overheard" },
    tool: "called",
  });
  expect(turn.results[2]).toContain("true");
  const asked = home.server.requests.map(({ text }) => text);
  expect(asked[1]).toContain("my name is Ada");
  expect(asked[1]).not.toContain("kept out");
  expect(asked[4]).toContain('"content":"other"');
  expect(asked[4]).not.toContain("Ada");
});

const asynchronous = `from hermes_cli.config import load_config
from hermes_cli.plugins import has_hook, invoke_hook

async def recall(**kw):
    try:
        invoke_hook("from_typescript")
        answered = "it answered"
    except RuntimeError as error:
        answered = str(error)
    return {"context": "%s, %s, %s" % (load_config()["plugins"]["enabled"], has_hook("pre_llm_call"), answered)}

async def register(ctx):
    ctx.register_hook("pre_llm_call", recall)
`;

test("asynchronous code registers, reads the configuration, and is told what it cannot wait for", async () => {
  const home = await pluginHome();
  home.plugin("later", asynchronous, { entry: "__init__.py" });
  home.plugin("other", `export const register = (context) => context.registerHook("from_typescript", () => 1);`);
  home.plugins("enabled: [later, other]");
  const turn = await home.turn();
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.notices).toEqual([]);
  expect(turn.sent).toContain("['later', 'other'], True, ");
  expect(home.log()).toContain("plugins.callBack waits for Talaria and would stop every asynchronous handler");
});
