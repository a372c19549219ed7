import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { terminal } from "../terminal-fixture.ts";
import { bash, command, group, type HookHouse, hookHouse, say } from "./hook-fixture.ts";

const preTool = (more: object): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...more } });

/** A rule whose answer is a file of the project. */
function answering(house: HookHouse, name: string, more: object) {
  return command(`cat "${house.write(name, preTool(more))}"`);
}

const chat = (house: HookHouse, ...words: readonly string[]) =>
  terminal(["chat", "--accept-hooks", ...words], { home: house.home, cwd: house.project, columns: 120 });

describe("46: deny > defer > ask > allow in a parallel group", () => {
  test.each([
    ["defer beats ask and allow", ["allow", "ask", "defer"], "defer"],
    ["deny beats defer", ["defer", "deny", "allow"], "deny"],
  ])("%s", async (_name, decisions, strongest) => {
    const house = await hookHouse();
    const rules = decisions.map((decision) =>
      answering(house, `${decision}.json`, {
        permissionDecision: decision,
        permissionDecisionReason: `for ${decision}`,
      }),
    );
    house.settings({ PreToolUse: [group("Bash", ...rules)] }, "project", { parallel: true });
    const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
    expect(house.has("ran"), turn.stdout).toBe(false);
    // A call that is put off has no result: the end of the turn says why.
    expect([...turn.results, turn.events.at(-1)?.["text"]].join("\n")).toContain(`for ${strongest}`);
  });
});

test("48: of a rewrite and a sibling's ask, the question shows and runs the rewritten call", async () => {
  const house = await hookHouse();
  const rules = [
    answering(house, "ask.json", { permissionDecision: "ask", permissionDecisionReason: "look first" }),
    answering(house, "rewrite.json", { updatedInput: { command: "touch rewritten" } }),
  ];
  house.settings({ PreToolUse: [group("Bash", ...rules)] }, "project", { parallel: true });
  house.server.push(bash("touch asked"), say("all done"));
  const screen = chat(house);
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("look first");
  await screen.sees("touch rewritten");
  expect(house.has("rewritten")).toBe(false);
  screen.type("o\r");
  await screen.sees("all done");
  screen.type("/quit\r");
  await screen.done;
  expect([house.has("asked"), house.has("rewritten")]).toEqual([false, true]);
});

test("55: exit 2 of PreCompact prevents a compaction by hand", async () => {
  const house = await hookHouse();
  house.settings({ PreCompact: [group("manual", command("cat > compact.json; echo 'keep it all' >&2; exit 2"))] });
  const screen = chat(house);
  await screen.sees("›");
  for (let index = 0; index < 5; index += 1) {
    house.server.push(say(`answer-${index}`));
    screen.type(`question ${index}\r`);
    await screen.sees(`answer-${index}`);
    await screen.sees("›");
  }
  const before = house.server.requests.length;
  screen.type("/compress\r");
  await screen.sees("keep it all");
  screen.type("/quit\r");
  await screen.done;
  expect(JSON.parse(house.read("compact.json"))).toMatchObject({ trigger: "manual", custom_instructions: null });
  expect(house.server.requests).toHaveLength(before);
});

test("58: asyncRewake with exit 2 wakes an idle chat", async () => {
  const house = await hookHouse();
  house.settings({
    PostToolUse: [group("Bash", command("sleep 1.5; echo 'the-tests-broke' >&2; exit 2", { asyncRewake: true }))],
  });
  house.server.push(bash("true"), say("first-answer"), say("second-answer"));
  const screen = chat(house);
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("first-answer");
  await screen.sees("second-answer");
  screen.type("/quit\r");
  await screen.done;
  expect(house.server.requests.at(-1)?.text).toContain("the-tests-broke");
});

