import { describe, expect, test } from "vitest";
import * as zod from "zod";
import { type AnyView, eventNames, named, namesOf, rows, snakeCase, viewsOf } from "./codec/question.ts";
import type { EventName } from "./lifecycle.ts";

// The lists below are what the documentation of the three systems names, written down by hand: the table must
// have all of it and nothing else.

const ids = "task_id turn_id api_request_id session_id";
const route = "platform model provider base_url api_mode api_call_count";
const times = "api_duration started_at ended_at";
const call = `tool_name args arguments tool_call_id ${ids}`;
const outcome = "result duration_ms status error_type error_message";
const approval = "command description pattern_key pattern_keys session_key surface turn_id tool_call_id";

const hooks: Readonly<Record<string, string>> = {
  pre_tool_call: `${call} middleware_trace`,
  post_tool_call: `${call} ${outcome} transformed_result middleware_trace`,
  transform_terminal_output: "session_id task_id command output returncode exit_code cwd env_type",
  transform_tool_result: `${call} ${outcome}`,
  transform_llm_output: "response_text session_id model platform",
  pre_llm_call: "session_id task_id turn_id user_message conversation_history is_first_turn model platform sender_id",
  post_llm_call: "session_id task_id turn_id user_message assistant_response conversation_history model platform",
  pre_api_request: `${ids} ${route} user_message conversation_history request_messages message_count tool_count approx_input_tokens request_char_count max_tokens started_at middleware_trace request`,
  post_api_request: `${ids} ${route} ${times} finish_reason message_count response_model response usage assistant_message assistant_content_chars assistant_tool_call_count`,
  api_request_error: `${ids} ${route} ${times} status_code retry_count max_retries retryable reason error request`,
  on_session_start: "session_id model platform",
  on_session_end: `${ids} completed interrupted model platform reason`,
  on_session_finalize: "session_id platform reason old_session_id new_session_id",
  on_session_reset: "session_id platform reason old_session_id new_session_id",
  subagent_start:
    "parent_session_id parent_turn_id parent_subagent_id child_session_id child_subagent_id child_role child_goal",
  subagent_stop: "parent_session_id parent_turn_id child_session_id child_role child_summary child_status duration_ms",
  pre_gateway_dispatch: "event gateway session_store",
  pre_approval_request: approval,
  post_approval_response: `${approval} choice`,
};
const middleware: Readonly<Record<string, string>> = {
  tool_request: `${call} original_args`,
  tool_execution: `${call} original_args`,
  llm_request: `${ids} ${route} request original_request`,
  llm_execution: `${ids} ${route} request original_request middleware_trace`,
};
const person = "platform user_id";
const agentRun = `${person} chat_id thread_id chat_type session_id message`;
const gateway: Readonly<Record<string, string>> = {
  "gateway:startup": "platforms",
  "session:start": `${person} session_id session_key`,
  "session:end": `${person} session_key`,
  "session:reset": `${person} session_key`,
  "session:compress": "platform session_id old_session_id compression_count",
  "agent:start": agentRun,
  "agent:step": `${person} session_id iteration tool_names tools`,
  "agent:end": `${agentRun} response`,
  "command:*": `${person} command raw_command args raw_args`,
};

const tool = "tool_name tool_input tool_use_id mcp_server";
const task = "task_id task_subject task_description teammate_name team_name";
const stop = "stop_hook_active last_assistant_message background_tasks session_crons";
const exchange =
  "from_model to_model requested_model source context_tokens prompt_cache_warm cache_ttl estimated_cache_write_usd pricing";
/** Beyond what every payload says. A plus sign: a name of Peri's that is sent besides. */
const claude: Readonly<Record<string, string>> = {
  SessionStart:
    "source model agent_type session_title seconds_since_last_response context_tokens prompt_cache_likely_expired estimated_cache_write_usd",
  Setup: "trigger",
  InstructionsLoaded: "file_path memory_type load_reason globs trigger_file_path parent_file_path",
  UserPromptSubmit: "prompt source session_title",
  UserPromptExpansion: "expansion_type command_name command_args command_source prompt",
  PreToolUse: tool,
  PermissionRequest: "tool_name tool_input permission_suggestions mcp_server",
  PermissionDenied: `${tool} reason`,
  PostToolUse: `${tool} tool_response duration_ms +tool_output`,
  PostToolUseFailure: `${tool} error is_interrupt duration_ms +tool_output`,
  PostToolBatch: "tool_calls",
  Notification: "message title notification_type",
  MessageDisplay: "turn_id message_id index final delta",
  SubagentStart: "agent_id agent_type +subagent_name",
  SubagentStop: `${stop} agent_id agent_type agent_transcript_path +subagent_name +subagent_result`,
  TaskCreated: task,
  TaskCompleted: task,
  Stop: `${stop} +subagent_result`,
  StopFailure: "error error_details last_assistant_message +tool_output",
  TeammateIdle: "teammate_name team_name",
  ConfigChange: "source file_path",
  CwdChanged: "old_cwd new_cwd",
  DirectoryAdded: "directory source",
  FileChanged: "file_path event",
  WorktreeCreate: "name",
  WorktreeRemove: "worktree_path",
  PreCompact: "trigger custom_instructions +message_count",
  PostCompact: "trigger compact_summary +message_count",
  PreModelSwitch: exchange,
  PostModelSwitch: exchange,
  Elicitation: "mcp_server_name message mode url elicitation_id requested_schema",
  ElicitationResult: "mcp_server_name action mode elicitation_id content",
  SessionEnd: "reason +source",
  PreSkillShellCommand: "tool_name tool_input tool_use_id command_name command_source invoked_by",
};

