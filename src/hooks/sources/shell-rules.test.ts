import fc from "fast-check";
import { expect, test } from "vitest";
import type { Rule } from "../rule.ts";
import { eventNamed } from "./event-name.ts";
import { pythonPattern } from "./python-pattern.ts";
import { machine } from "./source-files-fixture.ts";

/** Reads the text as the `hooks:` of config.yaml, two blanks in. */
async function read(hooks: string): Promise<{ readonly rules: readonly Rule[]; readonly problems: readonly string[] }> {
  using on = machine();
  const file = on.write("~/.talaria/config.yaml", `hooks:${hooks}\n`);
  const { sets } = await on.read();
  return {
    rules: sets.flatMap(({ rules }) => rules),
    problems: sets.flatMap(({ problems }) =>
      problems.map(({ where, message }) => `${where.replace(file, "F")} ${message}`),
    ),
  };
}

const entry = (body: string, event = "pre_tool_call"): string =>
  `\n  ${event}:\n    - {${body}}\n    - {command: neighbour}`;

test.each([
  ["", "nothing"],
  [" null", "null"],
  [" []", "a list"],
  [" text", "a text"],
  [" {}", "no events"],
  ["\n  pre_tool_call:", "an event without entries"],
])("hooks:%s is no hooks, in silence", async (hooks) => {
  expect(await read(hooks)).toEqual({ rules: [], problems: [] });
});

test.each([
  [
    "command: a.sh\n",
    entry("command: ' python3 h.py  '"),
    { command: "python3 h.py", timeoutMs: 60_000, matcher: undefined },
  ],
  ["a matcher with blanks", entry('command: x, matcher: "  terminal\\n"'), { matcher: "terminal" }],
  ["a blank matcher", entry("command: x, matcher: ' '"), { matcher: undefined }],
  ["a time limit as text", entry("command: x, timeout: '30'"), { timeoutMs: 30_000 }],
  ["a fraction", entry("command: x, timeout: 2.9"), { timeoutMs: 2000 }],
  ["true", entry("command: x, timeout: true"), { timeoutMs: 1000 }],
  ["keys nobody knows", entry("command: x, note: y, env: {A: b}"), { command: "x" }],
  ["on_failure", entry("command: x, on_failure: block"), { onFailure: "block" }],
  ["fail_closed", entry("command: x, fail_closed: true"), { onFailure: "block" }],
  ["a worker", entry("command: x, type: worker"), { type: "worker" }],
  ["a shadow", entry("command: x, mode: shadow"), { mode: "shadow" }],
  ["masked payloads", entry("command: x, payload: redacted, once: true"), { payload: "redacted", once: true }],
])("an entry with %s is taken without a word", async (_, hooks, expected) => {
  const { rules, problems } = await read(hooks);
  expect(problems).toEqual([]);
  expect(rules).toHaveLength(2);
  expect(rules[0]).toMatchObject({ event: "pre_tool_call", source: { kind: "shell", trust: "consent" }, ...expected });
});

test.each<[string, string, string, object | undefined]>([
  [
    "an unknown event",
    "\n  pre_tool:\n    - {command: x}\n  pre_tool_call:\n    - {command: neighbour}",
    'F:2 unknown event "pre_tool"; its hooks are skipped: did you mean pre_tool_call?',
    undefined,
  ],
  [
    "an event unlike any",
    "\n  xyzzy:\n    - {command: x}\n  pre_tool_call:\n    - {command: neighbour}",
    'F:2 unknown event "xyzzy"; its hooks are skipped: the events are on_session_start, ',
    undefined,
  ],
  [
    "Claude's name",
    "\n  PreToolUse:\n    - {command: x}\n  pre_tool_call:\n    - {command: neighbour}",
    'F:2 unknown event "PreToolUse"; its hooks are skipped: in the `hooks:` of config.yaml it is called pre_tool_call',
    undefined,
  ],
  [
    "an event of settings files alone",
    "\n  Stop:\n    - {command: x}\n  pre_tool_call:\n    - {command: neighbour}",
    'F:2 unknown event "Stop"; its hooks are skipped: write it in settings files instead',
    undefined,
  ],
  [
    "no list",
    "\n  post_tool_call: x\n  pre_tool_call:\n    - {command: neighbour}",
    "F:2 hooks.post_tool_call must be a list of entries, but is a text; it is skipped",
    undefined,
  ],
  [
    "a text as entry",
    "\n  pre_tool_call:\n    - x\n    - {command: neighbour}",
    "F:3 hooks.pre_tool_call[0] is a text and is skipped; it must be a mapping with a `command`",
    undefined,
  ],
  [
    "no command",
    entry("matcher: x"),
    "F:3 hooks.pre_tool_call[0] has no `command` and is skipped; it must be a command line",
    undefined,
  ],
  [
    "a blank command",
    entry("command: '  '"),
    "F:3 hooks.pre_tool_call[0] has a `command` that is blank and is skipped",
    undefined,
  ],
  [
    "a list as command",
    entry("command: [a, b]"),
    "F:3 hooks.pre_tool_call[0] has a `command` that is a list and is skipped",
    undefined,
  ],
  [
    "a number as command",
    entry("command: 5"),
    "F:3 hooks.pre_tool_call[0] has a `command` that is a number and is skipped",
    undefined,
  ],
  [
    "a matcher of another kind",
    entry("command: x, matcher: [a]"),
    "F:3 matcher must be a text, but is a list; it is left out, and the hook runs for all",
    { matcher: undefined },
  ],
  [
    "a matcher that is no pattern",
    entry("command: x, matcher: 'a(b'"),
    'F:3 matcher "a(b" is no regular expression; it is compared letter by letter',
    { matcher: "a(b" },
  ],
  [
    "a matcher without use",
    entry("command: x, matcher: a", "on_session_start"),
    "F:3 on_session_start has nothing to match; the matcher is left out, and the hook runs every time",
    { matcher: undefined },
  ],
  [
    "a time limit that is none",
    entry("command: x, timeout: soon"),
    'F:3 timeout "soon" is no number of seconds; 60 is used',
    { timeoutMs: 60_000 },
  ],
  [
    "a time limit as fraction in text",
    entry("command: x, timeout: '2.5'"),
    'F:3 timeout "2.5" is no number of seconds; 60 is used',
    { timeoutMs: 60_000 },
  ],
  [
    "an endless time limit",
    entry("command: x, timeout: .inf"),
    "F:3 timeout Infinity is no number of seconds; 60 is used",
    { timeoutMs: 60_000 },
  ],
  [
    "a list as time limit",
    entry("command: x, timeout: [1]"),
    "F:3 timeout a list is no number of seconds; 60 is used",
    { timeoutMs: 60_000 },
  ],
  [
    "a time limit of nothing",
    entry("command: x, timeout: 0"),
    "F:3 timeout 0 must be at least 1 second; 60 is used",
    { timeoutMs: 60_000 },
  ],
  [
    "false as time limit",
    entry("command: x, timeout: false"),
    "F:3 timeout false must be at least 1 second; 60 is used",
    { timeoutMs: 60_000 },
  ],
  [
    "a long time limit",
    entry("command: x, timeout: 301"),
    "F:3 timeout 301 is more than 300 seconds; it is cut to that",
    { timeoutMs: 300_000 },
  ],
  [
    "a wrong switch",
    entry("command: x, on_failure: deny"),
    'F:3 on_failure is "deny" and is left out; it may be continue or block',
    { onFailure: undefined },
  ],
])("%s gets its warning and costs only itself", async (_, hooks, warning, taken) => {
  const { rules, problems } = await read(hooks);
  expect(problems).toEqual([expect.stringContaining(warning)]);
  expect(rules.at(-1)).toMatchObject({ command: "neighbour" });
  expect(rules).toHaveLength(taken === undefined ? 1 : 2);
  if (taken !== undefined) expect(rules[0]).toMatchObject(taken);
});

