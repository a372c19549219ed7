import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { type GuardedGet, guardedGet } from "./guarded-get.ts";

const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(request.url ?? "");
  if (request.url === "/metadata") response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
  else if (request.url === "/circle") response.writeHead(307, { location: "/circle" }).end();
  else if (request.url === "/moved") response.writeHead(301, { location: "/page" }).end();
  else if (request.url === "/packed")
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(200_000, "a")));
  else if (request.url === "/broken") response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip");
  else if (request.url === "/endless") response.write("…");
  else response.writeHead(200, { "content-type": "text/html" }).end("<p>hello");
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const get = (path: string, more: Partial<GuardedGet> = {}) =>
  guardedGet(path.startsWith("/") ? origin + path : path, {
    headers: {},
    maxBytes: 100_000,
    signal: new AbortController().signal,
    ...more,
  });

test("a page comes with the address where it was found", async () => {
  const page = await get("/moved");
  expect(page).toMatchObject({ kind: "page", url: `${origin}/page`, status: 200, contentType: "text/html" });
  expect(page.kind === "page" && new TextDecoder().decode(page.body)).toBe("<p>hello");
});

test.each([
  ["a private address", "http://10.1.2.3/", /10\.1\.2\.3, a private network/],
  ["another scheme", "file:///etc/passwd", /only http and https/],
  ["no address", "nonsense", /not a valid address/],
  ["a redirect to a private address", "/metadata", /it redirects, and 169\.254\.169\.254 leads/],
  ["redirects without end", "/circle", /more than 8 times/],
])("%s is refused", async (_what, address, reason) => {
  expect(await get(address)).toEqual({ kind: "refused", reason: expect.stringMatching(reason) });
});

test("this machine is refused where that is asked for, and nothing is sent to it", async () => {
  seen.length = 0;
  for (const address of [origin, origin.replace("127.0.0.1", "[::ffff:127.0.0.1]")])
    expect(await get(address, { noLoopback: true })).toMatchObject({ reason: expect.stringMatching(/this host/) });
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  expect(await get("http://example.test/", { noLoopback: true, resolve })).toMatchObject({ kind: "refused" });
  expect(seen).toEqual([]);
  expect(await get(origin, { noLoopback: true, allowHosts: ["*"] })).toMatchObject({ kind: "page" });
});

test("a body is unpacked, and its limit counts what comes out", async () => {
  const page = await get("/packed", { maxBytes: 200_000 });
  expect(page.kind === "page" && page.body.length).toBe(200_000);
  await expect(get("/packed")).rejects.toMatchObject({ code: "too_large" });
  await expect(get("/broken")).rejects.toMatchObject({ code: "network" });
});

test("an abort ends a body that never ends", async () => {
  const abort = new AbortController();
  const page = get("/endless", { signal: abort.signal });
  abort.abort();
  await expect(page).rejects.toMatchObject({ code: "aborted" });
});
