import fc from "fast-check";
import { expect, test } from "vitest";
import type { Rule } from "../rule.ts";
import { rulesOfObject } from "./claude-rules.ts";
import { machine } from "./source-files-fixture.ts";

const base = { kind: "user", name: "~/.claude/settings.json", dialect: "claude", trust: "none" } as const;
const command = { type: "command", command: "x" };
const neighbour = { type: "command", command: "neighbour" };

/** One handler beside a good neighbour. */
function read(handler: unknown, event = "PreToolUse", group: object = {}) {
  const { rules, dropped, problems } = rulesOfObject(base, { [event]: [{ ...group, hooks: [handler, neighbour] }] });
  const [rule] = rules.filter((one) => !("command" in one) || one.command !== "neighbour");
  const [last] = rules.filter((one) => "command" in one && one.command === "neighbour");
  return { rule, neighbour: last, dropped, problems: problems.map(({ message }) => message) };
}

test.each<[string, object, Partial<Rule> | object]>([
  [
    "the least command",
    command,
    { type: "command", command: "x", args: undefined, timeoutMs: 600_000, once: false, onFailure: undefined },
  ],
  ["exec form", { ...command, args: [] }, { args: [] }],
  [
    "Claude's spelling",
    { ...command, statusMessage: "s", asyncRewake: true },
    { statusMessage: "s", async: true, asyncRewake: true },
  ],
  [
    "Peri's spelling",
    { ...command, status_message: "s", async_rewake: true },
    { statusMessage: "s", async: true, asyncRewake: true },
  ],
  ["both spellings", { ...command, statusMessage: "camel", status_message: "snake" }, { statusMessage: "camel" }],
  ["a shell", { ...command, shell: "powershell" }, { shell: "powershell" }],
  ["a condition", { ...command, if: "Bash(git push:*)" }, { condition: "Bash(git push:*)" }],
  ["a fraction of a second", { ...command, timeout: 0.5 }, { timeoutMs: 500 }],
  ["unknown keys", { ...command, commandWindows: "y", _comment: "z", rewakeMessage: "w" }, { command: "x" }],
  [
    "http",
    { type: "http", url: "http://localhost:1/x", headers: { a: "$T", n: 1 }, allowedEnvVars: ["T"] },
    { url: "http://localhost:1/x", headers: { a: "$T", n: "1" }, allowedEnvVars: ["T"] },
  ],
  [
    "http in Peri's spelling",
    { type: "http", url: "https://a/x", allowed_env_vars: ["T"] },
    { allowedEnvVars: ["T"], headers: {} },
  ],
  [
    "a prompt",
    { type: "prompt", prompt: "p", continueOnBlock: true },
    { prompt: "p", continueOnBlock: true, timeoutMs: 30_000, model: undefined },
  ],
  ["an agent", { type: "agent", prompt: "p", model: "m" }, { prompt: "p", model: "m", timeoutMs: 60_000 }],
  [
    "an MCP tool",
    { type: "mcp_tool", server: "s", tool: "t" },
    { server: "s", tool: "t", input: {}, timeoutMs: 600_000 },
  ],
  ["a worker", { type: "worker", command: "w", args: ["a"] }, { type: "worker", command: "w", args: ["a"] }],
  ["fail closed", { ...command, onFailure: "block" }, { onFailure: "block" }],
  ["fail closed in snake case", { ...command, on_failure: "block" }, { onFailure: "block" }],
  [
    "our own keys",
    { ...command, mode: "shadow", payload: "redacted", rejudge: false },
    { mode: "shadow", payload: "redacted", rejudge: false },
  ],
  ["a matcher of its own", { ...command, matcher: "Edit" }, { matcher: "Edit" }],
])("%s is read without a word", (_, handler, expected) => {
  const { rule, problems } = read(handler);
  expect(problems).toEqual([]);
  expect(rule).toMatchObject({ event: "pre_tool_call", eventName: "PreToolUse", ...expected });
});

test("the group's matcher comes before the handler's own", () => {
  expect(read({ ...command, matcher: "Edit" }, "PreToolUse", { matcher: "Bash" }).rule?.matcher).toBe("Bash");
});

