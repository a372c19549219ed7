import { expect, test } from "vitest";
import { bash, command, group, hookHouse, say } from "./hook-fixture.ts";

const specific = (hookEventName: string, more: object): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName, ...more } });

test.each<[name: string, output: unknown, reads: string, not: string]>([
  ["of the tool's shape replaces it", { stdout: "[redacted]", stderr: "" }, "[redacted]", "the-key"],
  ["of text is ignored", "curt-words", "the-key", "curt-words"],
  ["of other keys is ignored", { words: "curt-words" }, "the-key", "curt-words"],
  ["of other kinds is ignored", { stdout: ["curt-words"] }, "the-key", "curt-words"],
])("51: updatedToolOutput %s", async (_name, updatedToolOutput, reads, not) => {
  const house = await hookHouse();
  house.write("answer.json", specific("PostToolUse", { updatedToolOutput }));
  house.settings({ PostToolUse: [group("Bash", command("cat answer.json"))] });
  const turn = await house.turn({ steps: [bash("printf 'the-%s' key"), say("done")] });
  const request = house.server.requests[1]?.text ?? "";
  expect(request).toContain(reads);
  expect(request).not.toContain(not);
  const told = house.read("~/.talaria/logs/agent.log").includes("updatedToolOutput is ignored");
  expect(told, turn.stdout).toBe(reads === "the-key");
});

test.each([
  ["systemMessage", `echo '{"systemMessage": "good bye"}'`],
  ["standard error of exit 2", "echo 'good bye' >&2; exit 2"],
  ["a failure", "echo 'good bye' >&2; exit 1"],
])("SessionEnd: %s is shown though the session closes", async (_name, script) => {
  const house = await hookHouse();
  house.settings({ SessionEnd: [group(undefined, command(script))] });
  expect((await house.turn()).notices.join("\n")).toContain("good bye");
  house.server.push(say("done"));
  const plain = await house.program("run", "--accept-hooks", "go");
  expect(plain.stderr).toContain("good bye");
  expect(plain.stdout).not.toContain("good bye");
});