const peri = [
  "PreToolUse PostToolUse PostToolUseFailure PermissionRequest UserPromptSubmit SessionStart SessionEnd Stop",
  "StopFailure PostToolBatch SubagentStart SubagentStop PreCompact PostCompact Notification Setup TeammateIdle",
  "TaskCreated TaskCompleted ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded Elicitation",
  "ElicitationResult CwdChanged FileChanged PermissionDenied",
].flatMap((line) => line.split(" "));

/** Every key that a view can send, optional ones included. */
function wireKeys(event: EventName, view: AnyView): readonly string[] {
  const { shape } = rows[event].payload(zod) as zod.ZodObject;
  const keys = view.keys ?? {};
  const sent = (view.sends ?? Object.keys(shape)).flatMap((key) => [keys[key] ?? snakeCase(key)].flat());
  const added = view.adds ? Object.keys(view.adds(rows[event].row.example as never, {})) : [];
  return [...new Set([...sent, ...added])].sort();
}
const list = (text: string): readonly string[] => text.replaceAll("+", "").split(" ").sort();

test("there are 19 hooks, 4 middleware kinds, 9 gateway events, 34 events of Claude and 28 of Peri", () => {
  expect([hooks, middleware, gateway, claude].map((names) => Object.keys(names).length)).toEqual([19, 4, 9, 34]);
  expect(new Set(peri).size).toBe(28);
});

test("the table has every event of each system, and no other", () => {
  const sorted = (names: readonly string[]) => [...names].sort();
  expect(sorted(namesOf("python"))).toEqual(sorted([...Object.keys(hooks), ...Object.keys(middleware)]));
  expect(sorted(namesOf("shell"))).toEqual(sorted(Object.keys(hooks)));
  expect(sorted(namesOf("gateway"))).toEqual(sorted(Object.keys(gateway)));
  expect(sorted(namesOf("claude"))).toEqual(sorted(Object.keys(claude)));
  expect(peri.filter((name) => named("claude", name) === undefined)).toEqual([]);
});

test("no name of a dialect stands twice in the table", () => {
  const names = eventNames.flatMap((event) => rows[event].row.views.map((view) => `${view.dialect} ${view.name}`));
  expect(new Set(names).size).toBe(names.length);
});

describe.each([
  ["python", { ...hooks, ...middleware }],
  ["gateway", gateway],
  ["claude", claude],
] as const)("%s", (dialect, expected) => {
  test.each(Object.entries(expected))("%s sends the documented keys", (name, keys) => {
    const found = named(dialect, name);
    expect(found && wireKeys(found.event, found.view)).toEqual(list(keys));
  });
});

test("a shell hook is told what a Python callback is told", () => {
  for (const name of Object.keys(hooks)) {
    const [shell, python] = [named("shell", name), named("python", name)];
    if (!shell || !python) throw new Error(name);
    const keys = wireKeys(python.event, python.view).filter((key) => key !== "arguments");
    expect(wireKeys(shell.event, shell.view), name).toEqual(keys);
  }
});

test("an event of Hermes keeps its name, every other has Claude's name in snake case", () => {
  for (const name of [...Object.keys(hooks), ...Object.keys(middleware), ...Object.keys(gateway)])
    expect(Object.hasOwn(rows, name), name).toBe(true);
  const merged = new Map([
    ["PreToolUse", "pre_tool_call"],
    ["UserPromptSubmit", "pre_llm_call"],
    ["PostToolUse", "post_tool_call"],
    ["PostToolUseFailure", "post_tool_call"],
    ["SubagentStop", "stop"],
  ]);
  for (const name of Object.keys(claude))
    expect(named("claude", name)?.event).toBe(merged.get(name) ?? snakeCase(name).slice(1));
});

test("the moments that no hook sees are ours", () => {
  expect(eventNames.filter((event) => rows[event].row.views.length === 0).sort()).toEqual([
    "after_agent",
    "before_agent",
    "before_input",
    "model_call",
    "permit",
    "pre_delivery",
  ]);
});

