import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { plainFetch } from "./plain-fetch.ts";
import { PlainHeaders } from "./plain-headers.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
  vi.unstubAllGlobals();
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function socketServed(listener: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    listener(socket);
  }).listen(0, "127.0.0.1");
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Fetch = (address: string, init: RequestInit) => Promise<Response>;
const plainly: Fetch = (address, init) => {
  const answer = plainFetch(address, init);
  if (answer === undefined) throw new Error("not served");
  return answer;
};

/** What a caller sees of an exchange, whichever way it went. */
async function seen(by: Fetch, address: string, init: RequestInit = {}) {
  try {
    const response = await by(address, init);
    const { status, statusText, ok, headers } = response;
    const facts = { status, statusText, ok, type: headers.get("content-type"), twice: headers.get("x-twice") };
    try {
      return { ...facts, hasBody: response.body !== null, text: await response.text() };
    } catch (error) {
      return { ...facts, broken: (error as Error).message };
    }
  } catch (error) {
    const { name, message, cause } = error as Error;
    return { name, message, hasCause: cause !== undefined };
  }
}

const post = { method: "POST", headers: { "content-type": "application/json" }, body: '{"ü":1}' };

describe("an exchange looks the same as by fetch", () => {
  const cases: readonly [string, RequestListener][] = [
    ["an answer of text", (_, response) => response.end("héllo")],
    ["an empty answer", (_, response) => response.end()],
    ["no content", (_, response) => response.writeHead(204).end()],
    ["not modified", (_, response) => response.writeHead(304).end()],
    [
      "headers that come twice",
      (_, response) =>
        response
          .writeHead(
            200,
            [
              ["x-twice", "a"],
              ["x-twice", "b"],
            ].flat(),
          )
          .end(),
    ],
    ["an error of the server", (_, response) => response.writeHead(529, "Overloaded").end('{"error":1}')],
    ["gzip", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed ✓"))],
    [
      "deflate",
      (_, response) => response.writeHead(200, { "content-encoding": "deflate" }).end(deflateSync("packed ✓")),
    ],
    [
      "brotli",
      (_, response) => response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync("packed ✓")),
    ],
    [
      "two ways at once",
      (_, response) =>
        response.writeHead(200, { "content-encoding": "deflate, gzip" }).end(gzipSync(deflateSync("packed"))),
    ],
    [
      "an unknown encoding",
      (_, response) => response.writeHead(200, { "content-encoding": "aws-chunked" }).end("as it is"),
    ],
    ["what is no gzip", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("plain")],
    [
      "a longer announcement than the body",
      (_, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("half", () => response.destroy());
      },
    ],
    [
      "a stream that is cut in a character",
      (_, response) => response.write(Buffer.from("✓").subarray(0, 2), () => response.destroy()),
    ],
    ["no answer at all", (_, response) => response.destroy()],
    [
      "a redirect to another place",
      (request, response) => {
        if (request.url === "/") response.writeHead(307, { location: "/other" }).end();
        else request.pipe(response);
      },
    ],
    [
      "a redirect of the old kind",
      (request, response) => {
        if (request.url === "/") response.writeHead(302, { location: "/other" }).end();
        else response.end(`${request.method} ${request.url}`);
      },
    ],
    ["a redirect to nowhere", (_, response) => response.writeHead(307).end("no place")],
    [
      "what was sent",
      (request, response) => {
        const { method, headers } = request;
        const { "content-type": type, "content-length": length, accept, authorization } = headers;
        response.write(
          JSON.stringify({
            method,
            type,
            length,
            accept,
            authorization,
            agent: headers["user-agent"],
            encodings: headers["accept-encoding"],
          }),
        );
        request.pipe(response);
      },
    ],
  ];

  test.each(cases)("%s", async (_what, listener) => {
    const address = await served(listener);
    expect(await seen(plainly, address, post)).toEqual(await seen(fetch, address, post));
    const get = { headers: { authorization: "Bearer é" } };
    expect(await seen(plainly, address, get)).toEqual(await seen(fetch, address, get));
  });

  test.each<[string, RequestInit]>([
    ["a body of text without a type", { method: "POST", body: "text" }],
    ["a body of bytes", { method: "POST", body: new Uint8Array([1, 2, 3]) }],
    ["an empty body", { method: "POST", body: "" }],
    ["a value with spaces around it", { headers: { authorization: "  x  " } }],
    ["a value that no header can hold", { headers: { authorization: "Bearer ключ" } }],
    ["a line break in a value", { headers: { authorization: "a\nb" } }],
    ["a name that no header can have", { headers: { "a b": "c" } }],
    ["a signal that has been aborted", { signal: AbortSignal.abort(new Error("stop")) }],
  ])("%s", async (_what, init) => {
    const address = await served((request, response) => {
      response.write(
        JSON.stringify([
          request.method,
          request.headers["content-type"],
          request.headers["content-length"],
          request.headers.authorization,
        ]),
      );
      request.pipe(response);
    });
    const [mine, theirs] = [await seen(plainly, address, init), await seen(fetch, address, init)];
    // The words of the system about a header are its own.
    if ("name" in theirs && theirs.name === "TypeError") expect(mine).toMatchObject({ name: "TypeError" });
    else expect(mine).toEqual(theirs);
  });

  test("nobody listens, and what answers speaks no HTTP", async () => {
    const address = await socketServed((socket) => socket.end("garbage\r\n\r\n"));
    expect(await seen(plainly, address, post)).toEqual(await seen(fetch, address, post));
    const gone = await served(() => undefined);
    for (const close of closing.splice(0)) close();
    expect(await seen(plainly, gone, post)).toEqual(await seen(fetch, gone, post));
    await expect(plainly(gone, post)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });
});

test("text comes as it is sent, also when it is packed", async () => {
  let go = (): void => undefined;
  const address = await served((request, response) => {
    const packed = request.url === "/packed";
    response.writeHead(200, packed ? { "content-encoding": "gzip" } : {});
    const out = packed ? createGzip() : response;
    if (packed) out.pipe(response);
    out.write("first");
    if ("flush" in out) out.flush();
    go = () => out.end("second");
  });
  for (const path of ["/", "/packed"]) {
    const reader = (await plainly(address + path, post)).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
    go();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("second");
    expect(await reader?.read()).toMatchObject({ done: true });
  }
});

test("an abort ends the waiting and the reading with its reason, and the server hears of it", async () => {
  let gone = 0;
  const address = await served((request, response) => {
    response.once("close", () => {
      gone += 1;
    });
    if (request.url === "/begun") response.write("begun");
  });
  const waiting = new AbortController();
  const answer = plainly(address, { ...post, signal: waiting.signal });
  setTimeout(() => waiting.abort(new Error("enough")), 20);
  await expect(answer).rejects.toThrow("enough");
  const reading = new AbortController();
  const reader = (await plainly(`${address}/begun`, { ...post, signal: reading.signal })).body?.getReader();
  await reader?.read();
  reading.abort(new Error("enough"));
  await expect(reader?.read()).rejects.toThrow("enough");
  const left = (await plainly(`${address}/begun`, post)).body;
  await left?.cancel();
  await expect.poll(() => gone).toBe(3);
});

test("a reader that is slow holds the server back", async () => {
  let sent = 0;
  const address = await served((_, response) => {
    const more = (): void => {
      if (sent >= 40 << 20) return void response.end();
      sent += 1 << 18;
      response.write(Buffer.alloc(1 << 18), more);
    };
    more();
  });
  const response = await plainly(address, {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent).toBeLessThan(32 << 20);
  expect((await response.arrayBuffer()).byteLength).toBe(40 << 20);
});

test("a connection is used again, and one that the server has closed meanwhile costs nothing", async () => {
  let connections = 0;
  const address = await socketServed((socket) => {
    connections += 1;
    const isFirst = connections === 1;
    let requests = 0;
    socket.on("data", () => {
      requests += 1;
      // The second request finds the first connection dead, as after an idle time that only the server counts.
      if (isFirst && requests === 3) socket.destroy();
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
  });
  for (let turn = 0; turn < 4; turn++) {
    expect(await (await plainly(address, post)).text()).toBe("ok");
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(connections).toBe(2);
});

test.each<[string, string, RequestInit]>([
  ["names in the address", "http://me:secret@127.0.0.1:1/", {}],
  ["another scheme", "data:,x", {}],
  ["an address that is none", "nowhere", {}],
  ["a form", "http://127.0.0.1:1/", { method: "POST", body: new URLSearchParams("a=b") }],
  ["a wish about redirects", "http://127.0.0.1:1/", { redirect: "error" }],
])("%s is left to fetch", (_what, address, init) => {
  expect(plainFetch(address, init)).toBeUndefined();
});

test("whoever has put another fetch in its place is asked", () => {
  vi.stubGlobal("fetch", () => undefined);
  expect(plainFetch("http://127.0.0.1:1/", {})).toBeUndefined();
});

test("headers hold, join and refuse what those of the system do", () => {
  const name = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom(..."aB- :é") });
  const value = fc.string({ maxLength: 4, unit: fc.constantFrom(..."aé \t\n\0漢") });
  const outcome = (Made: typeof Headers | typeof PlainHeaders, pairs: [string, string][]) => {
    try {
      const headers = new Made(pairs);
      headers.set("b", "last");
      headers.delete("a");
      return [...headers.entries(), headers.get("B"), headers.has("a")];
    } catch (error) {
      return (error as Error).name;
    }
  };
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (pairs) => {
      expect(outcome(PlainHeaders, pairs)).toEqual(outcome(Headers, pairs));
    }),
  );
  expect(new Headers() instanceof PlainHeaders).toBe(true);
  expect({} instanceof PlainHeaders).toBe(false);
});
