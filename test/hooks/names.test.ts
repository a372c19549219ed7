import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { bash, group, hookHouse, say } from "./hook-fixture.ts";

/** Answers for names of the machine on which the program runs, one list after another; the last stays. */
const resolver = (answers: readonly (readonly string[])[]): string => `
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { appendFileSync } from "node:fs";
const answers = ${JSON.stringify(answers)};
const real = dns.lookup;
dns.lookup = (host, options, done) => {
  if (!String(host).endsWith(".hooks.test")) return real(host, options, done);
  appendFileSync("asked.txt", host + "\\n");
  const found = answers.length > 1 ? answers.shift() : answers[0];
  queueMicrotask(() => done(null, found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))));
};
syncBuiltinESMExports();
`;

async function listening(address: string, port = 0): Promise<{ readonly port: number; readonly hits: string[] }> {
  const hits: string[] = [];
  const made = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((settle) => made.listen(port, address, settle));
  onTestFinished(() => void made.close());
  return { port: (made.address() as AddressInfo).port, hits };
}

async function asked(answers: readonly (readonly string[])[], port: number) {
  const house = await hookHouse();
  const preload = house.write("resolver.mjs", resolver(answers));
  house.settings({ PreToolUse: [group("Bash", { type: "http", url: `http://policy.hooks.test:${port}/hook` })] });
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(preload)}` };
  const turn = await house.turn({ steps: [bash("touch ran"), say("done")], env });
  expect(house.has("asked.txt"), turn.stderr).toBe(true);
  return { ran: house.has("ran"), result: turn.results.join("\n") };
}

test.each([
  ["a private one among public ones", ["93.184.215.14", "10.0.0.1"]],
  ["a private one behind loopback", ["127.0.0.1", "192.168.0.7"]],
  ["a mapped one", ["127.0.0.1", "::ffff:10.0.0.1"]],
])("59: a name with %s refuses the call, and nobody is asked", async (_name, addresses) => {
  const { port, hits } = await listening("127.0.0.1");
  const { ran, result } = await asked([addresses], port);
  expect(ran).toBe(false);
  expect(result).toContain("SSRF");
  expect(hits).toEqual([]);
});

test("59: a name that leads elsewhere when it is looked up again is asked where it was allowed", async () => {
  const first = await listening("127.0.0.1");
  const second = await listening("127.0.0.2", first.port);
  const { ran } = await asked([["127.0.0.1"], ["127.0.0.2"]], first.port);
  expect(ran).toBe(true);
  expect([first.hits.length, second.hits.length]).toEqual([1, 0]);
});
