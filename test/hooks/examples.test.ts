import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bash, hookHouse, say, writeFile } from "./hook-fixture.ts";

const hasJq = (() => {
  try {
    execFileSync("jq", ["--version"]);
    return true;
  } catch {
    return false;
  }
})();

async function shellHouse() {
  const house = await hookHouse();
  cpSync("examples/hooks", join(house.home, ".hermes/agent-hooks"), { recursive: true });
  mkdirSync(join(house.home, ".hermes/logs"));
  const config = house.read("~/.talaria/config.yaml");
  house.write("~/.talaria/config.yaml", `${config}${readFileSync("examples/hooks/config.yaml", "utf8")}`);
  return house;
}

describe.skipIf(!hasJq)("the shell hooks", () => {
  test("refuse rm -rf of the root's folders and let other commands run", async () => {
    const house = await shellHouse();
    const turn = await house.turn({ steps: [bash("echo rm -rf /tmp/none"), bash("touch ran"), say("done")] });
    expect(turn.results.join("\n")).toContain("blocked: rm -rf / is not permitted");
    expect(house.has("ran")).toBe(true);
  });

  test("tell the model of uncommitted changes, for this turn only", async () => {
    const house = await shellHouse();
    execFileSync("git", ["init", "-q"], { cwd: house.project });
    house.write("new.txt", "x");
    const turn = await house.turn();
    expect(turn.sent).toContain("Uncommitted changes in cwd:");
    expect(turn.sent).toContain("?? new.txt");
  });

  test("format Python files that were written", async () => {
    const house = await shellHouse();
    house.write("~/bin/black", '#!/bin/sh\necho formatted >> "$1"\n');
    const path = `${house.home}/bin:${process.env["PATH"]}`;
    await house.turn({
      steps: [writeFile("a.py", "x=1\n"), writeFile("a.md", "x\n"), say("done")],
      env: { PATH: path },
    });
    expect(house.read("a.py")).toContain("formatted");
    expect(house.read("a.md")).not.toContain("formatted");
  });

  test("log each sub-agent", async () => {
    const house = await shellHouse();
    const steps = [{ calls: [{ name: "delegate_task", args: { goal: "count" } }] }, say("counted"), say("done")];
    await house.turn({ steps });
    const line = JSON.parse(house.read("~/.hermes/logs/orchestration.log"));
    expect(line.extra).toMatchObject({ child_status: "completed", child_summary: "counted" });
    expect(line.parent).toBeTypeOf("string");
  });
});

test("the rules of the settings file protect secrets and ask for tests", async () => {
  const house = await hookHouse();
  cpSync("examples/hooks", join(house.project, ".claude/hooks"), { recursive: true });
  house.write(".claude/settings.json", readFileSync("examples/hooks/settings.json", "utf8"));
  const turn = await house.turn({
    steps: [writeFile(".env", "KEY=1"), say("I am done"), say("all tests pass")],
  });
  expect(house.has(".env")).toBe(false);
  expect(turn.results.join("\n")).toContain("holds secrets");
  expect(turn.sent).toContain("Run the tests and say how they ended.");
  expect(turn.events.at(-1)).toMatchObject({ type: "turn-end", text: "all tests pass" });
});
