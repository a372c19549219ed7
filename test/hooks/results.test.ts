import { describe, expect, test } from "vitest";
import { bash, command, group, type HookHouse, hookHouse, say, type Turn, writeFile } from "./hook-fixture.ts";

const preTool = (text: string, more: object = {}) => ({ PreToolUse: [group("Bash", command(text, more))] });
const deny = (reason: string) =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: reason },
  });
const allow = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } });

interface Verdict {
  readonly name: string;
  readonly script: string;
  readonly more?: object;
  readonly blocked: boolean;
  /** In what the model reads of the call. */
  readonly reason?: string;
  readonly notice?: string;
}

/** What a command before a tool comes to: `touch ran` runs or not. */
const verdicts: readonly Verdict[] = [
  {
    name: "22: standard input is one JSON object and ends",
    script: "python3 -c 'import json,sys; json.load(sys.stdin)'",
    blocked: false,
  },
  { name: "23: a hook that never reads its input", script: "exit 0", blocked: false },
  { name: "27: 5 MB of output", script: "head -c 5000000 /dev/zero | tr '\\0' x", blocked: false },
  {
    name: "28: no controlling terminal",
    script: "if (: </dev/tty) 2>/dev/null; then echo 'a terminal' >&2; exit 2; fi",
    blocked: false,
  },
  {
    name: "30: exit 2 blocks with standard error",
    script: "echo because >&2; exit 2",
    blocked: true,
    reason: "because",
  },
  {
    name: "31: exit 2 with an allow still blocks",
    script: `echo '${allow}'; echo because >&2; exit 2`,
    blocked: true,
    reason: "because",
  },
  {
    name: "32: exit 2 with a deny takes its reason",
    script: `echo '${deny("of the JSON")}'; echo other >&2; exit 2`,
    blocked: true,
    reason: "of the JSON",
  },
  {
    name: "33: exit 2 with broken JSON blocks with standard error",
    script: `echo '{"a": '; echo because >&2; exit 2`,
    blocked: true,
    reason: "because",
  },
  {
    name: "34: exit 1 with a deny denies",
    script: `echo '${deny("still no")}'; exit 1`,
    blocked: true,
    reason: "still no",
  },
  { name: "35: exit 1 is told and goes on", script: "echo broke >&2; exit 1", blocked: false, notice: "broke" },
  { name: "36: exit 127 is told and goes on", script: "no-such-program-at-all", blocked: false, notice: "127" },
  {
    name: "36: exit 127 blocks under onFailure",
    script: "no-such-program-at-all",
    more: { onFailure: "block" },
    blocked: true,
    reason: "127",
  },
  {
    name: "37: begun and broken JSON is told and goes on",
    script: `echo '{"hookSpecificOutput": {'`,
    blocked: false,
    notice: "JSON",
  },
  { name: "38: {hello is plain text", script: "echo '{hello'", blocked: false },
  { name: "39: a list is plain text", script: "echo '[1, 2]'", blocked: false },
  {
    name: "40: two lines of JSON without an answer are plain text",
    script: `printf '{"a":1}\\n{"b":2}\\n'`,
    blocked: false,
  },
  {
    name: "40: two lines of JSON with an answer are an error",
    script: `printf '{"a":1}\\n{"decision":"block"}\\n'`,
    blocked: false,
    notice: "hook failed",
  },
  {
    name: "42: continue: false beats allow",
    script: `echo '{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'`,
    blocked: true,
  },
  { name: "43: unknown keys count for nothing", script: `echo '{"colour":"red"}'`, blocked: false },
  {
    name: "44: Peri's spelling counts",
    script: `echo '{"hook_specific_output":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"peri"}}'`,
    blocked: true,
    reason: "peri",
  },
  {
    name: "an unknown decision refuses",
    script: `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe"}}'`,
    blocked: true,
  },
  {
    name: "the old form of a block",
    script: `echo '{"decision":"block","reason":"old form"}'`,
    blocked: true,
    reason: "old form",
  },
];

test.each(verdicts)("$name", async ({ script, more = {}, blocked, reason, notice }) => {
  const house = await hookHouse();
  house.write("hook.sh", `#!/bin/bash\n${script}\n`);
  house.settings(preTool('"$CLAUDE_PROJECT_DIR"/hook.sh', more));
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
  expect(house.has("ran"), turn.stdout).toBe(!blocked);
  if (reason !== undefined) expect(turn.results.join("\n")).toContain(reason);
  if (notice !== undefined) expect(turn.notices.join("\n")).toContain(notice);
  if (notice === undefined && !blocked) expect(turn.notices.filter((text) => text.includes("hook failed"))).toEqual([]);
});