test.each<[string, unknown, RegExp]>([
  ["an unknown type", { type: "comand", command: "x" }, /its type is "comand"; did you mean command\?/],
  ["a type unlike any", { type: "lua", command: "x" }, /the types are command, worker, http, prompt, agent, mcp_tool/],
  ["no type", { command: "x" }, /it has no type; write "type": "command"/],
  ["a type that is no text", { type: 5 }, /its type is a number/],
  ["no command", { type: "command" }, /its command is missing/],
  ["a blank command", { type: "command", command: " " }, /its command is blank/],
  ["a command that is a list", { type: "command", command: ["x"] }, /its command is a list/],
  ["args that are a text", { ...command, args: "x" }, /its args must be a list of texts, but is a text/],
  ["args with numbers", { ...command, args: [1] }, /its args must be a list of texts/],
  ["a url of another kind", { type: "http", url: "file:///etc/passwd" }, /is no http or https address/],
  ["a url that is none", { type: "http", url: "nowhere" }, /is no http or https address/],
  ["no prompt", { type: "prompt" }, /its prompt is missing/],
  ["no server", { type: "mcp_tool", tool: "t" }, /its server is missing/],
  ["a condition that is a list", { ...command, if: ["a"] }, /its if is a list/],
  ["a matcher that is a number", { ...command, matcher: 5 }, /its matcher is a number/],
  ["a text", "x", /hooks.PreToolUse\[0\].hooks\[0\] is a text and is skipped/],
  ["null", null, /is empty and is skipped/],
])("a handler with %s is left out, its neighbour runs", (_, handler, complaint) => {
  const result = read(handler);
  expect(result.rule).toBeUndefined();
  expect(result.neighbour).toBeDefined();
  expect(result.problems).toEqual([expect.stringMatching(complaint)]);
});

test.each<[string, object, object, RegExp]>([
  ["a time limit as text", { timeout: "30" }, { timeoutMs: 30_000 }, /read as 30 seconds/],
  ["a time limit of nothing", { timeout: 0 }, { timeoutMs: 600_000 }, /above 0, but is 0; 600 is used/],
  ["a time limit that is a list", { timeout: [] }, { timeoutMs: 600_000 }, /is a list; 600 is used/],
  [
    "milliseconds",
    { timeout: 5000 },
    { timeoutMs: 5_000_000 },
    /5000 are 83 minutes; if milliseconds were meant, write 5/,
  ],
  ["a wrong flag", { async: "yes" }, { async: false }, /async must be true or false, but is a text/],
  [
    "a wrong shell",
    { shell: "zsh" },
    { shell: undefined },
    /shell is "zsh" and is left out; it may be bash or powershell/,
  ],
  ["a wrong direction", { onFailure: "Block" }, { onFailure: undefined }, /did you mean block\?/],
  ["a wrong message", { statusMessage: 5 }, { statusMessage: undefined }, /statusMessage must be a text/],
])("a handler with %s runs, with a warning", (_, more, expected, complaint) => {
  const { rule, problems } = read({ ...command, ...more });
  expect(rule).toMatchObject(expected);
  expect(problems).toEqual([expect.stringMatching(complaint)]);
});

test.each<[string, unknown, RegExp]>([
  ["no list of groups", { Stop: {} }, /hooks.Stop is an object and is skipped/],
  ["a text as group", { Stop: ["x"] }, /hooks.Stop\[0\] is a text and is skipped/],
  [
    "a handler as group",
    { Stop: [command] },
    /is a handler where a group should stand and is skipped; write \{"hooks": \[ … \]\} around it/,
  ],
  ["no handlers", { Stop: [{ matcher: "" }] }, /has no `hooks` and is skipped/],
  ["handlers that are no list", { Stop: [{ hooks: command }] }, /has `hooks` that is an object/],
  [
    "a matcher that is a list",
    { PreToolUse: [{ matcher: ["Bash"], hooks: [command] }] },
    /has a matcher that is a list and is skipped/,
  ],
  [
    "an unknown event",
    { PreTooluse2: [{ hooks: [command] }] },
    /unknown event "PreTooluse2"; its hooks are skipped: did you mean PreToolUse\?/,
  ],
  ["Hermes's name", { pre_tool_call: [{ hooks: [command] }] }, /in settings files it is called PreToolUse/],
])("%s costs only itself", (_, hooks, complaint) => {
  const { rules, problems } = rulesOfObject(base, { ...(hooks as object), SessionStart: [{ hooks: [neighbour] }] });
  expect(rules.map(({ eventName }) => eventName)).toEqual(["SessionStart"]);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(complaint)]);
});

