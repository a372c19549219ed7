import { describe, expect, test } from "vitest";
import { lifecycle } from "../lifecycle.ts";
import { encodeClaude, matchTarget } from "./claude.ts";
import { decodeCommand, decodeHttp, decodeJudgement, decodeToolText } from "./claude-output.ts";
import { type Decoded, eventNames, named, type Question, rows, viewFor } from "./question.ts";

const ask = (name: string, change: object = {}): Question => {
  const found = named("claude", name);
  if (!found) throw new Error(`no such event: ${name}`);
  return { ...found, payload: { ...rows[found.event].row.example, ...change }, place: { cwd: "/home/ada/project" } };
};
const run = (name: string, exitCode: number, stdout: string | object = "", stderr = ""): Decoded =>
  decodeCommand(ask(name), { exitCode, stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout), stderr });
const answer = (decoded: Decoded): unknown =>
  decoded.kind === "answer" ? decoded.answer : `failed: ${decoded.reason}`;
const deny = (reason: string) => ({ verdict: { decision: "deny", reason } });
const specific = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });

describe("exit code 2", () => {
  test.each([
    ["standard error is the reason", "PreToolUse", "", "use rg\n", deny("use rg")],
    ["plain output is the reason where standard error is empty", "PreToolUse", "no grep", "", deny("no grep")],
    ["words of ours where both are empty", "Stop", "", "", deny("refused by a Stop hook that gave no reason")],
    [
      "a refusal in JSON says why",
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "json" }),
      "err",
      deny("json"),
    ],
    ["a block in JSON says why", "PostToolUse", { decision: "block", reason: "json" }, "err", deny("json")],
    [
      "a refusal in JSON without a reason takes standard error",
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "deny" }),
      "err",
      deny("err"),
    ],
    [
      "an allow in JSON does not count",
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "allow" }),
      "err",
      deny("err"),
    ],
    [
      "a rewrite beside it does not count",
      "PreToolUse",
      specific("PreToolUse", { updatedInput: { command: "ls" } }),
      "err",
      deny("err"),
    ],
    [
      "context and a line for the user go along",
      "PreToolUse",
      { systemMessage: "hello", ...specific("PreToolUse", { additionalContext: "why" }) },
      "err",
      { ...deny("err"), notice: ["hello"], reminder: ["why"] },
    ],
    ["broken JSON does not cancel it", "PreToolUse", '{"decision": }', "err", deny("err")],
    ["JSON for another event does not cancel it", "PreToolUse", specific("Stop", {}), "err", deny("err")],
    ["a prompt is refused", "UserPromptSubmit", "", "not here", deny("not here")],
    [
      "the reply of an elicitation does not count",
      "Elicitation",
      specific("Elicitation", { action: "accept" }),
      "err",
      deny("err"),
    ],
    ["at session start the user sees it", "SessionStart", "", "look", { notice: ["look"] }],
    [
      "at session start JSON still counts",
      "SessionStart",
      specific("SessionStart", { additionalContext: "c" }),
      "look",
      { notice: ["look"], reminder: ["c"] },
    ],
    ["at session end the user sees it", "SessionEnd", { systemMessage: "bye" }, "look", { notice: ["bye", "look"] }],
    ["after compaction the user sees it", "PostCompact", "", "look", { notice: ["look"] }],
    ["a permission request cannot be refused so", "PermissionRequest", "", "err", "failed: exit code 2: err"],
    [
      "but its JSON counts",
      "PermissionRequest",
      specific("PermissionRequest", { decision: { behavior: "deny", message: "m" } }),
      "err",
      deny("m"),
    ],
    ["a notification cannot be refused", "Notification", "", "err", "failed: exit code 2: err"],
  ])("%s (%s)", (...[, name, stdout, stderr, expected]) => {
    expect(answer(run(name, 2, stdout, stderr))).toEqual(expected);
  });
});

