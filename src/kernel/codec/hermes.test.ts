import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventName } from "../lifecycle.ts";
import { decodeGateway, encodeGateway, gatewayNames, subscribed } from "./gateway.ts";
import { decodeNative, decodePython, encodePython, nativeView } from "./python.ts";
import { type Decoded, named, type Question, rows, viewsOf } from "./question.ts";
import { decodeShell, encodeShell, json } from "./shell.ts";

const ask = (dialect: "python" | "shell" | "gateway", event: EventName, change: object = {}): Question => {
  const view = viewsOf(event, dialect)[0];
  if (!view) throw new Error(`${event} has no ${dialect} view`);
  return { event, view, payload: { ...rows[event].row.example, ...change } };
};
const answer = (decoded: Decoded): unknown =>
  decoded.kind === "answer" ? decoded.answer : `failed: ${decoded.reason}`;
const deny = (reason: string) => ({ verdict: { decision: "deny", reason } });

describe("what a Python callback is given", () => {
  test("keyword arguments in snake case, with the version of the contract", () => {
    expect(encodePython(ask("python", "on_session_start"))).toEqual({
      telemetry_schema_version: "hermes.observer.v1",
      session_id: "20260101_120000_ab12cd",
      model: "gpt-4o-mini",
      platform: "cli",
    });
  });

  test("both spellings where two are about", () => {
    const given = encodePython(ask("python", "transform_terminal_output", { exitCode: 3 }));
    expect(given).toMatchObject({ returncode: 3, exit_code: 3, cwd: "/home/ada/project", env_type: "local" });
    const { args } = rows.pre_tool_call.row.example;
    for (const event of ["pre_tool_call", "post_tool_call", "transform_tool_result", "tool_request"] as const)
      expect(encodePython(ask("python", event))).toMatchObject({ args, arguments: args });
  });

  test("the version of the middleware contract with the four kinds, and only with them", () => {
    const kinds = ["llm_request", "tool_request", "llm_execution", "tool_execution"] as const;
    for (const kind of kinds)
      expect(encodePython(ask("python", kind))).toHaveProperty("middleware_schema_version", "hermes.middleware.v1");
    expect(encodePython(ask("python", "pre_tool_call"))).not.toHaveProperty("middleware_schema_version");
  });

  test("messages with images in OpenAI chat form", () => {
    const parts = [
      { type: "text", text: "what is this?" },
      { type: "image", data: "aGk=", mediaType: "image/png" },
      { type: "image", data: "https://example.org/a.png", mediaType: "image/png" },
    ];
    const seen = [
      parts[0],
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
      { type: "image_url", image_url: { url: "https://example.org/a.png" } },
    ];
    expect(encodePython(ask("python", "pre_llm_call", { userMessage: parts }))["user_message"]).toEqual(seen);
    expect(encodePython(ask("python", "post_tool_call", { result: parts }))["result"]).toEqual(seen);
    expect(encodeShell(ask("shell", "post_llm_call", { userMessage: parts }), "/w").extra["user_message"]).toEqual(
      seen,
    );
  });

  test("what lies inside arguments and histories is left as it is", () => {
    const args = { camelCase: { innerKey: [1] } };
    expect(encodePython(ask("python", "pre_tool_call", { args }))["args"]).toBe(args);
  });
});

