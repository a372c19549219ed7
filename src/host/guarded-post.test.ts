import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { forbiddenAddress } from "./address.ts";
import { type GuardedPost, guardedPost } from "./guarded-post.ts";

describe("an address", () => {
  test.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.8",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "fc00::1",
    "fdff::1",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "::ffff:10.0.0.1",
    "::ffff:a00:1",
    "::10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:0a00:0001::",
    "2002:c0a8:101::1",
    "no address",
    "",
  ])("%s is forbidden", (address) => {
    expect(forbiddenAddress(address)).toEqual(expect.any(String));
  });

  test.each([
    "127.0.0.1",
    "127.255.255.254",
    "::1",
    "::ffff:127.0.0.1",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "fbff::1",
    "64:ff9b::1.1.1.1",
    "2002:0101:0101::",
    "::ffff:8.8.8.8",
  ])("%s passes", (address) => {
    expect(forbiddenAddress(address)).toBeUndefined();
  });
});

describe("a post to a name", () => {
  let reached = 0;
  const server = createServer((request, response) => {
    reached += 1;
    request.resume().on("end", () => response.end(request.headers.host));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const listening = new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
  const post = async (addresses: readonly (readonly string[])[], extra: Partial<GuardedPost> = {}) => {
    let asked = 0;
    const answer = await guardedPost(`http://hook.example:${await listening}/`, {
      headers: {},
      body: "{}",
      signal: AbortSignal.timeout(5000),
      maxBytes: 1000,
      resolve: async () => {
        const found = addresses[Math.min(asked, addresses.length - 1)] ?? [];
        asked += 1;
        return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      },
      ...extra,
    });
    return { answer, asked };
  };

  test("connects to the address that was checked; a second answer of the name server cannot matter", async () => {
    reached = 0;
    const { answer, asked } = await post([["127.0.0.1"], ["10.0.0.1"]]);
    expect(answer).toEqual({ kind: "answer", status: 200, body: `hook.example:${await listening}` });
    expect([asked, reached]).toEqual([1, 1]);
  });

  test.each([
    ["one bad address among good ones", ["127.0.0.1", "192.168.0.1"], "192.168.0.1, a private network"],
    ["a mapped one", ["::ffff:169.254.169.254"], "a link-local address"],
    ["none at all", [], "has no address"],
  ])("refuses %s", async (_, addresses, words) => {
    reached = 0;
    const { answer } = await post([addresses]);
    expect(answer).toEqual({ kind: "refused", reason: expect.stringContaining(words) });
    expect(reached).toBe(0);
  });

  test("refuses a name that cannot be looked up", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const { answer } = await post([], { resolve });
    expect(answer).toEqual({ kind: "refused", reason: expect.stringContaining("ENOTFOUND") });
  });

  test("a name on the list may lead anywhere", async () => {
    const { answer } = await post([["127.0.0.1", "10.0.0.1"]], { allowHosts: ["*.example"] });
    expect(answer).toMatchObject({ kind: "answer" });
  });
});