test("58: what a background hook says after the turn reaches the model with the next one", async () => {
  const house = await hookHouse();
  house.write(
    "later.sh",
    `#!/bin/bash\nsleep 1\necho '${preTool({ additionalContext: "from-behind" })}'\ntouch said\n`,
  );
  house.settings({ PreToolUse: [group("Bash", command('"$CLAUDE_PROJECT_DIR"/later.sh', { async: true }))] });
  house.server.push(bash("true"), say("first-answer"));
  const screen = chat(house);
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("first-answer");
  await expect.poll(() => house.has("said"), { timeout: 10_000 }).toBe(true);
  house.server.push(say("second-answer"));
  screen.type("more\r");
  await screen.sees("second-answer");
  screen.type("/quit\r");
  await screen.done;
  expect(house.server.requests.at(-1)?.text).toContain("from-behind");
});

test("53: a refused prompt is not repeated, with suppressOriginalPrompt as without", async () => {
  for (const suppressOriginalPrompt of [false, true]) {
    const house = await hookHouse();
    const hookSpecificOutput = { hookEventName: "UserPromptSubmit", suppressOriginalPrompt };
    house.write("answer.json", JSON.stringify({ decision: "block", reason: "not today", hookSpecificOutput }));
    house.settings({ UserPromptSubmit: [group(undefined, command("cat answer.json"))] });
    const turn = await house.turn({ prompt: "the-secret-wish" });
    expect(house.server.requests).toHaveLength(0);
    expect(turn.stdout).toContain("not today");
    expect(turn.stdout + turn.stderr).not.toContain("the-secret-wish");
  }
});

test("once: a session and its sub-agents share it", async () => {
  const house = await hookHouse();
  house.settings({ PreToolUse: [group("Bash", command("echo ran >> log", { once: true }))] });
  const delegate = { calls: [{ name: "delegate_task", args: { goal: "look", context: "here" } }] };
  const steps = [delegate, bash("true"), say("child done"), bash("true"), say("done")];
  const turn = await house.turn({ steps });
  expect(turn.status, turn.stderr).toBe(0);
  expect(house.server.requests).toHaveLength(5);
  expect(house.read("log")).toBe("ran\n");
});

test.each([
  ["a mapped address", "http://[::ffff:10.0.0.1]/hook"],
  ["a unique local address", "http://[fd00::1]/hook"],
  ["the address of cloud credentials", "http://169.254.169.254/latest"],
])("59: %s refuses the call", async (_name, url) => {
  const house = await hookHouse();
  house.settings({ PreToolUse: [group("Bash", { type: "http", url, onFailure: "continue" })] });
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
  expect(house.has("ran")).toBe(false);
  expect(turn.results.join("\n")).toContain("SSRF");
});

test("59: a redirect to a private host refuses the call", async () => {
  const house = await hookHouse();
  const server = createServer((_request, response) => response.writeHead(307, { location: "http://10.0.0.1/" }).end());
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  house.settings({ PreToolUse: [group("Bash", { type: "http", url })] });
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
  expect(house.has("ran")).toBe(false);
  expect(turn.results.join("\n")).toContain("redirects");
});

test("41: plain text of PostModelSwitch is context of the next request", async () => {
  const house = await hookHouse();
  house.settings({ PostModelSwitch: [group(undefined, command("echo the-new-rules"))] });
  house.server.push(say("first-answer"));
  const screen = chat(house);
  await screen.sees("›");
  screen.type("go\r");
  await screen.sees("first-answer");
  await screen.sees("›");
  screen.type("/model custom/other-model\r");
  await screen.sees("from the next message on");
  house.server.push(say("second-answer"));
  screen.type("more\r");
  await screen.sees("second-answer");
  screen.type("/quit\r");
  await screen.done;
  expect(house.server.requests.at(-1)?.text).toContain("the-new-rules");
});

test.each([
  ["is appended without $ARGUMENTS", "May this run for \\\\$1?", /May this run for \\+\$1\?.*touch ran/s],
  ["takes the place of $ARGUMENTS", "Look: $ARGUMENTS (end)", /Look: \{.*touch ran.*\} \(end\)/s],
])("64: the payload %s", async (_name, prompt, asked) => {
  const house = await hookHouse();
  house.settings({ PreToolUse: [group("Bash", { type: "prompt", prompt })] });
  await house.turn({ steps: [bash("touch ran"), say('{"ok": true}'), say("done")] });
  expect(house.server.requests[1]?.text).toMatch(asked);
  expect(house.has("ran")).toBe(true);
});