test("26: a time-out kills grandchildren", async () => {
  const house = await hookHouse();
  house.write("hook.sh", `#!/bin/bash\n(sleep 3; touch "$CLAUDE_PROJECT_DIR/late") &\nsleep 30\n`);
  house.settings(preTool('"$CLAUDE_PROJECT_DIR"/hook.sh', { timeout: 0.3 }));
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
  expect(house.has("ran"), turn.stdout).toBe(true);
  await new Promise((settle) => setTimeout(settle, 3_500));
  expect(house.has("late")).toBe(false);
});

test("24: working directory and project folder; the payload has Claude's names", async () => {
  const house = await hookHouse();
  house.settings(preTool(`cat > seen.json; pwd > where; echo "$CLAUDE_PROJECT_DIR" >> where`));
  await house.turn({ steps: [bash("true"), say("done")] });
  expect(house.read("where")).toBe(`${house.project}\n${house.project}\n`);
  const seen = JSON.parse(house.read("seen.json"));
  expect(seen).toMatchObject({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "true" },
    cwd: house.project,
    permission_mode: "bypassPermissions",
  });
  expect(seen.tool_use_id).toBeTypeOf("string");
  expect(seen.transcript_path).toMatch(/\.jsonl$/);
});

test("25: exec form passes words as they are, an empty list too", async () => {
  const house = await hookHouse();
  const script = house.write(
    "args.py",
    `#!/usr/bin/env python3\nimport sys,json\nopen("args-%d" % len(sys.argv), "w").write(json.dumps(sys.argv[1:]))\n`,
  );
  const args = ["a b", "'q'", '"d"', "$HOME", "*"];
  house.settings({ PreToolUse: [group("Bash", { ...command(script), args }, { ...command(script), args: [] })] });
  await house.turn({ steps: [bash("true"), say("done")] });
  expect(JSON.parse(house.read("args-6"))).toEqual(args);
  expect(JSON.parse(house.read("args-1"))).toEqual([]);
});

test("29: what a hook exports reaches the next command", async () => {
  const house = await hookHouse();
  house.settings({
    SessionStart: [group(undefined, command(`echo "export FLAVOUR='dark chocolate'" >> "$CLAUDE_ENV_FILE"`))],
  });
  const turn = await house.turn({ steps: [bash('echo "got:$FLAVOUR"'), say("done")] });
  expect(turn.results.join("\n")).toContain("got:dark chocolate");
});

describe("41: plain text", () => {
  test.each<[event: string, counts: boolean]>([
    ["UserPromptSubmit", true],
    ["SessionStart", true],
    ["PreToolUse", false],
    ["Stop", false],
  ])("of %s is context: %s", async (event, counts) => {
    const house = await hookHouse();
    house.settings({ [event]: [group(undefined, command("echo the-plain-words"))] });
    const turn = await house.turn({ steps: [bash("true"), say("done")] });
    expect(turn.sent.includes("the-plain-words")).toBe(counts);
  });
});

test("45: a long context goes into a file, with a preview", async () => {
  const house = await hookHouse();
  house.write("long.py", `#!/usr/bin/env python3\nprint("é" * 10001)\n`);
  house.settings({ UserPromptSubmit: [group(undefined, command('"$CLAUDE_PROJECT_DIR"/long.py'))] });
  const turn = await house.turn();
  const path = /\/[^\s"\\]*hook-[^\s"\\;]*\.txt/.exec(turn.sent)?.[0] ?? "";
  expect(turn.sent).toContain("é".repeat(2_000));
  expect(turn.sent).not.toContain("é".repeat(2_001));
  expect(house.read(path.replace(`${house.home}/`, "~/"))).toBe("é".repeat(10_001));
});

