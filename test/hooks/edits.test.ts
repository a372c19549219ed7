import { expect, test } from "vitest";
import { terminal } from "../terminal-fixture.ts";
import { bash, command, group, hookHouse, say } from "./hook-fixture.ts";

/** A hook that puts a rule for another event into the file in which it stands. */
const putting = (event: string, file: string): string => {
  const settings = { hooks: { [event]: [group(undefined, command(`echo ${event} >> seen.txt`))] } };
  return `#!/bin/sh\ncat > /dev/null\ncat > ${file} <<'END'\n${JSON.stringify(settings)}\nEND\n`;
};

test.each([
  ["UserPromptSubmit", "Stop"],
  ["PreToolUse", "PostToolUse"],
  ["PostToolUse", "PostToolBatch"],
  ["PostToolBatch", "Stop"],
  ["Stop", "SessionEnd"],
])("10: what a hook of %s writes into its own file is in force at %s", async (first, second) => {
  const house = await hookHouse();
  house.write("put.sh", putting(second, ".claude/settings.json"));
  house.settings({ [first]: [group(undefined, command("./put.sh"))] });
  const turn = await house.turn({ steps: [bash("true"), say("done")] });
  expect(house.has("seen.txt"), turn.stdout).toBe(true);
  expect(house.read("seen.txt")).toBe(`${second}\n`);
});

test("10: an edit while the chat is idle is in force when it ends, also of a file that was not there", async () => {
  const house = await hookHouse();
  house.settings({ Stop: [group(undefined, command("true"))] });
  house.server.push(say("first-answer"));
  const screen = terminal(["chat", "--accept-hooks"], { home: house.home, cwd: house.project, columns: 120 });
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("first-answer");
  house.settings({ SessionEnd: [group(undefined, command("echo ended >> seen.txt"))] }, "local");
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);
  expect(house.read("seen.txt")).toBe("ended\n");
});

test("10: the first hook of all is in force behind the tool that writes it", async () => {
  const house = await hookHouse();
  const settings = JSON.stringify({ hooks: { PostToolUse: [group(undefined, command("echo seen >> seen.txt"))] } });
  const writes = `mkdir -p ~/.claude && echo '${settings}' > ~/.claude/settings.json`;
  const turn = await house.turn({ steps: [bash(writes), say("done")] });
  expect(house.has("seen.txt"), turn.stdout).toBe(true);
});
