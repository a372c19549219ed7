import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type EventName, encodePython, named } from "#kernel";
import { bash, say } from "../hooks/hook-fixture.ts";
import { terminal } from "../terminal-fixture.ts";
import { pluginHome, registering } from "./plugin-fixture.ts";

const ids = "task_id session_id turn_id api_request_id ";
const call = `tool_name args tool_call_id ${ids}`;
const attempt = `${ids} platform model provider base_url api_mode api_call_count `;
const approval = "command description pattern_key pattern_keys session_key surface turn_id tool_call_id ";

/** What a plugin may name as parameters without a default (docs/reference/events.md), of every hook that is no gateway's. */
const documented: Readonly<Record<string, string>> = {
  pre_tool_call: `${call} arguments middleware_trace`,
  post_tool_call: `${call} arguments result duration_ms status error_type error_message middleware_trace`,
  transform_terminal_output: "command output returncode exit_code task_id env_type cwd",
  transform_tool_result: `${call} arguments result duration_ms status error_type error_message`,
  transform_llm_output: "response_text session_id model platform",
  pre_llm_call: "session_id task_id turn_id user_message conversation_history is_first_turn model platform sender_id",
  post_llm_call: "session_id task_id turn_id user_message assistant_response conversation_history model platform",
  pre_api_request: `${attempt} user_message conversation_history request_messages message_count tool_count
    approx_input_tokens request_char_count max_tokens started_at middleware_trace request`,
  post_api_request: `${attempt} api_duration started_at ended_at finish_reason message_count response_model response
    usage assistant_message assistant_content_chars assistant_tool_call_count`,
  api_request_error: `${attempt} api_duration started_at ended_at status_code retry_count max_retries retryable reason
    error request`,
  on_session_start: "session_id model platform",
  on_session_end: "session_id task_id turn_id completed interrupted model platform",
  on_session_finalize: "session_id platform reason",
  on_session_reset: "session_id platform reason",
  subagent_start: `parent_session_id parent_turn_id parent_subagent_id child_session_id child_subagent_id child_role
    child_goal`,
  subagent_stop: `parent_session_id parent_turn_id child_session_id child_role child_summary child_status duration_ms`,
  pre_approval_request: approval,
  post_approval_response: `${approval} choice`,
};
const hooks = Object.keys(documented);

const inPython = `import json
from hermes_constants import get_hermes_home

def hearing(name):
    def heard(**kw):
        with open(get_hermes_home() / "python.jsonl", "a") as file:
            file.write(json.dumps({"hook": name, "keys": sorted(kw)}) + "\\n")
    return heard

def register(ctx):
    for name in ${JSON.stringify(hooks)}:
        ctx.register_hook(name, hearing(name))
`;
const inTypescript = `import { appendFileSync } from "node:fs";
${registering(`for (const hook of ${JSON.stringify(hooks)})
  context.registerHook(hook, (payload) => {
    const told = Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, value === undefined ? null : value]));
    appendFileSync(context.home + "/typescript.jsonl", JSON.stringify({ hook, payload: told }) + "\\n");
  });`)}`;

const lines = <T>(text: string): readonly T[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

test("every hook is told all that is documented, to a plugin in Python as to one in TypeScript", async () => {
  const home = await pluginHome();
  home.plugin("listens", inPython, { entry: "__init__.py" });
  home.plugin("watches", inTypescript);
  home.plugins("enabled: [listens, watches]");
  const config = home.read("~/.talaria/config.yaml");
  home.write("~/.talaria/config.yaml", config.replace('mode: "off"', "destructive_slash_confirm: false"));
  mkdirSync(join(home.project, "old"));
  home.server.push(
    bash("rm -rf old"),
    { calls: [{ name: "delegate_task", args: { goal: "look around" } }] },
    say("the child has looked"),
    say("all is done"),
    { fault: { kind: "status", status: 400, message: "no" } },
  );
  const screen = terminal([], { home: home.home, cwd: home.project });
  await screen.sees("› ");
  screen.type("go\r");
  await screen.sees("allow? ");
  screen.type("o\r");
  await screen.sees("all is done");
  await screen.sees("› ");
  screen.type("/new\r");
  await screen.sees(/this is \S+/);
  screen.type("again\r");
  await screen.sees("400");
  await screen.sees("› ");
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);

  const python = lines<{ hook: string; keys: readonly string[] }>(home.read("~/.talaria/python.jsonl"));
  const typescript = lines<{ hook: EventName; payload: object }>(home.read("~/.talaria/typescript.jsonl"));
  expect([...new Set(python.map(({ hook }) => hook))].sort()).toEqual([...hooks].sort());
  expect(python.map(({ hook }) => hook)).toEqual(typescript.map(({ hook }) => hook));
  for (const [index, { hook, keys }] of python.entries()) {
    const wanted = (documented[hook] ?? "").split(/\s+/).filter((key) => key !== "");
    expect(keys, hook).toEqual(expect.arrayContaining([...wanted, "telemetry_schema_version"]));
    const { payload } = typescript[index] as { payload: Readonly<Record<string, unknown>> };
    expect(payload, hook).toMatchObject({ telemetrySchemaVersion: "hermes.observer.v1" });
    const row = named("python", hook);
    if (row === undefined) throw new Error(`no row of ${hook}`);
    expect(Object.keys(encodePython({ ...row, payload })).sort(), hook).toEqual(keys);
  }
});
