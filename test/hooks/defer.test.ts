import { renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { command, group, type HookHouse, hookHouse, say, type Turn } from "./hook-fixture.ts";

/** Puts calls off while the file `wait` is there, refuses where `no` is, else has no opinion. */
const gate = `#!/bin/sh
cat > "$CLAUDE_PROJECT_DIR/input.json"
echo asked >> "$CLAUDE_PROJECT_DIR/asked"
if [ -e "$CLAUDE_PROJECT_DIR/wait" ]; then
  echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer", "permissionDecisionReason": "later", "updatedInput": {"command": "rm -rf x"}}}'
elif [ -e "$CLAUDE_PROJECT_DIR/no" ]; then
  echo "not this one" >&2; exit 2
fi
`;

async function gated(): Promise<HookHouse> {
  const house = await hookHouse();
  house.write("gate.sh", gate);
  house.write("wait", "");
  house.settings({
    PreToolUse: [group("Bash", command("$CLAUDE_PROJECT_DIR/gate.sh"))],
    Stop: [group(undefined, command("echo stopped >> stops"))],
    UserPromptSubmit: [group(undefined, command("echo prompted >> prompts"))],
  });
  return house;
}

const touch = { name: "terminal", args: { command: "echo done > made" } };
const put = (house: HookHouse, ...calls: readonly (typeof touch)[]) =>
  house.turn({ steps: [{ calls: [touch, ...calls] }, say("finished")] });
const end = ({ events }: Turn) => events.findLast(({ type }) => type === "turn-end");
const sessionOf = ({ events }: Turn): string => String(events.find(({ type }) => type === "session")?.["sessionId"]);
const resumed = (house: HookHouse, turn: Turn, prompt: string, steps = [say("finished")]) =>
  house.turn({ steps, prompt, words: ["--accept-hooks", "--resume", sessionOf(turn)] });

test("a deferred call ends the run, which tells of it, and is asked about again when the session is resumed", async () => {
  const house = await gated();
  const first = await put(house);
  expect(first.status).toBe(0);
  expect(end(first)).toMatchObject({
    outcome: "deferred",
    stopReason: "tool_deferred",
    deferredToolUse: { name: "terminal", input: touch.args },
  });
  expect(house.server.requests).toHaveLength(1);
  expect(first.results).toEqual([]);
  expect([house.has("made"), house.has("stops")]).toEqual([false, false]);

  const again = await resumed(house, first, "");
  expect(end(again)).toMatchObject({
    outcome: "deferred",
    deferredToolUse: end(first)?.["deferredToolUse"],
  });
  expect(house.server.requests).toHaveLength(1);

  rmSync(`${house.project}/wait`);
  const done = await resumed(house, first, "");
  expect(end(done)).toMatchObject({ outcome: "completed", text: "finished" });
  expect(house.read("made")).toBe("done\n");
  expect(house.read("asked")).toBe("asked\nasked\nasked\n");
  expect(house.read("prompts")).toBe("prompted\n");
  expect(house.read("stops")).toBe("stopped\n");
  expect(done.sent).not.toContain("put off");
  expect(done.sent).not.toContain("Not run");
});

test("a resumed call can be refused, and what is said beside it comes behind its result", async () => {
  const house = await gated();
  const first = await put(house);
  renameSync(`${house.project}/wait`, `${house.project}/no`);
  const done = await resumed(house, first, "and then tell me");
  expect(end(done)).toMatchObject({ outcome: "completed" });
  expect(done.results.join()).toContain("not this one");
  expect(house.has("made")).toBe(false);
  expect(done.sent.indexOf("not this one")).toBeGreaterThan(0);
  expect(done.sent.indexOf("and then tell me")).toBeGreaterThan(done.sent.indexOf("not this one"));
});

test("beside other calls a hook cannot put one off: a warning, and the call is judged without it", async () => {
  const house = await gated();
  const turn = await put(house, { name: "terminal", args: { command: "echo two" } });
  expect(end(turn)).toMatchObject({ outcome: "completed" });
  expect(turn.notices.filter((text) => text.includes("put off"))).toHaveLength(2);
  expect(house.read("made")).toBe("done\n");
});

test("a sub-agent's call is not put off", async () => {
  const house = await gated();
  const steps = [
    { calls: [{ name: "delegate_task", args: { goal: "make it" } }] },
    { calls: [touch] },
    say("child is done"),
    say("finished"),
  ];
  expect(end(await house.turn({ steps }))).toMatchObject({ outcome: "completed", text: "finished" });
  expect(house.read("made")).toBe("done\n");
});

test("a deny beats a defer; a defer beats ask and allow", async () => {
  const house = await gated();
  const says = (permissionDecision: string) =>
    command(
      `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "${permissionDecision}"}}'`,
    );
  const hooks = (...names: readonly string[]) => house.settings({ PreToolUse: [group("Bash", ...names.map(says))] });
  hooks("ask", "defer", "allow");
  expect(end(await put(house))).toMatchObject({ outcome: "deferred" });
  hooks("defer", "deny");
  expect(end(await put(house))).toMatchObject({ outcome: "completed" });
  expect(house.has("made")).toBe(false);
});

test("resuming with nothing to say is an error where no call was put off", async () => {
  const house = await hookHouse();
  const first = await house.turn({ steps: [say("hello")] });
  const again = await resumed(house, first, "", []);
  expect(again.status).toBe(1);
  expect(end(again)?.["text"]).toMatch(/nothing to go on with/);
});

test("in words, the run says how to go on", async () => {
  const house = await gated();
  house.server.push({ calls: [touch] });
  const ran = await house.program("run", "--accept-hooks", "go");
  expect(ran.stdout + ran.stderr).toMatch(/talaria run --resume \S+/);
});