test.each<[string, object, RegExp]>([
  ["SubagentStart", { type: "prompt", prompt: "p" }, /SubagentStart runs handlers of the types/],
  [
    "PreCompact",
    { type: "agent", prompt: "p" },
    /PreCompact runs handlers of the types command, worker, http, mcp_tool only/,
  ],
  ["Stop", { ...command, if: "Bash(x)" }, /`if` counts for calls of tools only/],
])("for %s a handler that can never run is kept apart and reported", (event, handler, reason) => {
  const { rule, dropped, problems } = read(handler, event);
  expect(rule).toBeUndefined();
  expect(dropped).toEqual([
    { rule: expect.objectContaining({ eventName: event }), reason: expect.stringMatching(reason) },
  ]);
  expect(problems).toEqual([expect.stringMatching(reason)]);
});

test.each([
  ["SessionEnd", undefined, 1500],
  ["SessionEnd", 20, 20_000],
  ["SessionEnd", 90, 60_000],
  ["UserPromptSubmit", undefined, 30_000],
  ["UserPromptSubmit", 90, 90_000],
])("%s with time limit %s has %d ms", (event, timeout, expected) => {
  expect(read({ ...command, timeout }, event).rule?.timeoutMs).toBe(expected);
});

test.each([
  ["PreToolUse", "a(b", /no regular expression and never matches/],
  ["PreToolUse", "mcp__(memory", /never matches/],
  ["UserPromptSubmit", "x", /has nothing to match/],
  ["PreToolUse", "Edit|Write", undefined],
  ["PreToolUse", "*", undefined],
  ["SessionStart", "startup|resume", undefined],
])("a matcher of %s that says %s", (event, matcher, complaint) => {
  const { rule, problems } = read(command, event, { matcher });
  expect(rule?.matcher).toBe(matcher);
  // the neighbour stands in the same group
  expect(problems).toEqual(complaint === undefined ? [] : Array(2).fill(expect.stringMatching(complaint)));
});

test("parallel, strict and mode count for the file and for a group", async () => {
  using on = machine();
  on.write("~/.claude/settings.json", {
    parallel: true,
    strict: true,
    mode: "shadow",
    hooks: { Stop: [{ hooks: [command] }, { parallel: false, mode: "enforce", hooks: [neighbour] }] },
  });
  on.write("~/.talaria/settings.json", {
    hooks: {
      Stop: [
        {
          strict: true,
          parallel: true,
          hooks: [
            { ...command, command: "own" },
            { type: "command", command: "open", onFailure: "continue" },
          ],
        },
      ],
    },
  });
  const [first, second] = (await on.read()).sets;
  expect(first?.source).toMatchObject({ parallel: true, strict: true, mode: "shadow" });
  expect(first?.rules.map(({ parallel, mode }) => [parallel, mode])).toEqual([
    [true, "shadow"],
    [false, "enforce"],
  ]);
  expect(second?.source).toMatchObject({ parallel: false, strict: false, mode: "enforce" });
  expect(second?.rules.map(({ parallel, onFailure }) => [parallel, onFailure])).toEqual([
    [true, "block"],
    [true, "continue"],
  ]);
});

test("an agent's Stop is the stop of a sub-agent", () => {
  const { rules } = rulesOfObject({ ...base, kind: "agent", name: "agent:reviewer" }, { Stop: [{ hooks: [command] }] });
  expect(rules).toMatchObject([{ eventName: "SubagentStop", event: "stop", where: "agent:reviewer" }]);
});

test("ids stay the same over readings, and differ within a file", async () => {
  using on = machine();
  on.write("~/.claude/settings.json", {
    hooks: { Stop: [{ hooks: [command, neighbour] }, { hooks: [{ ...command, command: "z" }] }] },
  });
  const ids = async () => (await on.read()).sets.flatMap(({ rules }) => rules.map(({ id }) => id));
  expect(new Set(await ids()).size).toBe(3);
  expect(await ids()).toEqual(await ids());
});

test("whatever stands under hooks, reading does not throw and the neighbour runs", () => {
  const key = fc.constantFrom(
    "type",
    "command",
    "args",
    "timeout",
    "if",
    "matcher",
    "url",
    "headers",
    "async",
    "hooks",
    "mode",
  );
  const odd = fc.anything({ maxDepth: 2, withBigInt: false });
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.oneof(odd, fc.constantFrom("command", "http", "prompt"))),
      odd,
      odd,
      (handler, group, event) => {
        const hooks = { PreToolUse: [group, { hooks: [handler, group, neighbour] }], Stop: event };
        const { rules } = rulesOfObject(base, JSON.parse(JSON.stringify(hooks)));
        expect(rules.some((rule) => "command" in rule && rule.command === "neighbour")).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