describe("exit code 0 and JSON", () => {
  test.each([
    ["PreToolUse", {}, {}],
    ["PreToolUse", { continue: true }, {}],
    ["PreToolUse", { result: "block" }, {}],
    ["PreToolUse", { reason: "alone" }, {}],
    ["Stop", { metrics: { pattern_hits: 1 }, rewakeSummary: "x" }, {}],
    ["PreToolUse", { async: true, asyncTimeout: 5000 }, {}],
    ["PreToolUse", { suppressOutput: true, systemMessage: "note" }, { notice: ["note"] }],
    ["PreToolUse", { decision: "block", reason: "no" }, deny("no")],
    ["PreToolUse", { decision: "approve" }, { verdict: { decision: "allow" } }],
    ["PostToolUse", { decision: "approve" }, {}],
    [
      "Stop",
      { decision: "block", reason: "Build the widget", systemMessage: "round 3" },
      { ...deny("Build the widget"), notice: ["round 3"] },
    ],
    ["Stop", { decision: "block" }, deny("refused by a Stop hook that gave no reason")],
    ["Stop", specific("Stop", { additionalContext: "go on" }), { reminder: ["go on"] }],
    ["UserPromptSubmit", { continue: false, stopReason: "off" }, { halt: "off" }],
    ["UserPromptSubmit", { continue: false, reason: "why" }, { halt: "why" }],
    ["UserPromptSubmit", { continue: false }, { halt: "a hook ended the turn" }],
    [
      "PreToolUse",
      { continue: false, ...specific("PreToolUse", { permissionDecision: "allow" }) },
      { halt: "a hook ended the turn", verdict: { decision: "allow" } },
    ],
    ["TaskCreated", { continue: false, stopReason: "x" }, {}],
    [
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "deny" }),
      deny("refused by a PreToolUse hook that gave no reason"),
    ],
    [
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?" }),
      { verdict: { decision: "ask", reason: "sure?" } },
    ],
    ["PreToolUse", specific("PreToolUse", { permissionDecision: "defer" }), { verdict: { decision: "defer" } }],
    ["PreToolUse", specific("PreToolUse", { permissionDecision: "passthrough" }), {}],
    [
      "PreToolUse",
      specific("PreToolUse", { permissionDecision: "maybe" }),
      deny("refused by a PreToolUse hook that gave no reason"),
    ],
    [
      "PreToolUse",
      {
        hook_specific_output: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "peri",
        },
      },
      deny("peri"),
    ],
    [
      "PreToolUse",
      {
        hookSpecificOutput: { hookEventName: "PreToolUse" },
        hook_specific_output: { hookEventName: "PreToolUse", permissionDecision: "deny" },
      },
      {},
    ],
    [
      "PreToolUse",
      specific("PreToolUse", { updatedInput: { command: "git diff" } }),
      { args: { command: "git diff" } },
    ],
    [
      "PreToolUse",
      specific("PreToolUse", { updatedInput: { command: "ls", timeout: 9000 }, permissionDecision: "allow" }),
      { args: { command: "ls", timeout: 9 }, verdict: { decision: "allow" } },
    ],
    [
      "PreToolUse",
      specific("PreToolUse", { updatedInput: { command: "ls" }, permissionDecision: "defer" }),
      { verdict: { decision: "defer" } },
    ],
    [
      "PreToolUse",
      {
        ...specific("PreToolUse", {
          permissionDecision: "deny",
          permissionDecisionReason: "r",
          additionalContext: "c",
        }),
      },
      { ...deny("r"), reminder: ["c"] },
    ],
    ["PostToolUse", specific("PostToolUse", { additionalContext: "lint: 2" }), { reminder: ["lint: 2"] }],
    ["PostToolUse", specific("PostToolUse", { additionalContext: " " }), {}],
    ["PostToolUse", specific("PostToolUse", { permissionDecision: "deny" }), {}],
    ["PostToolUse", specific("PostToolUse", { updatedToolOutput: "short" }), {}],
    ["PostToolUse", specific("PostToolUse", { updatedMCPToolOutput: [1] }), {}],
    ["PostToolUseFailure", specific("PostToolUseFailure", { updatedToolOutput: "short" }), {}],
    [
      "SessionStart",
      specific("SessionStart", {
        additionalContext: "c",
        initialUserMessage: "go",
        sessionTitle: "t",
        watchPaths: ["/a"],
        reloadSkills: true,
      }),
      { reminder: ["c"], initialMessage: "go", title: "t", watchPaths: ["/a"], reloadSkills: true },
    ],
    ["SessionStart", { additionalContext: "at the wrong place" }, {}],
    [
      "UserPromptSubmit",
      specific("UserPromptSubmit", { sessionTitle: "t", suppressOriginalPrompt: true }),
      { title: "t", hidePrompt: true },
    ],
    ["PermissionDenied", specific("PermissionDenied", { retry: true }), { retry: true }],
    [
      "PermissionRequest",
      specific("PermissionRequest", {
        decision: {
          behavior: "allow",
          updatedInput: { command: "ls" },
          updatedPermissions: [{ type: "setMode", mode: "plan" }],
        },
      }),
      { verdict: { decision: "allow" }, args: { command: "ls" }, permissions: [{ type: "setMode", mode: "plan" }] },
    ],
    [
      "PermissionRequest",
      specific("PermissionRequest", { decision: { behavior: "deny", interrupt: true } }),
      {
        ...deny("refused by a PermissionRequest hook that gave no reason"),
        halt: "refused by a PermissionRequest hook that gave no reason",
      },
    ],
    ["MessageDisplay", specific("MessageDisplay", { displayContent: "***" }), { display: "***" }],
    ["ConfigChange", { decision: "block", reason: "no", systemMessage: "dropped" }, deny("no")],
    [
      "CwdChanged",
      { continue: false, ...specific("CwdChanged", { watchPaths: [".envrc"] }) },
      { watchPaths: [".envrc"] },
    ],
    ["PreCompact", { decision: "block", reason: "later", continue: false }, deny("later")],
    ["PreModelSwitch", specific("PreModelSwitch", { permissionDecision: "ask" }), { verdict: { decision: "ask" } }],
    ["PreModelSwitch", specific("PreModelSwitch", { permissionDecision: "defer" }), {}],
    ["PreSkillShellCommand", specific("PreSkillShellCommand", { permissionDecision: "allow" }), {}],
    [
      "PreSkillShellCommand",
      specific("PreSkillShellCommand", { permissionDecision: "ask", permissionDecisionReason: "r" }),
      deny("r"),
    ],
    [
      "PreSkillShellCommand",
      specific("PreSkillShellCommand", { updatedInput: {} }),
      deny("a hook wanted to change a command that cannot be changed"),
    ],
    [
      "Elicitation",
      specific("Elicitation", { action: "accept", content: { project: "web" } }),
      { reply: { action: "accept", content: { project: "web" } } },
    ],
    ["Notification", { terminalSequence: "\u0007", systemMessage: "dropped" }, { terminal: ["\u0007"] }],
    [
      "Notification",
      { terminalSequence: "\u001b]9;done\u001b\\\u0007" },
      { terminal: ["\u001b]9;done\u001b\\\u0007"] },
    ],
    ["Notification", { terminalSequence: "\u001b[2J" }, {}],
    ["Setup", { continue: false, systemMessage: "x" }, {}],
  ])("%s %j", (name, stdout, expected) => {
    expect(answer(run(name, 0, stdout))).toEqual(expected);
  });

  test("JSON alone decides whatever the exit code, 2 apart", () => {
    expect(answer(run("Stop", 1, { decision: "block", reason: "r" }, "err"))).toEqual(deny("r"));
    expect(answer(run("PreToolUse", 3, {}, "err"))).toEqual({});
  });

  test.each([
    ["PreToolUse", { continue: "no" }, "continue is of a wrong type"],
    ["PreToolUse", { systemMessage: 5 }, "systemMessage is of a wrong type"],
    ["PreToolUse", { decision: "maybe" }, "no such decision: maybe"],
    ["PreToolUse", { hookSpecificOutput: "x" }, "hookSpecificOutput is of a wrong type"],
    [
      "PreToolUse",
      specific("Stop", { permissionDecision: "allow" }),
      "hookSpecificOutput is for Stop, this is PreToolUse",
    ],
    [
      "PreToolUse",
      { hookSpecificOutput: { permissionDecision: "allow" } },
      "hookSpecificOutput is for no event, this is PreToolUse",
    ],
    ["PreToolUse", specific("PreToolUse", { updatedInput: "ls" }), "updatedInput is of a wrong type"],
    ["PostToolUse", specific("PostToolUse", { additionalContext: 1 }), "additionalContext is of a wrong type"],
    [
      "PermissionRequest",
      specific("PermissionRequest", { decision: { behavior: "later" } }),
      "no such behavior: later",
    ],
    ["Elicitation", specific("Elicitation", { action: "later" }), "no such action: later"],
    ["SessionStart", specific("SessionStart", { watchPaths: "/a" }), "watchPaths is of a wrong type"],
  ])("%s %j is nonsense", (name, stdout, reason) => {
    expect(run(name, 0, stdout)).toMatchObject({ kind: "failed", reason });
  });

  test("what was said in vain is remarked on", () => {
    expect(run("SessionStart", 0, { additionalContext: "x" })).toMatchObject({
      remarks: ["additionalContext counts only inside hookSpecificOutput"],
    });
    expect(run("PostToolUse", 0, specific("PostToolUse", { permissionDecision: "deny" }))).toMatchObject({
      remarks: ["PostToolUse does not honour permissionDecision"],
    });
    expect(run("Notification", 0, { systemMessage: "x" })).toMatchObject({
      remarks: ["Notification does not honour systemMessage"],
    });
  });
});