describe("decisions", () => {
  const input = (updated: object) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: updated } });
  const rewriting = (house: HookHouse, name: string, updated: object, seconds = 0) =>
    command(`"${house.write(name, `#!/bin/bash\nsleep ${seconds}\necho '${input(updated)}'\n`)}"`);

  test("47: of two rewrites the later declared one counts, whoever is first", async () => {
    const house = await hookHouse();
    const rules = [
      rewriting(house, "a.sh", { command: "touch a" }, 0.3),
      rewriting(house, "b.sh", { command: "touch b" }),
    ];
    house.settings({ PreToolUse: [group("Bash", ...rules)] }, "project", { parallel: true });
    await house.turn({ steps: [bash("touch c"), say("done")] });
    expect([house.has("a"), house.has("b"), house.has("c")]).toEqual([false, true, false]);
  });

  test("49: a rewrite replaces the whole of what the hook saw", async () => {
    const house = await hookHouse();
    house.settings({
      PreToolUse: [
        group("Write", rewriting(house, "a.sh", { file_path: `${house.project}/other.txt`, content: "new" })),
      ],
    });
    await house.turn({ steps: [writeFile("asked.txt", "old"), say("done")] });
    expect(house.has("asked.txt")).toBe(false);
    expect(house.read("other.txt")).toContain("new");
  });

  test("50: what is never allowed stays so after an allow", async () => {
    const house = await hookHouse();
    house.write("allow.sh", `#!/bin/bash\necho '${allow}'\n`);
    house.settings(preTool('"$CLAUDE_PROJECT_DIR"/allow.sh'));
    const turn = await house.turn({ steps: [bash("rm -rf /"), say("done")] });
    expect(turn.events.find(({ type }) => type === "tool-end")).toMatchObject({ status: "blocked" });
  });

  test("52: exit 2 of a permission request changes nothing", async () => {
    const house = await hookHouse();
    house.settings({ PermissionRequest: [group(undefined, command("touch asked; exit 2"))] });
    const config = house.read("~/.talaria/config.yaml");
    house.write("~/.talaria/config.yaml", config.replace('mode: "off"', "mode: manual"));
    const turn = await house.turn({ steps: [bash("rm -rf build"), say("done")] });
    expect(house.has("asked")).toBe(true);
    expect(turn.results.join("\n")).not.toContain("exit code 2");
    expect(turn.events.find(({ type }) => type === "tool-end")).toMatchObject({ status: "blocked" });
  });

  test("53: a refused prompt ends the turn, and no model sees it", async () => {
    const house = await hookHouse();
    house.settings({ UserPromptSubmit: [group(undefined, command("echo 'not today' >&2; exit 2"))] });
    const turn = await house.turn({ prompt: "the-secret-wish" });
    expect(house.server.requests).toHaveLength(0);
    expect(turn.status).toBe(3);
    expect(turn.stdout).toContain("not today");
  });

  test("54: Stop blocks eight times, the ninth ends", async () => {
    const house = await hookHouse();
    house.settings({ Stop: [group(undefined, command(`cat >> stops; echo 'go on' >&2; exit 2`))] });
    const turn = await house.turn({ steps: Array.from({ length: 10 }, (_, index) => say(`answer ${index}`)) });
    const stops = house
      .read("stops")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { stop_hook_active: boolean });
    expect(stops.map(({ stop_hook_active }) => stop_hook_active)).toEqual([
      false,
      ...Array.from({ length: 8 }, () => true),
    ]);
    expect(house.server.requests).toHaveLength(9);
    expect(turn.sent).toContain("go on");
    expect(turn.status).toBe(0);
  });

  test("54: the cap of Stop can be set", async () => {
    const house = await hookHouse();
    house.settings({ Stop: [group(undefined, command("echo more >&2; exit 2"))] });
    const steps = Array.from({ length: 4 }, () => say("done"));
    await house.turn({ steps, env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "2" } });
    expect(house.server.requests).toHaveLength(3);
  });

  test("57: the end of a session does not wait for slow hooks", async () => {
    const house = await hookHouse();
    house.settings({ SessionEnd: [group(undefined, command("touch began; sleep 20; touch ended"))] });
    const started = Date.now();
    const turn = await house.turn();
    expect(turn.status).toBe(0);
    expect(Date.now() - started).toBeLessThan(12_000);
    expect([house.has("began"), house.has("ended")]).toEqual([true, false]);
  });

  test("58: what a background hook says reaches the model with its next request", async () => {
    const house = await hookHouse();
    const answer = JSON.stringify({
      hookSpecificOutput: { hookEventName: "PreToolUse", additionalContext: "from-behind" },
    });
    house.write("async.sh", `#!/bin/bash\necho '${answer}'\n`);
    house.settings(preTool('"$CLAUDE_PROJECT_DIR"/async.sh', { async: true }));
    const turn = await house.turn({ steps: [bash("sleep 1"), say("done")] });
    expect(turn.sent).toContain("from-behind");
  });

  test("parallel: deny beats ask beats allow", async () => {
    const house = await hookHouse();
    const decide = (decision: string) =>
      command(
        `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision, permissionDecisionReason: decision } })}'`,
      );
    house.settings({ PreToolUse: [group("Bash", decide("allow"), decide("deny"), decide("ask"))] }, "project", {
      parallel: true,
    });
    const turn: Turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
    expect(house.has("ran")).toBe(false);
    expect(turn.results.join("\n")).toContain("deny");
  });
});