describe("what a Python callback returns", () => {
  test.each<[EventName, unknown, unknown]>([
    ["pre_tool_call", { action: "block", message: "no" }, deny("no")],
    ["pre_tool_call", { action: "block" }, {}],
    ["pre_tool_call", { action: "block", message: "" }, {}],
    ["pre_tool_call", { action: "block", message: 5 }, "failed: message is of a wrong type"],
    ["pre_tool_call", { decision: "block", reason: "no" }, {}],
    ["pre_tool_call", { action: 5 }, "failed: action is of a wrong type"],
    ["pre_tool_call", { action: "dance" }, {}],
    ["pre_tool_call", "block", {}],
    ["pre_tool_call", 0, {}],
    ["pre_tool_call", [], {}],
    ["pre_tool_call", null, {}],
    ["pre_tool_call", { action: "ask", message: "sure?" }, { verdict: { decision: "ask", reason: "sure?" } }],
    ["pre_tool_call", { action: "allow" }, { verdict: { decision: "allow" } }],
    ["pre_tool_call", { action: "approve" }, { verdict: { decision: "allow" } }],
    ["pre_tool_call", { action: "rewrite", args: { command: "ls" } }, { args: { command: "ls" } }],
    ["pre_tool_call", { action: "modify", tool_input: { command: "ls" } }, { args: { command: "ls" } }],
    ["pre_tool_call", { action: "rewrite", args: "ls" }, "failed: args is of a wrong type"],
    ["pre_tool_call", { action: "rewrite" }, "failed: args is of a wrong type"],
    ["pre_tool_call", { notice: "look", halt: "enough" }, { notice: ["look"], halt: "enough" }],
    ["pre_tool_call", { halt: 5 }, "failed: halt is of a wrong type"],
    ["pre_tool_call", { context: "c" }, {}],
    ["post_tool_call", { action: "block", message: "no" }, {}],
    ["pre_llm_call", { context: "memories" }, { context: ["memories"] }],
    ["pre_llm_call", "memories", { context: ["memories"] }],
    ["pre_llm_call", { context: "" }, {}],
    ["pre_llm_call", { context: 0 }, {}],
    ["pre_llm_call", { context: 7 }, { context: ["7"] }],
    ["pre_llm_call", { context: { a: 1 } }, { context: ['{"a":1}'] }],
    ["pre_llm_call", "  ", {}],
    ["pre_llm_call", { action: "block", message: "no" }, {}],
    ["pre_llm_call", { halt: "closed today" }, { halt: "closed today" }],
    ["transform_terminal_output", "", { output: "" }],
    ["transform_tool_result", "short", { result: "short" }],
    ["transform_tool_result", "", { result: "" }],
    ["transform_tool_result", { result: "short" }, {}],
    ["transform_llm_output", "arr", { text: "arr" }],
    ["transform_llm_output", "", {}],
    ["pre_gateway_dispatch", { action: "skip", reason: "r" }, { dispatch: { action: "skip", reason: "r" } }],
    ["pre_gateway_dispatch", { action: "rewrite", text: "t" }, { dispatch: { action: "rewrite", text: "t" } }],
    ["pre_gateway_dispatch", { action: "rewrite", text: 5 }, { dispatch: { action: "rewrite" } }],
    ["pre_gateway_dispatch", { action: "allow" }, { dispatch: { action: "allow" } }],
    ["pre_gateway_dispatch", { action: "dance" }, {}],
    ["tool_request", { args: { a: 1 }, source: "fix", name: "" }, { args: { a: 1 }, trace: [{ source: "fix" }] }],
    ["tool_request", { args: { a: 1 } }, { args: { a: 1 }, trace: [{ source: "plugin" }] }],
    ["tool_request", { args: "x" }, "failed: args is of a wrong type"],
    ["tool_request", { other: 1 }, {}],
    [
      "llm_request",
      { request: { model: "m" }, reason: "cheaper" },
      { request: { model: "m" }, trace: [{ reason: "cheaper" }] },
    ],
    ["on_session_start", { action: "block", message: "no" }, {}],
    ["subagent_start", { halt: "no" }, {}],
  ])("%s: %j", (event, returned, expected) => {
    expect(answer(decodePython(ask("python", event), returned))).toEqual(expected);
  });
});

describe("what a handler in this process returns", () => {
  const native = (event: EventName, returned: unknown) =>
    answer(decodeNative({ event, view: nativeView(event), payload: rows[event].row.example }, returned));

  test.each<[EventName, unknown, unknown]>([
    ["pre_tool_call", { verdict: { decision: "deny", reason: "r" } }, deny("r")],
    ["pre_tool_call", { args: { command: "ls" } }, { args: { command: "ls" } }],
    ["pre_tool_call", { action: "block" }, deny("blocked by a plugin that gave no reason")],
    ["pre_tool_call", { action: "rewrite", args: { command: "ls" } }, { args: { command: "ls" } }],
    ["pre_tool_call", { verdict: { decision: "maybe" } }, "failed: verdict is of a wrong type"],
    ["pre_tool_call", { notice: ["a", "b"] }, { notice: ["a", "b"] }],
    ["pre_llm_call", { context: ["a", "b"] }, { context: ["a", "b"] }],
    ["pre_llm_call", { verdict: { decision: "deny" } }, {}],
    ["stop", { reminder: "go on" }, { reminder: ["go on"] }],
    ["stop", { action: "block", message: "not yet" }, deny("not yet")],
    ["session_start", { reminder: "x", watchPaths: ["/a"] }, { reminder: ["x"], watchPaths: ["/a"] }],
    ["transform_llm_output", "arr", { text: "arr" }],
    ["transform_llm_output", { text: "arr" }, { text: "arr" }],
    [
      "permit",
      { verdict: { decision: "allow" }, edited: { command: "ls" } },
      { verdict: { decision: "allow" }, edited: { command: "ls" } },
    ],
    ["post_llm_call", { action: "block", message: "x" }, {}],
  ])("%s: %j", (event, returned, expected) => {
    expect(native(event, returned)).toEqual(expected);
  });
});

