import { expect, test } from "vitest";
import { until } from "../program-fixture.ts";
import { terminal } from "../terminal-fixture.ts";
import { command, group, hookHouse, say } from "./hook-fixture.ts";

test("Notification tells of a chat that waits for the person, and of background work that has ended", async () => {
  const house = await hookHouse();
  house.write("~/.talaria/config.yaml", `${house.read("~/.talaria/config.yaml")}hook_limits:\n  idle_seconds: 0.2\n`);
  house.settings({
    Notification: [
      group("agent_completed", command("cat > completed.json")),
      group("idle_prompt", command("cat > idle.json")),
      group("permission_prompt", command("touch other")),
    ],
  });
  const task = { name: "delegate_task", args: { goal: "look around", background: true } };
  house.server.push({ calls: [task] }, say("one"), say("two"), say("three"));
  const screen = terminal(["chat", "--accept-hooks"], { home: house.home, cwd: house.project, columns: 120 });
  await screen.sees("›");
  screen.type("go\r");
  await until("both are told", () => house.has("idle.json") && house.has("completed.json"));
  screen.type("/quit\r");
  expect(await screen.done).toBe(0);
  const told = ["completed.json", "idle.json"].map((file) => JSON.parse(house.read(file)));
  expect(told.map(({ notification_type }) => notification_type)).toEqual(["agent_completed", "idle_prompt"]);
  expect(told.map(({ message }) => typeof message)).toEqual(["string", "string"]);
  expect(house.has("other")).toBe(false);
});

test("the list of events says which notifications there are", async () => {
  const house = await hookHouse();
  const { stdout } = await house.program("hooks", "list", "--events", "--json");
  expect(stdout).toContain("permission_prompt, idle_prompt, agent_completed and elicitation_");
});