describe("plain output", () => {
  test.each(["SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch"])(
    "is context at %s",
    (name) => {
      expect(answer(run(name, 0, "today is Friday\n{}\n"))).toEqual({ reminder: ["today is Friday\n{}"] });
      expect(answer(run(name, 0, " \n"))).toEqual({});
      expect(answer(run(name, 0, "{curly} braces"))).toEqual({ reminder: ["{curly} braces"] });
      expect(answer(run(name, 0, '["a"]'))).toEqual({ reminder: ['["a"]'] });
    },
  );

  test.each(["PreToolUse", "PostToolUse", "Stop", "SessionEnd"])("is no opinion at %s", (name) => {
    expect(answer(run(name, 0, "done"))).toEqual({});
    expect(answer(run(name, 0, "{}\nA  new.txt"))).toEqual({});
    expect(answer(run(name, 0, 'running\n{"decision":"block"}'))).toEqual({});
  });

  test("JSON that was begun and is none is a failure, an endless one too", () => {
    for (const text of ['{"decision": }', '{"decision": "blo', "{decision: block}"])
      expect(run("PreToolUse", 0, text).kind).toBe("failed");
  });

  test("lines of JSON are a log, unless one of them means to answer", () => {
    expect(answer(run("PreToolUse", 0, '{"level":"info"}\n{"level":"warn"}'))).toEqual({});
    expect(run("PreToolUse", 0, '{"level":"info"}\n{"decision":"block","reason":"r"}').kind).toBe("failed");
    expect(run("PreToolUse", 0, '{"level":"info"}\n{oops}').kind).toBe("failed");
  });

  test("the payload echoed back is no opinion", () => {
    for (const event of eventNames)
      for (const view of rows[event].row.views)
        if (view.dialect === "claude" && view.plainText !== "path") {
          const question = { event, view, payload: lifecycle[event].row.example };
          const stdout = JSON.stringify(encodeClaude(question, { sessionId: "s", transcriptPath: "", cwd: "/" }));
          expect(answer(decodeCommand(question, { exitCode: 0, stdout, stderr: "" })), view.name).toEqual({});
        }
  });
});