describe("a shell hook", () => {
  test("reads the call on its standard input", () => {
    const { hook_event_name, tool_name, tool_input, session_id, cwd, extra } = encodeShell(
      ask("shell", "pre_tool_call"),
      "/w",
    );
    expect({ hook_event_name, tool_name, tool_input, session_id, cwd }).toEqual({
      hook_event_name: "pre_tool_call",
      tool_name: "terminal",
      tool_input: { command: "ls -la", timeout: 60 },
      session_id: "20260101_120000_ab12cd",
      cwd: "/w",
    });
    expect(Object.keys(extra).sort()).toEqual([
      "api_request_id",
      "middleware_trace",
      "task_id",
      "telemetry_schema_version",
      "tool_call_id",
      "turn_id",
    ]);
  });

  test("reads null where there is no tool, and the parent's session of a child", () => {
    const payload = encodeShell(ask("shell", "subagent_stop"), "/w");
    expect(payload).toMatchObject({ tool_name: null, tool_input: null, session_id: "20260101_120000_ab12cd" });
    expect(payload.extra).not.toHaveProperty("parent_session_id");
    expect(encodeShell(ask("shell", "pre_approval_request"), "/w").session_id).toBe("");
  });

  test("reads the chat message as an object, the gateway and its store as texts", () => {
    const { extra } = encodeShell(
      ask("shell", "pre_gateway_dispatch", { event: { text: "hi" }, gateway: { adapters: {} } }),
      "/w",
    );
    expect(extra).toMatchObject({
      event: { text: "hi" },
      gateway: expect.any(String),
      session_store: expect.any(String),
    });
  });

  test.each<[EventName, string, unknown]>([
    ["pre_tool_call", '{"action":"block","message":"m","reason":"r"}', deny("m")],
    ["pre_tool_call", '{"decision":"block","reason":"r","message":"m"}', deny("r")],
    ["pre_tool_call", '{"action":"block","reason":"r"}', deny("r")],
    ["pre_tool_call", '{"decision":"block"}', deny("Blocked by shell hook.")],
    ["pre_tool_call", '{"action":"block","message":5}', deny("Blocked by shell hook.")],
    ["pre_tool_call", '{"action":"block","message":"a","decision":"block","reason":"d"}', deny("a")],
    ["pre_tool_call", '{"action":"allow","decision":"block","reason":"d"}', deny("d")],
    ["pre_tool_call", '{"action":"ask"}', { verdict: { decision: "ask" } }],
    ["pre_tool_call", '{"action":"rewrite","args":{"command":"ls"}}', { args: { command: "ls" } }],
    ["pre_tool_call", '{"context":"c"}', {}],
    ["pre_tool_call", '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}', {}],
    ["pre_tool_call", "", {}],
    ["pre_tool_call", "blocked!", {}],
    ["pre_tool_call", '["block"]', {}],
    ["pre_tool_call", '"block"', {}],
    ["pre_tool_call", "{}\n", {}],
    ["pre_tool_call", '{"action":"block"', "failed: standard output begins as JSON and is none"],
    ["pre_llm_call", '{"context":" today is Friday "}', { context: [" today is Friday "] }],
    ["pre_llm_call", '{"context":" "}', {}],
    ["pre_llm_call", '{"context":5}', "failed: context is of a wrong type"],
    ["pre_llm_call", '{"decision":"block","reason":"no"}', {}],
    ["pre_llm_call", '{"halt":"closed"}', { halt: "closed" }],
    ["post_tool_call", '{"decision":"block","reason":"no"}', {}],
    ["transform_tool_result", '{"result":""}', { result: "" }],
    ["transform_llm_output", '{"result":"arr"}', { text: "arr" }],
    ["transform_llm_output", '{"result":""}', {}],
    ["transform_terminal_output", '{"result":5}', "failed: result is of a wrong type"],
    ["pre_gateway_dispatch", '{"action":"rewrite","text":"t"}', { dispatch: { action: "rewrite", text: "t" } }],
    ["on_session_end", '{"context":"c"}', {}],
  ])("%s that prints %s", (event, stdout, expected) => {
    expect(answer(decodeShell(ask("shell", event), { exitCode: 0, stdout, stderr: "" }))).toEqual(expected);
  });

  test.each([
    [1, '{"action":"block","message":"m"}', deny("m")],
    [2, '{"action":"block","message":"m"}', deny("m")],
    [1, "{}", "failed: exit code 1: why"],
    [2, "", "failed: exit code 2: why"],
    [127, "usage", "failed: exit code 127: why"],
  ])("its exit code %i with output %s", (exitCode, stdout, expected) => {
    const output = { exitCode, stdout, stderr: "why\nmore" };
    expect(answer(decodeShell(ask("shell", "pre_tool_call"), output))).toEqual(expected);
  });

  test("its input is JSON whatever the payload holds", () => {
    const ring: Record<string, unknown> = { big: 10n, run: () => 1, sign: Symbol("s"), twice: [{}] };
    ring["self"] = ring;
    const shared = { a: 1 };
    expect(JSON.parse(json({ ring, pair: [shared, shared] }))).toMatchObject({
      ring: { big: "10", sign: "Symbol(s)", self: "[circular]", twice: [{}] },
      pair: [{ a: 1 }, { a: 1 }],
    });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(json(value)).toBe(JSON.stringify(value));
      }),
    );
  });
});

