import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openHouse } from "../house.ts";
import { pythonServices } from "./python-services.ts";

async function services(config: string) {
  const home = mkdtempSync(join(tmpdir(), "python-services-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "config.yaml"), config);
  const house = await openHouse({ home, cwd: home, environment: {} });
  const answers = pythonServices(house, { cwd: home });
  return async (question: string, values = {}): Promise<unknown> => answers[question]?.(values);
}

test("commands are judged by the program's own patterns and list", async () => {
  const ask = await services("command_allowlist: [rm_rf]\n");
  expect(await ask("approval.check", { command: "ls" })).toEqual({ approved: true, message: null });
  expect(await ask("approval.check", { command: "rm -rf build" })).toMatchObject({ approved: true });
  expect(await ask("approval.detect", { command: "rm -rf build" })).toMatchObject({ dangerous: true, key: "rm_rf" });
  expect(await ask("approval.check", { command: "chmod -R 777 /srv/x" })).toMatchObject({ approved: false });
  expect(await ask("approval.check", { command: "rm -rf /" })).toMatchObject({ approved: false });
  expect(await ask("approval.bypass")).toBe(false);
});

test("where approvals are off only what is never allowed stays so", async () => {
  const ask = await services("approvals:\n  mode: off\n");
  expect(await ask("approval.bypass")).toBe(true);
  expect(await ask("approval.check", { command: "chmod -R 777 /srv/x" })).toMatchObject({ approved: true });
  expect(await ask("approval.check", { command: "rm -rf /" })).toMatchObject({ approved: false });
});

test("a configuration is read as it stands and saved with its comments", async () => {
  const ask = await services("# mine\ndisplay:\n  streaming: true # yes\nplugins:\n  enabled: [a]\n");
  const config = (await ask("config.read")) as { display: object; plugins: object };
  expect(config).toMatchObject({ plugins: { enabled: ["a"] } });
  await ask("config.write", { config: { display: { streaming: false }, plugins: config.plugins, extra: { x: 1 } } });
  expect(await ask("config.read")).toEqual({
    display: { streaming: false },
    plugins: { enabled: ["a"] },
    extra: { x: 1 },
  });
});