describe("other exit codes without JSON", () => {
  test.each([
    [1, "Error: Bun not found.\nAfter", "exit code 1: Error: Bun not found."],
    [126, "sh: Permission denied", "exit code 126: sh: Permission denied"],
    [127, "", "exit code 127"],
  ])("%i is a failure, never a refusal", (exitCode, stderr, reason) => {
    expect(run("PreToolUse", exitCode, "usage", stderr)).toEqual({ kind: "failed", reason, remarks: [] });
  });
});

describe("working copies", () => {
  test.each([
    [0, "cloning\n\u001b[32m/srv/copy\u001b[0m\n", "", { path: "/srv/copy" }],
    [0, "", "", "failed: standard output names no path"],
    [0, "/srv/../etc", "", "failed: the path must not contain . or ..: /srv/../etc"],
    [1, "", "disk full", deny("disk full")],
    [2, "", "no", deny("no")],
    [0, specific("WorktreeCreate", { worktreePath: "/w" }), "", { path: "/w" }],
  ])("exit code %i with output %j", (exitCode, stdout, stderr, expected) => {
    expect(answer(run("WorktreeCreate", exitCode, stdout, stderr))).toEqual(expected);
  });

  test("one that cannot be removed is a refusal", () => {
    expect(answer(run("WorktreeRemove", 1, "", "busy"))).toEqual(deny("busy"));
  });
});

