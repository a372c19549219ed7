import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Executed } from "../executor.ts";
import type { HttpRule } from "../rule.ts";
import { type Asked, execution, workshop } from "./executor-fixture.ts";
import { executors } from "./executors.ts";

const environment = () => ({ TOKEN: "secret", BROKEN: "a\r\nx-evil: 1", HOOK_URL: "" });
const shop = workshop({ environment });
const hooks = executors(shop.ports, { allowPrivateHosts: ["10.255.255.1"] });

type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;
let reply: Reply = () => undefined;
let reached = 0;
const server = createServer((request, response) => {
  reached += 1;
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => reply(request, response, body));
});
await new Promise<void>((resolve) => server.listen(0, resolve));
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/hook`;
afterAll(async () => {
  await hooks.close();
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  reached = 0;
});

const post = (rule: Partial<HttpRule>, asked: Asked = {}): Promise<Executed> =>
  hooks.run.http(execution(shop, { type: "http", url, ...rule }, asked));
const says =
  (status: number, body: string): Reply =>
  (_request, response) =>
    response.writeHead(status).end(body);
const reason = ({ decoded }: Executed): string => (decoded.kind === "failed" ? decoded.reason : "did not fail");
const answer = ({ decoded }: Executed): unknown =>
  decoded.kind === "answer" ? decoded.answer : { failed: decoded.reason };

describe("an http hook", () => {
  test("posts the payload as JSON", async () => {
    let seen: unknown;
    reply = (request, response, body) => {
      seen = [request.method, request.url, request.headers["content-type"], JSON.parse(body).hook_event_name];
      response.end();
    };
    expect(answer(await post({}))).toEqual({});
    expect(seen).toEqual(["POST", "/hook", "application/json", "PreToolUse"]);
  });

  test("sends headers with the variables that it may read, without line breaks", async () => {
    let seen: IncomingMessage["headers"] = {};
    reply = (request, response) => {
      seen = request.headers;
      response.end();
    };
    const headers = {
      Authorization: "Bearer $TOKEN",
      "X-Both": "a ${TOKEN} $HOME [${OTHER}]",
      "X-Broken": "$BROKEN",
      "Content-Length": "1",
      "bad name": "x",
      "Content-Type": "application/x-own",
    };
    const executed = await post({ headers, allowedEnvVars: ["TOKEN", "BROKEN", "OTHER"] });
    expect(seen).toMatchObject({
      authorization: "Bearer secret",
      "x-both": "a secret  []",
      "x-broken": "ax-evil: 1",
      "content-type": "application/x-own",
    });
    expect(seen["x-evil"]).toBeUndefined();
    expect(Number(seen["content-length"])).toBeGreaterThan(100);
    expect(executed.decoded.remarks).toEqual(['the header "bad name" is not valid']);
  });

  test("without a list of variables reads none", async () => {
    let seen: unknown;
    reply = (request, response) => {
      seen = request.headers["x-token"];
      response.end();
    };
    await post({ headers: { "X-Token": "$TOKEN" } });
    expect(seen).toBe("");
  });

  test.each([
    ["a refusal in JSON", 200, '{"decision":"block","reason":"no"}', { verdict: { decision: "deny", reason: "no" } }],
    ["an empty body", 204, "", {}],
    ["an empty object", 200, "{}", {}],
  ])("%s counts", async (_, status, body, expected) => {
    reply = says(status, body);
    expect(answer(await post({}))).toEqual(expected);
  });

  test.each([
    ["status 500", 500, '{"decision":"block","reason":"no"}', "status 500"],
    ["status 403", 403, "", "status 403"],
    ["text", 200, "hello", "no JSON object"],
    ["a list", 200, "[1]", "no JSON object"],
    ["broken JSON", 200, '{"a":', "no JSON object"],
    ["bytes that are no text", 200, "\ufffd\0", "no JSON object"],
  ])("%s is a failure and refuses nothing", async (_, status, body, words) => {
    reply = says(status, body);
    expect(reason(await post({}))).toContain(words);
  });

  test("a server that never answers, answers by drops, floods or hangs up is a failure", async () => {
    reply = () => undefined;
    expect(reason(await post({ timeoutMs: 150 }))).toBe("did not answer within 0.15 s");
    reply = (_request, response) => {
      response.write("{");
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    };
    expect(reason(await post({ timeoutMs: 200 }))).toContain("did not answer");
    reply = (_request, response) => {
      const more = (): void => {
        while (response.write("x".repeat(1 << 16)) && !response.destroyed);
        response.once("drain", more);
      };
      more();
    };
    expect(reason(await post({}))).toContain("answered with more than");
    reply = (request) => request.socket.destroy();
    expect(reason(await post({}))).toContain("cannot reach");
  });

  test("a port where nobody listens is a failure", async () => {
    expect(reason(await post({ url: "http://127.0.0.1:1/x" }))).toContain("ECONNREFUSED");
  });

  test("ends with the turn", async () => {
    reply = () => undefined;
    const controller = new AbortController();
    const running = post({}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    expect(reason(await running)).toBe("was interrupted");
  });

  test("10 MB are sent to a server that never reads them", async () => {
    reply = says(200, "{}");
    const early = createServer((request, response) => {
      request.pause();
      response.writeHead(200).end("{}");
    });
    await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(early.address() as AddressInfo).port}/`;
    const huge = { payload: { args: { command: "x".repeat(10_000_000) } } };
    expect(answer(await post({ url: address, timeoutMs: 3000 }, huge))).toEqual({});
    early.closeAllConnections();
    early.close();
    expect(answer(await post({}, huge))).toEqual({});
  });

  test("an address may name variables that it may read; one that is not set is a failure", async () => {
    reply = says(200, "{}");
    const own = workshop({ environment: () => ({ HOOK_URL: url }) });
    const house = executors(own.ports);
    const rule = { type: "http", url: "${HOOK_URL}", allowedEnvVars: ["HOOK_URL"] } as const;
    expect(answer(await house.run.http(execution(own, rule)))).toEqual({});
    expect(reason(await post(rule))).toContain("HOOK_URL, which is not set");
  });
});