test("what a view says of answers and keys exists in its row", () => {
  for (const event of eventNames) {
    const { answer = {}, row, payload } = rows[event];
    const { shape } = payload(zod) as zod.ZodObject;
    for (const view of row.views) {
      const fields = [...(view.answers ?? []), ...(view.says ? [view.says.field] : [])];
      const keys = [...(view.sends ?? []), ...Object.keys(view.keys ?? {}), ...(view.family ?? [])];
      expect(
        fields.filter((field) => !Object.hasOwn(answer, field)),
        `${event} ${view.name}`,
      ).toEqual([]);
      expect(
        keys.filter((key) => !Object.hasOwn(shape, key)),
        `${event} ${view.name}`,
      ).toEqual([]);
    }
  }
});

const matched: Readonly<Record<string, string>> = {
  PreToolUse: "toolName",
  PermissionRequest: "toolName",
  PermissionDenied: "toolName",
  PostToolUse: "toolName",
  PostToolUseFailure: "toolName",
  PreSkillShellCommand: "toolName",
  SessionStart: "source",
  Setup: "trigger",
  InstructionsLoaded: "loadReason",
  UserPromptExpansion: "commandName",
  Notification: "notificationType",
  SubagentStart: "agentType",
  SubagentStop: "agentType",
  StopFailure: "error",
  ConfigChange: "source",
  DirectoryAdded: "source",
  FileChanged: "filePath",
  PreCompact: "trigger",
  PostCompact: "trigger",
  PreModelSwitch: "toModel",
  PostModelSwitch: "toModel",
  Elicitation: "mcpServerName",
  ElicitationResult: "mcpServerName",
  SessionEnd: "reason",
};

test("matchers look at what is documented, and nowhere else", () => {
  const looks = (dialect: "claude" | "shell", name: string) => {
    const found = named(dialect, name);
    const key = found && (found.view.matchOn ?? rows[found.event].row.matchOn);
    return key === "none" ? undefined : key;
  };
  for (const name of Object.keys(claude)) expect([name, looks("claude", name)]).toEqual([name, matched[name]]);
  const shell = Object.keys(hooks).filter((name) => looks("shell", name) !== undefined);
  expect(shell).toEqual(["pre_tool_call", "post_tool_call"]);
});

test("`if` is honoured on five events, and models are asked only where documented", () => {
  const all = namesOf("claude").map((name) => named("claude", name)?.view);
  const names = (keep: (view: AnyView) => boolean) =>
    all.flatMap((view) => (view && keep(view) ? [view.name] : [])).sort();
  expect(names((view) => view.condition === true)).toEqual([
    "PermissionDenied",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
  ]);
  const tools =
    "PermissionDenied PermissionRequest PostToolBatch PostToolUse PostToolUseFailure PreToolUse SessionStart";
  const prompt = `${tools} Stop SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit`;
  expect(names((view) => view.executors?.includes("prompt") !== false)).toEqual(prompt.split(" "));
  const agent = prompt.replace("PermissionRequest ", "").split(" ");
  expect(names((view) => view.executors?.includes("agent") !== false)).toEqual(agent);
});

test("what exit code 2 comes to, the row can answer", () => {
  const field = { verdict: "verdict", user: "notice", none: undefined };
  for (const event of eventNames)
    for (const { name, exit2 = "none" } of rows[event].row.views)
      expect([name, field[exit2] === undefined || Object.hasOwn(rows[event].answer ?? {}, field[exit2])]).toEqual([
        name,
        true,
      ]);
});

test("only rows of the gateway are told to gateway hooks, and nobody awaits those but commands", () => {
  for (const event of eventNames) {
    const { row } = rows[event];
    if (viewsOf(event, "gateway").length === 0) continue;
    expect([event, row.surface, row.queued === true]).toEqual([event, "gateway", event !== "command:*"]);
  }
});

test("no key inside a payload needs another name on a wire", () => {
  const inner = (schema: unknown, top: boolean): readonly string[] => {
    if (Array.isArray(schema)) return schema.flatMap((one) => inner(one, false));
    if (typeof schema !== "object" || schema === null) return [];
    const { properties, ...rest } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
    const own = properties ? Object.entries(properties) : [];
    const found = top ? [] : own.map(([key]) => key).filter((key) => key !== snakeCase(key));
    return [...found, ...own.flatMap(([, one]) => inner(one, false)), ...inner(Object.values(rest), false)];
  };
  // Parts of messages with images have one form on every wire; a batch's calls are renamed by the view.
  const known = { mediaType: true, toolName: true, toolCallId: true };
  for (const event of eventNames.filter((name) => rows[name].row.views.length > 0)) {
    const schema = zod.toJSONSchema(rows[event].payload(zod), { unrepresentable: "any" });
    const left = inner(schema, true).filter((key) => !Object.hasOwn(known, key));
    expect(left, event).toEqual([]);
  }
});
