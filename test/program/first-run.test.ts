import { expect, test } from "vitest";
import { modelServer } from "../../src/testing.ts";
import { events, folder, run, start } from "../program-fixture.ts";

test("a session whose very first run was killed is found and continued", async () => {
  const home = folder();
  const server = await modelServer([
    { calls: [{ name: "terminal", args: { command: "echo up; sleep 60" } }] },
    { text: "I look before I repeat it." },
  ]);
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "x" };
  const first = start(["run", "--json", "--model", "openai/scripted", "wait"], { home, env });
  await new Promise<void>((resolve) =>
    first.stdout?.on("data", (text: string) => text.includes('"tool-output"') && resolve()),
  );
  first.kill("SIGKILL");
  await first.done;
  const second = await run(["run", "--json", "--resume", "last", "go on"], { home, env });
  await server.close();
  expect(second.status, second.stderr).toBe(0);
  expect(events(second)[0]).toMatchObject({ type: "session", resumed: true });
  const told = JSON.stringify(server.requests.at(-1)?.body);
  expect(told).toContain("sleep 60");
  expect(told).toMatch(/unknown/i);
});