describe("other executors", () => {
  test.each([
    [200, "", {}],
    [204, " ", {}],
    [200, '{"decision":"block","reason":"r"}', deny("r")],
    [200, "ok", "failed: the answer is no JSON object"],
    [200, "[]", "failed: the answer is no JSON object"],
    [403, '{"decision":"block"}', "failed: answered with status 403"],
    [302, "", "failed: answered with status 302"],
  ])("an address that answers %i %j", (status, body, expected) => {
    expect(answer(decodeHttp(ask("PreToolUse"), status, body))).toEqual(expected);
  });

  test("an MCP tool is read as output, its error is a failure", () => {
    expect(answer(decodeToolText(ask("Stop"), '{"decision":"block","reason":"r"}', false))).toEqual(deny("r"));
    expect(answer(decodeToolText(ask("SessionStart"), "hello", false))).toEqual({ reminder: ["hello"] });
    expect(answer(decodeToolText(ask("Stop"), "boom\nat", true))).toBe("failed: boom");
  });

  const no = { ok: false, reason: "r" };
  test.each([
    ["PreToolUse", no, false, { ...deny("r"), halt: "r" }],
    ["PreToolUse", no, true, deny("r")],
    ["PostToolUse", no, false, { ...deny("r"), halt: "r" }],
    ["PostToolUse", no, true, deny("r")],
    ["Stop", no, false, deny("r")],
    ["Stop", { ...no, impossible: true }, false, {}],
    ["UserPromptSubmit", no, true, { ...deny("r"), halt: "r" }],
    ["PostToolBatch", no, true, { ...deny("r"), halt: "r" }],
    ["PostToolUseFailure", no, false, deny("r")],
    ["TeammateIdle", no, false, { ...deny("r"), halt: "r" }],
    ["TeammateIdle", no, true, deny("r")],
    ["PermissionRequest", no, false, {}],
    ["PermissionDenied", no, false, {}],
    ["Stop", { ok: true }, false, {}],
    ["Stop", { ok: false }, false, "failed: the model refused without a reason"],
    ["Stop", { decision: "block", reason: "r" }, false, deny("r")],
  ])("a model that judges %s with %j (continued: %s)", (name, given, continued, expected) => {
    expect(answer(decodeJudgement(ask(name), JSON.stringify(given), continued))).toEqual(expected);
  });

  test("a model that answers no JSON has failed", () => {
    expect(decodeJudgement(ask("Stop"), "looks fine", false).kind).toBe("failed");
  });
});

test("a rewrite keeps what the dialect cannot see of the arguments", () => {
  const question = ask("PreToolUse", { args: { command: "ls", timeout: 60, workdir: "web", description: "d" } });
  const stdout = JSON.stringify(specific("PreToolUse", { updatedInput: { command: "ls -a" } }));
  expect(answer(decodeCommand(question, { exitCode: 0, stdout, stderr: "" }))).toEqual({
    args: { command: "ls -a", workdir: "web" },
  });
});

test("the view of an event follows its payload", () => {
  const payload = rows.post_tool_call.row.example;
  const status = (value: string) => viewFor("post_tool_call", "claude", { ...payload, status: value })?.name;
  expect(["ok", "error", "cancelled", "blocked"].map(status)).toEqual([
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolUseFailure",
    undefined,
  ]);
  const stop = rows.stop.row.example;
  expect(viewFor("stop", "claude", stop)?.name).toBe("Stop");
  expect(viewFor("stop", "claude", { ...stop, agentId: "sa-0-1", agentType: "leaf" })?.name).toBe("SubagentStop");
});

