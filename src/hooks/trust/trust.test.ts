import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Rule } from "../rule.ts";
import { type Machine, machine, withCommand } from "../sources/source-files-fixture.ts";
import { isDrifted, scriptModified } from "./allow-list.ts";
import type { TrustOptions } from "./consent.ts";
import { pythonJson, pythonTime } from "./python-json.ts";
import { hookTrust } from "./trust.ts";

interface Heard {
  readonly log: string[];
  readonly questions: string[];
}

function optionsFor(on: Machine, heard: Heard, more: Partial<TrustOptions> = {}): TrustOptions {
  const { home, project, environment } = on.search;
  const base = {
    home,
    project,
    environment: { ...environment, PATH: process.env["PATH"] },
    acceptHooks: false,
    projectHooks: true,
  };
  return { ...base, log: (level, message) => heard.log.push(`${level}: ${message}`), ...more };
}

const answering =
  (heard: Heard, ...answers: readonly (string | undefined)[]): NonNullable<TrustOptions["askPerson"]> =>
  async (question) => {
    heard.questions.push(question);
    return answers[heard.questions.length - 1];
  };

const shellFile = (...commands: readonly string[]): string =>
  `hooks:\n  pre_tool_call:\n${commands.map((command) => `    - command: ${JSON.stringify(command)}\n`).join("")}`;

async function shellRules(on: Machine, ...commands: readonly string[]) {
  on.write("~/.talaria/config.yaml", shellFile(...commands));
  const read = await on.read();
  return { sets: read.sets, rules: read.sets.flatMap(({ rules }) => rules), autoAccept: read.autoAccept };
}

const listOf = (on: Machine): unknown =>
  JSON.parse(readFileSync(on.path("~/.talaria/shell-hooks-allowlist.json"), "utf8"));

