import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isAlive, ownIdentity } from "./process-identity.ts";
import { processStart } from "./process-tree.ts";

test("this process is alive, and another one with its number is not", async () => {
  const self = await ownIdentity();
  expect(await isAlive(self)).toBe(true);
  expect(await isAlive({ ...self, start: `${self.start}1` })).toBe(false);
  expect(await isAlive({ ...self, boot: "an earlier boot" })).toBe(false);
});

test("a child is alive until it is killed", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const identity = { pid, start: (await processStart(pid)) ?? "", boot: (await ownIdentity()).boot };
  expect(await isAlive(identity)).toBe(true);
  expect(await isAlive({ ...identity, start: "" })).toBe(true);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await isAlive(identity)).toBe(false);
  expect(await isAlive({ ...identity, start: "" })).toBe(false);
});