test("every payload says where it comes from, and what is not known is left out", () => {
  const around = { sessionId: "s", transcriptPath: "/t.jsonl", cwd: "/w" };
  expect(encodeClaude(ask("PreToolUse", { mcpServer: undefined }), around)).toEqual({
    session_id: "s",
    transcript_path: "/t.jsonl",
    cwd: "/w",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls -la", timeout: 60_000 },
    tool_use_id: "call_8s7Xq2",
  });
  const all = {
    ...around,
    promptId: "p",
    scratchpadDir: "/s",
    permissionMode: "plan",
    effort: "high",
    agentId: "a",
    agentType: "leaf",
  } as const;
  expect(encodeClaude(ask("Stop"), all)).toMatchObject({
    prompt_id: "p",
    scratchpad_dir: "/s",
    permission_mode: "plan",
    effort: { level: "high" },
    agent_id: "a",
    agent_type: "leaf",
  });
  expect(encodeClaude(ask("Notification"), all)).not.toHaveProperty("effort");
});

test("a tool of a server is told under its own name, with where it comes from", () => {
  const mcpServer = { name: "my-server", source: "user" };
  const question = ask("PreToolUse", { toolName: "mcp_my_server_get", args: { id: 1 }, mcpServer });
  expect(encodeClaude(question, { sessionId: "s", transcriptPath: "", cwd: "/" })).toMatchObject({
    tool_name: "mcp__my-server__get",
    tool_input: { id: 1 },
    mcp_server: mcpServer,
  });
});

test.each([
  [
    "PostToolUse",
    { status: "ok" },
    { tool_response: { stdout: "total 0\n", stderr: "", interrupted: false, isImage: false }, duration_ms: 12 },
  ],
  [
    "PostToolUseFailure",
    { status: "error", errorMessage: "no such file" },
    { error: "no such file", is_interrupt: false },
  ],
  [
    "PostToolUseFailure",
    { status: "cancelled", transformedResult: '{"error": "stopped"}' },
    { error: "stopped", is_interrupt: true },
  ],
  [
    "PostToolBatch",
    {},
    {
      tool_calls: [
        {
          tool_name: "Bash",
          tool_input: { command: "ls -la", timeout: 60_000 },
          tool_use_id: "call_8s7Xq2",
          tool_response: expect.any(String),
        },
      ],
    },
  ],
  [
    "UserPromptSubmit",
    {
      userMessage: [
        { type: "text", text: "what is" },
        { type: "image", data: "x", mediaType: "image/png" },
        { type: "text", text: "this?" },
      ],
    },
    { prompt: "what is\nthis?" },
  ],
  ["SessionEnd", {}, { reason: "prompt_input_exit", source: "prompt_input_exit" }],
  ["StopFailure", { errorDetails: "429" }, { error: "rate_limit", error_details: "429", tool_output: "429" }],
  ["PreCompact", {}, { trigger: "auto", custom_instructions: null, message_count: 84 }],
  ["SubagentStart", {}, { agent_id: "sa-0-1a2b3c4d", agent_type: "general-purpose", subagent_name: "general-purpose" }],
])("%s with %j tells %j", (name, change, expected) => {
  expect(encodeClaude(ask(name, change), { sessionId: "s", transcriptPath: "", cwd: "/" })).toMatchObject(expected);
});

test.each([
  ["PreToolUse", {}, { name: "Bash", aliases: ["terminal"] }],
  [
    "PreToolUse",
    { toolName: "delegate_task", args: { goal: "g" } },
    { name: "Agent", aliases: ["Task", "delegate_task"] },
  ],
  ["FileChanged", {}, { name: ".envrc", aliases: [] }],
  ["SessionStart", {}, { name: "startup", aliases: [] }],
  ["SubagentStop", { agentId: "a", agentType: "leaf" }, { name: "leaf", aliases: [] }],
  ["SubagentStop", {}, undefined],
  ["Stop", {}, undefined],
  ["UserPromptSubmit", {}, undefined],
])("a matcher on %s with %j looks at %j", (name, change, target) => {
  const found = matchTarget(ask(name, change));
  expect(found && { name: found.name, aliases: found.aliases }).toEqual(target);
});