test("a yes is recorded in Hermes's format, and nobody is asked again", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const script = on.write("~/h.py", "print()");
  utimesSync(script, 1_700_000_000.5, 1_700_000_000.5);
  const { sets, rules } = await shellRules(on, "python3 ~/h.py");
  const trust = await hookTrust(optionsFor(on, heard, { askPerson: answering(heard, " Yes ") }));
  expect(trust.mayRun(rules[0]!)).toContain("has not been allowed");
  await trust.settle(sets, { autoAccept: false });
  expect(trust.mayRun(rules[0]!)).toBeUndefined();
  expect(heard.questions).toEqual([
    expect.stringMatching(/Event: {3}pre_tool_call\n.*python3 ~\/h\.py[\s\S]*Allow this hook to run\?$/),
  ]);
  const text = readFileSync(on.path("~/.talaria/shell-hooks-allowlist.json"), "utf8");
  expect(text.replace(/"approved_at": "[^"]*"/, '"approved_at": "T"')).toBe(`{
  "approvals": [
    {
      "approved_at": "T",
      "command": "python3 ~/h.py",
      "event": "pre_tool_call",
      "script_mtime_at_approval": "2023-11-14T22:13:20.500000Z"
    }
  ]
}`);
  expect(text).toMatch(/"approved_at": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z"/);
  const next = await hookTrust(optionsFor(on, heard));
  expect(next.mayRun(rules[0]!)).toBeUndefined();
});

test.each([["n"], [""], ["yess"], [undefined]])("the answer %j is a no that is not remembered", async (answer) => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { sets, rules } = await shellRules(on, "x");
  const trust = await hookTrust(optionsFor(on, heard, { askPerson: answering(heard, answer) }));
  await trust.settle(sets, { autoAccept: false });
  await trust.settle(sets, { autoAccept: false });
  expect(heard.questions).toHaveLength(1);
  expect(trust.mayRun(rules[0]!)).toBeDefined();
  expect(() => listOf(on)).toThrow();
});

test.each<[string, Partial<TrustOptions>, string]>([
  ["--accept-hooks", { acceptHooks: true }, ""],
  ["TALARIA_ACCEPT_HOOKS", { environment: { TALARIA_ACCEPT_HOOKS: " On " } }, ""],
  ["HERMES_ACCEPT_HOOKS", { environment: { HERMES_ACCEPT_HOOKS: "yes" } }, ""],
  ["hooks_auto_accept: true", {}, "hooks_auto_accept: true\n"],
  ["hooks_auto_accept as a word", {}, "hooks_auto_accept: 'yes'\n"],
])("%s takes new hooks and records them without a question", async (_, more, config) => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  on.write("~/.talaria/config.yaml", `${config}${shellFile("one", "two")}`);
  const { sets, autoAccept } = await on.read();
  const trust = await hookTrust(optionsFor(on, heard, { ...more, askPerson: answering(heard) }));
  await trust.settle(sets, { autoAccept });
  expect(heard.questions).toEqual([]);
  expect(sets.flatMap(({ rules }) => rules.map(trust.mayRun))).toEqual([undefined, undefined]);
  expect(listOf(on)).toMatchObject({ approvals: [{ command: "one" }, { command: "two" }] });
});

test.each(["1", "'false'", "no", "null", "'no'", "[yes]", "2"])(
  "hooks_auto_accept: %s accepts nothing",
  async (value) => {
    using on = machine();
    on.write("~/.talaria/config.yaml", `hooks_auto_accept: ${value}\n`);
    expect((await on.read()).autoAccept).toBe(false);
  },
);

test("without a terminal a hook is skipped, once with a warning that names the ways out", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { sets, rules } = await shellRules(on, "x");
  const trust = await hookTrust(optionsFor(on, heard));
  await trust.settle(sets, { autoAccept: false });
  await trust.settle(sets, { autoAccept: false });
  expect(heard.log).toHaveLength(1);
  for (const way of ["--accept-hooks", "HERMES_ACCEPT_HOOKS=1", "hooks_auto_accept", "config.yaml:3"])
    expect(heard.log[0]).toContain(way);
  expect(trust.mayRun(rules[0]!)).toContain("--accept-hooks");
});

test("a revocation by another process acts at the next look, even under a bypass", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { sets, rules } = await shellRules(on, "x", "y");
  const trust = await hookTrust(optionsFor(on, heard, { acceptHooks: true }));
  await trust.settle(sets, { autoAccept: false });
  const other = await hookTrust(optionsFor(on, heard));
  expect(await other.lists.allowed.revoke("x")).toBe(1);
  expect(await other.lists.allowed.revoke("x")).toBe(0);
  await trust.refresh();
  await trust.settle(sets, { autoAccept: false });
  expect(rules.map(trust.mayRun)).toEqual(["its consent was revoked", undefined]);
  await other.lists.allowed.approve("pre_tool_call", "x");
  await trust.refresh();
  expect(rules.map(trust.mayRun)).toEqual([undefined, undefined]);
});

test("what was allowed before this process and is revoked while it runs is not taken back by a bypass", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { sets, rules } = await shellRules(on, "x");
  const other = await hookTrust(optionsFor(on, heard));
  await other.lists.allowed.approve("pre_tool_call", "x");
  const trust = await hookTrust(optionsFor(on, heard, { acceptHooks: true }));
  await trust.settle(sets, { autoAccept: false });
  await other.lists.allowed.revoke("x");
  await trust.refresh();
  await trust.settle(sets, { autoAccept: false });
  expect(trust.mayRun(rules[0]!)).toBe("its consent was revoked");
  expect(listOf(on)).toEqual({ approvals: [] });
});

test.each([
  ["{broken"],
  ["[]"],
  ['{"approvals": 3}'],
  ["\u0000\u0001"],
  ['{"approvals": [1, null, {"event": 2, "command": "x"}]}'],
])("a list that holds %j allows nothing and is written anew", async (content) => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { sets, rules } = await shellRules(on, "x");
  on.write("~/.talaria/shell-hooks-allowlist.json", content);
  const trust = await hookTrust(optionsFor(on, heard, { askPerson: answering(heard, "y") }));
  expect(trust.mayRun(rules[0]!)).toBeDefined();
  await trust.settle(sets, { autoAccept: false });
  expect(trust.mayRun(rules[0]!)).toBeUndefined();
  expect(listOf(on)).toMatchObject({ approvals: expect.arrayContaining([expect.objectContaining({ command: "x" })]) });
});

test("other keys of the list survive, and a second approval takes the first one's place", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const old = { approved_at: "2020-01-01T00:00:00Z", command: "x", event: "pre_tool_call", extra: 1 };
  const others = [{ event: "stop", command: "x" }, "strange"];
  on.write("~/.talaria/shell-hooks-allowlist.json", { zeta: { b: 1, a: "é" }, approvals: [old, ...others] });
  const { lists } = await hookTrust(optionsFor(on, heard));
  await lists.allowed.approve("pre_tool_call", "x");
  expect(listOf(on)).toEqual({
    zeta: { a: "é", b: 1 },
    approvals: [
      ...others,
      { ...old, extra: undefined, approved_at: expect.any(String), script_mtime_at_approval: null },
    ],
  });
  expect(readFileSync(on.path("~/.talaria/shell-hooks-allowlist.json"), "utf8")).toContain('"a": "\\u00e9"');
});

test("where consent cannot be recorded, the hook runs this time and says so", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { sets, rules } = await shellRules(on, "x");
  mkdirSync(on.path("~/.talaria/shell-hooks-allowlist.json"));
  const trust = await hookTrust(optionsFor(on, heard, { askPerson: answering(heard, "y") }));
  await trust.settle(sets, { autoAccept: false });
  expect(trust.mayRun(rules[0]!)).toBeUndefined();
  expect(heard.log).toEqual([expect.stringContaining("shell-hooks-allowlist.json")]);
});

test("what was allowed in the second home is allowed here", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const { rules } = await shellRules(on, "x");
  on.write("~/.hermes/shell-hooks-allowlist.json", { approvals: [{ event: "pre_tool_call", command: "x" }] });
  const trust = await hookTrust(optionsFor(on, heard, { secondHome: on.path("~/.hermes") }));
  expect(trust.mayRun(rules[0]!)).toBeUndefined();
});

test("rules of a project wait for the trust of its folder, and the question lists what would run", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  on.write("project/.claude/settings.json", withCommand("rm -rf \u202e~\u0007"));
  on.write("~/.claude/settings.json", withCommand("user"));
  const { sets } = await on.read();
  const trust = await hookTrust(optionsFor(on, heard, { askPerson: answering(heard, "y") }));
  const reasons = () => sets.flatMap(({ rules }) => rules.map(trust.mayRun));
  expect(reasons()).toEqual([undefined, expect.stringContaining("is not trusted")]);
  await trust.settle(sets, { autoAccept: false });
  expect(reasons()).toEqual([undefined, undefined]);
  expect(heard.questions).toHaveLength(1);
  expect(heard.questions[0]).toContain("PreToolUse (Bash): rm -rf \\u{202e}~\\u{7}");
  expect(trust.projectTrusted()).toBe(true);
  symlinkSync(on.path("project"), on.path("link"));
  const next = await hookTrust(optionsFor(on, heard, { project: on.path("link") }));
  expect(next.projectTrusted()).toBe(true);
  expect(await next.lists.folders.remove(on.path("project"))).toBe(true);
  await trust.refresh();
  expect(trust.lists.folders.file).toBe(on.path("~/.talaria/trusted-folders.json"));
});

test("without a terminal a project's hooks are skipped with one warning; a bypass lets them run without a record", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  on.write("project/.claude/settings.json", withCommand("project"));
  const { sets } = await on.read();
  const alone = await hookTrust(optionsFor(on, heard));
  await alone.settle(sets, { autoAccept: false });
  await alone.settle(sets, { autoAccept: false });
  expect(heard.log).toEqual([expect.stringMatching(/one hook of the project .* skipped.*--accept-hooks/)]);
  const accepting = await hookTrust(optionsFor(on, heard, { acceptHooks: true }));
  await accepting.settle(sets, { autoAccept: false });
  expect(accepting.projectTrusted()).toBe(true);
  const off = await hookTrust(optionsFor(on, heard, { acceptHooks: true, projectHooks: false }));
  expect(off.projectTrusted()).toBe(false);
  expect((await hookTrust(optionsFor(on, heard))).projectTrusted()).toBe(false);
});

test("a pinned script that changes is held back, and the difference can be shown", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const script = on.write("~/guard.sh", "#!/bin/sh\necho one\n");
  chmodSync(script, 0o755);
  utimesSync(script, 1_700_000_000, 1_700_000_000);
  const { rules } = await shellRules(on, "bash ~/guard.sh --strict", "other");
  const trust = await hookTrust(optionsFor(on, heard));
  const [rule, other] = rules as [Extract<(typeof rules)[number], { type: "command" }>, never];
  expect(await trust.verify(rule)).toBeUndefined();
  const [pin] = await trust.lists.pins.pin([rule]);
  await trust.refresh();
  expect(pin).toMatchObject({
    command: "bash ~/guard.sh --strict",
    files: [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  });
  expect(pin?.interpreter).toMatch(/bash$/);
  expect([trust.isPinned(rule), trust.isPinned(other)]).toEqual([true, false]);
  expect(await trust.verify(rule)).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(await trust.verify(rule)).toBeUndefined();
  writeFileSync(script, "#!/bin/sh\necho two\n");
  utimesSync(script, 1_700_000_000, 1_700_000_000);
  expect(await trust.verify(rule)).toMatch(/held back: .*guard\.sh has changed since it was approved/);
  expect(await trust.lists.pins.difference(pin!)).toMatch(/^-echo one$[\s\S]*^\+echo two$/m);
  writeFileSync(script, "#!/bin/sh\necho one\n");
  expect(await trust.verify(rule)).toBeUndefined();
  rmSync(script);
  expect(await trust.verify(rule)).toMatch(/is gone/);
  expect(await trust.lists.pins.unpin([rule])).toBe(1);
  await trust.refresh();
  expect(await trust.verify(rule)).toBeUndefined();
});

test("a look finds a changed script, and mayRun then says so without looking", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const script = on.write("~/guard.sh", "one");
  on.write("~/.claude/settings.json", withCommand("sh ~/guard.sh"));
  const { sets } = await on.read();
  const [rule] = sets.flatMap(({ rules }) => rules) as [Extract<Rule, { type: "command" }>];
  const trust = await hookTrust(optionsFor(on, heard));
  await trust.lists.pins.pin([rule]);
  await trust.refresh();
  await trust.settle(sets, { autoAccept: false });
  expect(trust.mayRun(rule)).toBeUndefined();
  writeFileSync(script, "two");
  expect(trust.mayRun(rule)).toBeUndefined();
  await trust.refresh();
  expect(trust.mayRun(rule)).toContain("has changed since it was approved");
  writeFileSync(script, "one");
  await trust.refresh();
  expect(trust.mayRun(rule)).toBeUndefined();
});

test.each([
  "sh ~/guard.sh >> ~/hooks.log",
  "sh ~/guard.sh >~/hooks.log 2>&1",
  "sh ~/guard.sh &>> ~/hooks.log; true",
  "echo seen >>~/hooks.log && sh ~/guard.sh 2>~/hooks.log",
])("what a pinned command writes may come and change, its script not: %s", async (command) => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  const script = on.write("~/guard.sh", "one");
  on.write("~/.claude/settings.json", withCommand(command));
  const { sets } = await on.read();
  const [rule] = sets.flatMap(({ rules }) => rules) as [Extract<Rule, { type: "command" }>];
  const trust = await hookTrust(optionsFor(on, heard));
  const [pin] = await trust.lists.pins.pin([rule]);
  expect(pin?.files.map(({ path }) => path)).toEqual([script]);
  for (const text of ["first", "first, second"]) {
    on.write("~/hooks.log", text);
    await trust.refresh();
    expect(await trust.verify(rule)).toBeUndefined();
  }
  writeFileSync(script, "two");
  await trust.refresh();
  expect(await trust.verify(rule)).toContain("has changed since it was approved");
});

test("a pin of a relative command holds in its own project only", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  on.write("project/hooks/a.py", "one");
  on.write("second/hooks/a.py", "two");
  const { rules } = await shellRules(on, "python3 hooks/a.py");
  const [rule] = rules as [Extract<(typeof rules)[number], { type: "command" }>];
  const trust = await hookTrust(optionsFor(on, heard));
  await trust.lists.pins.pin([rule]);
  const there = await hookTrust(optionsFor(on, heard, { project: on.path("second") }));
  expect(await there.verify(rule)).toContain("held back");
  await there.lists.pins.pin([rule]);
  await Promise.all([trust.refresh(), there.refresh()]);
  expect([await trust.verify(rule), await there.verify(rule)]).toEqual([undefined, undefined]);
});

test("a list of pins that cannot be read holds programs back", async () => {
  using on = machine();
  const heard: Heard = { log: [], questions: [] };
  on.write("~/.claude/settings.json", withCommand("x"));
  on.write("~/.talaria/hooks.lock", "{oops");
  const { sets } = await on.read();
  const trust = await hookTrust(optionsFor(on, heard));
  expect(trust.mayRun(sets[0]!.rules[0]!)).toMatch(/held back: .*hooks\.lock cannot be read/);
});

test("drift is a later time of more than a rounding", async () => {
  using on = machine();
  const script = on.write("~/a b.sh", "x");
  utimesSync(script, 1_700_000_000, 1_700_000_000);
  const { environment } = on.search;
  const now = await scriptModified("bash '~/a b.sh' arg", environment);
  expect(now).toBe("2023-11-14T22:13:20Z");
  expect(isDrifted("2023-11-14T22:13:20.000001Z", now)).toBe(false);
  expect(isDrifted("2023-11-14T22:13:19Z", now)).toBe(true);
  expect(isDrifted(undefined, now)).toBe(false);
  expect(await scriptModified("no/such/file", environment)).toBeUndefined();
  expect(await scriptModified("'unbalanced", environment)).toBeUndefined();
});

test("times and JSON are written as Python writes them", () => {
  expect(pythonTime(1_700_000_000_123.456)).toBe("2023-11-14T22:13:20.123456Z");
  expect(pythonTime(1_700_000_000_000)).toBe("2023-11-14T22:13:20Z");
  expect(pythonJson({ b: [], a: { é: "\u2028\u{1f600}\u007f" } })).toBe(
    '{\n  "a": {\n    "\\u00e9": "\\u2028\\ud83d\\ude00\\u007f"\n  },\n  "b": []\n}',
  );
});