test("the same hook runs once, with another matcher twice; another time limit makes no difference", async () => {
  using on = machine();
  on.write(
    "~/.talaria/config.yaml",
    "hooks:\n  pre_tool_call:\n    - {command: x}\n    - {command: x, timeout: 3}\n    - {command: x, matcher: a}\n",
  );
  const [set] = (await on.read()).sets;
  expect(set?.rules.map(({ matcher }) => matcher)).toEqual([undefined, "a"]);
  expect(set?.dropped).toEqual([
    { rule: expect.objectContaining({ timeoutMs: 3000 }), reason: expect.stringContaining("config.yaml:3 already") },
  ]);
});

test("events of later Hermes versions are in order and noted", async () => {
  expect(eventNamed("pre_verify", "shell")).toMatchObject({ level: "note" });
  expect(eventNamed("kanban_task_claimed", "shell")).toMatchObject({ level: "note" });
});

test("whatever stands under hooks, reading does not throw and neighbours stay", async () => {
  const anything = fc.anything({ withBigInt: false, withDate: false, maxDepth: 3 });
  await fc.assert(
    fc.asyncProperty(anything, async (value) => {
      using on = machine();
      const text = JSON.stringify({ hooks: { pre_llm_call: value, pre_tool_call: [value, { command: "neighbour" }] } });
      on.write("~/.talaria/config.yaml", text);
      const { sets } = await on.read();
      expect(sets.flatMap(({ rules }) => rules.map((rule) => "command" in rule && rule.command))).toContain(
        "neighbour",
      );
    }),
    { numRuns: 60 },
  );
});

test.each<[string, readonly string[], readonly string[]]>([
  ["terminal", ["terminal"], ["terminal_x", "xterminal", "Terminal"]],
  ["write_file|patch", ["write_file", "patch"], ["patchy", "write_file2"]],
  ["(?i)TERMINAL", ["terminal", "Terminal"], ["terminals"]],
  ["mcp__.*", ["mcp__a__b"], ["xmcp__a"]],
  ["(?P<a>x)(?P=a)", ["xx"], ["x"]],
  ["a\\Z", ["a"], ["ab"]],
  ["\\Aab", ["ab"], ["aab"]],
  ["x{,2}", ["", "xx"], ["xxx"]],
  ["[]a]+", ["]a"], ["b"]],
  ["[^]]", ["a"], ["]"]],
  ["a(?#note)b", ["ab"], ["a"]],
  ["\\d+\\.", ["12."], ["12x"]],
])("the Python pattern %s is matched against the whole name", (source, fits, misses) => {
  const pattern = pythonPattern(source);
  for (const name of fits) expect([name, pattern?.test(name)]).toEqual([name, true]);
  for (const name of misses) expect([name, pattern?.test(name)]).toEqual([name, false]);
});

test.each(["a(b", "*x", "a)|(b", "[a", "x++", "(?>a)", "(?(1)a|b)", "(?x)a b", "a**", "\\q"])(
  "%s is no pattern here",
  (source) => {
    expect(pythonPattern(source)).toBeUndefined();
  },
);
