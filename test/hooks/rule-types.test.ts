import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bash, group, hookHouse, say } from "./hook-fixture.ts";

async function listening(status: number, body: string): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      bodies.push(`${request.headers["authorization"] ?? ""} ${text}`);
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

const refusal = (permissionDecision: string) =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "by address" },
  });

test.each<[name: string, status: number, body: string, runs: boolean]>([
  ["59: an answer of a local address counts", 200, refusal("deny"), false],
  ["61: a status never refuses", 500, refusal("deny"), true],
  ["61: a text is told of and goes on", 200, "hello", true],
  ["an empty answer is no opinion", 204, "", true],
])("%s", async (_name, status, body, runs) => {
  const house = await hookHouse();
  const { url, bodies } = await listening(status, body);
  const headers = { authorization: "Bearer $NOT_LISTED." };
  house.settings({ PreToolUse: [group("Bash", { type: "http", url, headers, allowedEnvVars: [] })] });
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")], env: { NOT_LISTED: "secret" } });
  expect(house.has("ran"), turn.stdout).toBe(runs);
  expect(bodies[0]).toMatch(/^Bearer \. \{.*"tool_name":"Bash"/);
});

test("59: a private address refuses the call", async () => {
  const house = await hookHouse();
  house.settings({ PreToolUse: [group("Bash", { type: "http", url: "http://10.0.0.1/hook" })] });
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")] });
  expect(house.has("ran")).toBe(false);
  expect(turn.results.join("\n")).toContain("SSRF");
});

test.each<[name: string, answer: string, more: object, runs: boolean, sent: number]>([
  ["62: ok lets the call run", '{"ok": true}', {}, true, 3],
  ["62: not ok ends the turn", '{"ok": false, "reason": "too bold"}', {}, false, 2],
  [
    "62: with continueOnBlock the turn goes on",
    '{"ok": false, "reason": "too bold"}',
    { continueOnBlock: true },
    false,
    3,
  ],
  ["63: an answer object counts", '{"decision": "block", "reason": "too bold"}', {}, false, 3],
])("a prompt rule: %s", async (...given) => {
  const [, answer, more, runs, sent] = given;
  const house = await hookHouse();
  house.settings({ PreToolUse: [group("Bash", { type: "prompt", prompt: "May this run?", ...more })] });
  const turn = await house.turn({ steps: [bash("touch ran"), say(answer), say("done")] });
  expect(house.has("ran"), turn.stdout).toBe(runs);
  expect(house.server.requests).toHaveLength(sent);
  expect(house.server.requests[1]?.text).toContain("May this run?");
  expect(house.server.requests[1]?.text).toContain("touch ran");
});

test("an agent rule reads files and decides", async () => {
  const house = await hookHouse();
  house.write("rules.txt", "nothing may be touched");
  house.settings({ PreToolUse: [group("Bash", { type: "agent", prompt: "Read rules.txt and decide." })] });
  const reads = { calls: [{ name: "read_file", args: { path: "rules.txt" } }] };
  const steps = [bash("touch ran"), reads, say('{"ok": false, "reason": "the rules forbid it"}'), say("done")];
  const turn = await house.turn({ steps });
  expect(house.has("ran"), turn.stdout).toBe(false);
  expect(house.server.requests[2]?.text).toContain("nothing may be touched");
  expect(house.server.requests[1]?.text).not.toContain('"write_file"');
  expect(turn.results.join("\n")).toContain("the rules forbid it");
});
