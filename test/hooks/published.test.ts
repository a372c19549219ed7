import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { bash, command, group, hookHouse, say } from "./hook-fixture.ts";

interface Script {
  readonly name: string;
  readonly text: string;
  readonly mode?: number;
  readonly run?: string;
  readonly more?: object;
  readonly result: string;
  readonly notice?: string;
}

const no = "cat > /dev/null\necho 'not that' >&2\nexit 2\n";

/** Scripts as they lie in people's folders, in whatever state. */
const scripts: readonly Script[] = [
  { name: "a byte order mark before the first line", text: `\ufeff#!/bin/bash\n${no}`, result: "not that" },
  { name: "no first line at all", text: no, result: "not that" },
  { name: "no first line at all, in exec form", text: no, more: { args: [] }, result: "not that" },
  {
    name: "Windows line ends, with a first line",
    text: `#!/bin/bash\n${no}`.replaceAll("\n", "\r\n"),
    result: "ran",
    notice: "Windows line break",
  },
  {
    name: "Windows line ends, read by bash",
    text: "echo 'not that' >&2\r\nexit 2\r\n",
    run: "bash hook.sh",
    result: "numeric argument required",
  },
  { name: "not executable", text: `#!/bin/bash\n${no}`, mode: 0o644, result: "ran", notice: "Permission denied" },
  {
    name: "not executable, where a failure denies",
    text: `#!/bin/bash\n${no}`,
    mode: 0o644,
    more: { onFailure: "block" },
    result: "Permission denied",
  },
  {
    name: "an answer for another event",
    text: `#!/bin/bash\necho '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "deny"}}'\n`,
    result: "ran",
    notice: "hookSpecificOutput is for PostToolUse",
  },
  {
    name: "an answer that a here-document holds",
    text: `#!/bin/bash\ncat <<'END'\n{"decision": "block",\n "reason": "not that"}\nEND\n`,
    result: "not that",
  },
  {
    name: "lines of JSON of which one is an answer",
    text: `#!/bin/bash\necho '{"level": "info"}'\necho '{"decision": "block", "reason": "not that"}'\n`,
    result: "ran",
    notice: "begins as JSON",
  },
];

test.each(scripts)("a script: $name", async ({ text, mode = 0o755, run = "./hook.sh", more, result, notice }) => {
  const house = await hookHouse();
  chmodSync(house.write("hook.sh", text), mode);
  house.settings({ PreToolUse: [group("Bash", command(run, more))] });
  const turn = await house.turn({ steps: [bash("echo ran"), say("done")] });
  expect(turn.results.join("\n"), turn.stdout).toContain(result);
  expect(turn.notices.join("\n")).toContain(notice ?? "");
});

test("a sub-agent's events name the session of the main agent, and at its end its own transcript", async () => {
  const house = await hookHouse();
  house.settings({
    SessionStart: [group(undefined, command("cat > start.json"))],
    SubagentStop: [
      group(undefined, command('cat > stop.json; cp "$(jq -r .agent_transcript_path stop.json)" own.jsonl')),
    ],
  });
  await house.turn({
    steps: [{ calls: [{ name: "delegate_task", args: { goal: "g" } }] }, say("child-answer"), say("done")],
  });
  const start = JSON.parse(house.read("start.json"));
  const stop = JSON.parse(house.read("stop.json"));
  expect([stop.session_id, stop.transcript_path]).toEqual([start.session_id, start.transcript_path]);
  expect(stop.agent_id).toBeTruthy();
  expect(house.read("own.jsonl")).toContain("child-answer");
});