describe("the guard", () => {
  const refused = { verdict: { decision: "deny", reason: expect.stringContaining("SSRF guard") } };

  test.each([
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:192.168.0.1]/",
    "http://[fd00::1]/",
    "http://0.0.0.0/",
    "http://0x0a000001/",
    "http://2130706433.invalid/",
    "ftp://127.0.0.1/",
    "file:///etc/passwd",
    "not an address",
    "",
  ])("refuses %s, whatever the rule says of failures", async (address) => {
    expect(answer(await post({ url: address, onFailure: "continue" }))).toEqual(refused);
  });

  test("lets loopback in every spelling pass", async () => {
    reply = says(200, "{}");
    for (const host of ["localhost", "127.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]"])
      expect(answer(await post({ url: `http://${host}:${port}/` }))).toEqual({});
  });

  test("lets the hosts of the list pass", async () => {
    expect(reason(await post({ url: "http://10.255.255.1:81/", timeoutMs: 200 }))).toMatch(
      /did not answer|cannot reach|status/,
    );
  });

  test("follows no redirect, and refuses one into a private network", async () => {
    reply = (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/other` }).end();
    expect(reason(await post({}))).toContain("status 302");
    reply = (_request, response) => response.writeHead(307, { location: "http://192.168.0.1/" }).end();
    expect(answer(await post({}))).toEqual(refused);
    expect(reached).toBe(2);
  });

  test("is a failure where the event cannot be refused", async () => {
    expect(reason(await post({ url: "http://10.0.0.1/" }, { name: "SessionEnd" }))).toContain("SSRF guard");
  });
});
