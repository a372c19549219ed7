import { expect, test } from "vitest";
import { bash, command, group, type HookHouse, hookHouse, say } from "./hook-fixture.ts";

const calls = (count: number) => [...Array.from({ length: count }, (_, at) => bash(`echo ${at}`)), say("done")];
const limits = (house: HookHouse, text: string): void => {
  const config = "~/.talaria/config.yaml";
  house.write(config, `${house.read(config)}hook_limits: ${text}\n`);
};

test("a hook that fails again and again is left out, and doctor tells of it", async () => {
  const house = await hookHouse();
  limits(house, "{failures: 3, pause_seconds: 600}");
  house.settings({ PreToolUse: [group("Bash", command("echo x >> asked; exit 127"))] });
  const { results } = await house.turn({ steps: calls(6) });
  expect(results).toHaveLength(6);
  expect(house.read("asked")).toBe("x\nx\nx\n");
  const doctor = await house.program("hooks", "doctor");
  expect(doctor.stdout).toContain("its circuit breaker became open");
  expect(doctor.status).toBe(1);
});

test("after its pause it is tried once, and is back when that goes well", async () => {
  const house = await hookHouse();
  limits(house, "{failures: 2, pause_seconds: 1.5}");
  house.settings({ PreToolUse: [group("Bash", command("echo x >> asked; test -e mended || exit 127"))] });
  const steps = [bash("true"), bash("true"), bash("touch mended; sleep 1.8"), bash("true"), bash("true"), say("done")];
  await house.turn({ steps });
  // Twice in vain, once left out, then the trial, and again.
  expect(house.read("asked")).toBe("x\nx\nx\nx\n");
});

test("hooks that have used up the time of the turn are left out for the rest of it", async () => {
  const house = await hookHouse();
  limits(house, "{turn_seconds: 0.2}");
  house.settings({ PreToolUse: [group("Bash", command("echo x >> asked; sleep 0.3"))] });
  const { results } = await house.turn({ steps: calls(3) });
  expect(results).toHaveLength(3);
  expect(house.read("asked")).toBe("x\n");
  expect((await house.program("hooks", "doctor")).stdout).toContain(
    "it used up the 200 ms that hooks may take of a turn",
  );
});

test("a hook in shadow mode is counted, and nothing that it says is enforced", async () => {
  const house = await hookHouse();
  const block = JSON.stringify({ decision: "block", reason: "no" });
  house.settings({ PreToolUse: [group("Bash", command(`echo '${block}'`, { mode: "shadow" }))] });
  const { events } = await house.turn({ steps: calls(3) });
  expect(events.filter(({ type }) => type === "tool-end").map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  expect((await house.program("hooks", "list")).stdout).toContain("would have refused 3 of 3");
});