describe("gateway hooks", () => {
  test("a context has the documented keys in snake case", () => {
    expect(encodeGateway(ask("gateway", "session:start"))).toEqual({
      platform: "telegram",
      user_id: "4711",
      session_id: "20260101_120000_ab12cd",
      session_key: "agent:main:telegram:group:-100200300",
    });
  });

  test("a command is told under its canonical and its typed name, each once", () => {
    expect(gatewayNames(ask("gateway", "command:*"))).toEqual(["command:new", "command:reset"]);
    expect(gatewayNames(ask("gateway", "command:*", { rawCommand: "new" }))).toEqual(["command:new"]);
    expect(gatewayNames(ask("gateway", "agent:end"))).toEqual(["agent:end"]);
    expect(named("gateway", "command:reset")?.event).toBe("command:*");
    expect(named("gateway", "agent:nothing")).toBeUndefined();
  });

  test.each([
    ["command:*", "command:reset", true],
    ["command:reset", "command:reset", true],
    ["agent:*", "agent:start", true],
    ["agent", "agent:start", false],
    ["*", "agent:start", false],
    ["*:start", "agent:start", false],
    ["command:m*", "command:model", false],
  ])("a subscription to %s covers %s: %s", (subscription, name, covers) => {
    expect(subscribed(subscription, name)).toBe(covers);
  });

  test.each([
    [{ decision: "deny", message: "no" }, { command: { decision: "deny", message: "no" } }],
    [{ decision: " DENY " }, { command: { decision: "deny", message: "Command `/reset` was blocked by a hook." } }],
    [
      { decision: "deny", message: 5 },
      { command: { decision: "deny", message: "Command `/reset` was blocked by a hook." } },
    ],
    [{ decision: "handled" }, { command: { decision: "handled" } }],
    [{ decision: "handled", message: "done" }, { command: { decision: "handled", message: "done" } }],
    [
      { decision: "rewrite", command_name: "/status", raw_args: "-v" },
      { command: { decision: "rewrite", commandName: "status", rawArgs: "-v" } },
    ],
    [{ decision: "rewrite", command_name: "status" }, { command: { decision: "rewrite", commandName: "status" } }],
    [{ decision: "rewrite", command_name: " / " }, {}],
    [{ decision: "allow" }, {}],
    [{ decision: "" }, {}],
    [{ decision: "dance" }, {}],
    [{ decision: 5 }, {}],
    [{}, {}],
    [null, {}],
    ["deny", {}],
  ])("a command hook that returns %j", (returned, expected) => {
    expect(answer(decodeGateway(ask("gateway", "command:*"), returned))).toEqual(expected);
  });

  test("what other gateway hooks return counts for nothing", () => {
    expect(answer(decodeGateway(ask("gateway", "agent:start"), { decision: "deny" }))).toEqual({});
  });
});
