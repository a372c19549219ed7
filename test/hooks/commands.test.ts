import { chmodSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "../program-fixture.ts";
import { bash, command, group, hookHouse, say } from "./hook-fixture.ts";

const guard = `#!/bin/bash\ngrep -q 'touch no' && { echo 'not that' >&2; exit 2; }\nexit 0\n`;

async function guarded() {
  const house = await hookHouse();
  const script = house.write(".claude/guard.sh", guard);
  house.settings({ PreToolUse: [group("Bash", command('"$CLAUDE_PROJECT_DIR"/.claude/guard.sh'))] });
  return { ...house, script };
}

test("list tells of consent, names, failure and figures", async () => {
  const { program, turn } = await guarded();
  const before = JSON.parse((await program("hooks", "list", "--json")).stdout);
  expect(before).toMatchObject([
    { consent: "missing", event: "pre_tool_call", names: { claude: ["PreToolUse"] }, runs: null },
  ]);
  expect((await program("hooks", "trust", "--yes")).status).toBe(0);
  await turn({ steps: [bash("touch no"), bash("touch yes"), say("done")], words: [] });
  const [after] = JSON.parse((await program("hooks", "list", "--json")).stdout);
  expect(after).toMatchObject({ consent: "allowed", onFailure: "continue", runs: { count: 2, blocked: 1, failed: 0 } });
});

test("explain agrees with what then happens, step by step", async () => {
  const { program, turn, has } = await guarded();
  const explained = async (...words: readonly string[]) =>
    JSON.parse((await program("hooks", "explain", "PreToolUse", "--json", ...words)).stdout).rules[0];
  expect(await explained("--for-tool", "Bash")).toMatchObject({ runs: false, stage: "trust" });
  await turn({ steps: [bash("touch no"), say("done")], words: [] });
  expect(has("no")).toBe(true);
  await program("hooks", "trust", "--yes");
  expect(await explained("--for-tool", "Write")).toMatchObject({ runs: false, stage: "matcher" });
  expect(await explained("--for-tool", "Bash", "--run")).toMatchObject({ runs: true, verdict: "no opinion" });
});

test("test shows a block with status 0, and bad input with status 1", async () => {
  const { program, write } = await guarded();
  write("payload.json", JSON.stringify({ tool_name: "Bash", tool_input: { command: "touch no" } }));
  const shown = await program("hooks", "test", "PreToolUse", "--for-tool", "Bash", "--payload-file", "payload.json");
  expect(shown.status).toBe(0);
  expect(shown.stdout).toContain("not that");
  expect(await program("hooks", "test", "NoSuchEvent")).toMatchObject({ status: 1 });
  write("payload.json", "[");
  expect(await program("hooks", "test", "PreToolUse", "--payload-file", "payload.json")).toMatchObject({ status: 1 });
  expect(await program("hooks", "revoke", "never allowed")).toMatchObject({ status: 1 });
});

test("replay tells where other hooks decide otherwise", async () => {
  const { program, turn, write } = await guarded();
  await turn({ steps: [bash("touch no"), bash("touch yes"), say("done")] });
  expect(await program("hooks", "replay", "last", "--accept-hooks")).toMatchObject({ status: 0 });
  write("other.json", JSON.stringify({ hooks: { PreToolUse: [group("Bash", command("true"))] } }));
  const replayed = await program("hooks", "replay", "last", "--config", "other.json", "--json");
  expect(replayed.status).toBe(1);
  const different = JSON.parse(replayed.stdout).filter(({ outcome }: { outcome: string }) => outcome === "different");
  expect(different).toMatchObject([{ event: "pre_tool_call", recorded: "deny", now: "no opinion" }]);
});

test("replay does not compare what had secrets taken out", async () => {
  const { program, turn } = await guarded();
  await turn({ steps: [bash("echo sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"), say("done")] });
  const replayed = JSON.parse((await program("hooks", "replay", "last", "--accept-hooks", "--json")).stdout);
  expect(replayed.find(({ event }: { event: string }) => event === "pre_tool_call")).toMatchObject({
    outcome: "not comparable",
  });
});

test("a pinned script that changed is held back", async () => {
  const { program, turn, write, has } = await guarded();
  await program("hooks", "trust", "--pin", "--yes");
  write(".claude/guard.sh", "#!/bin/bash\ntouch changed\n");
  const ran = await turn({ steps: [bash("true"), say("done")], words: [] });
  expect(has("changed")).toBe(false);
  expect(ran.notices.join("\n")).toContain("held back");
});

test("doctor finds a script that may not be executed, and mends it", async () => {
  const { program, script } = await guarded();
  await program("hooks", "trust", "--yes");
  chmodSync(script, 0o644);
  const found = await program("hooks", "doctor");
  expect(found.status).toBe(1);
  expect(found.stdout).toContain("not executable");
  await program("hooks", "doctor", "--fix");
  expect(statSync(script).mode & 0o100).toBe(0o100);
  expect(await program("hooks", "doctor")).toMatchObject({ status: 0 });
});

test("hooks are those of terminal.cwd, as in a turn, unless a folder is named", async () => {
  const { home, project, write, settings } = await hookHouse();
  settings({ PreToolUse: [group("Bash", command("true"))] });
  write("~/.talaria/config.yaml", `terminal: {cwd: ${project}}\n`);
  const listed = async (...words: readonly string[]) =>
    JSON.parse((await run(["hooks", "list", "--json", ...words], { home, cwd: home })).stdout);
  expect(await listed()).toHaveLength(1);
  expect(await listed("--cwd", home)).toHaveLength(0);
});
