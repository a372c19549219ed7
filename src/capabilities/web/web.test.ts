import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, expect, test } from "vitest";
import type { TurnContext } from "#agent";
import type { WebSearchProvider } from "#plugins";
import { type ProviderFixture, providerFixture } from "../provider-fixture.ts";
import { type TurnFixture, turnFixture } from "../turn-fixture.ts";
import type { WebSettings } from "./settings.ts";
import { web } from "./web.ts";

const article = (text: string): string => `<!doctype html><html><head><title>A story | The site</title></head><body>
<nav><a href="/home">Home</a> <a href="/about">About</a></nav>
<article><h1>A story</h1><p>${text}</p><p>See <a href="/next?a=1">the next one</a> for more of it, and read on.</p>
<pre><code>let x = 1;</code></pre><table><tr><th>Name</th><th>Size</th></tr><tr><td>a|b</td><td>1</td></tr></table></article>
<script>alert("no")</script></body></html>`;
const words = "The quick brown fox jumps over the lazy dog, again and again. ".repeat(12);
const pages: Readonly<Record<string, readonly [type: string, body: string | Buffer, status?: number]>> = {
  "/story": ["text/html", article(words)],
  "/long": ["text/html; charset=utf-8", article("A long way. ".repeat(4_000))],
  "/latin": ["text/html; charset=iso-8859-1", Buffer.from("<p>Gr\xfc\xdfe</p>", "latin1")],
  "/data.json": ["application/json", '{"a": [1, 2]}'],
  "/picture": ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0])],
  "/empty": ["text/html", ""],
  "/gone": ["text/html", "gone", 410],
};
const server = createServer((request, response) => {
  const [type, body, status = 200] = pages[request.url ?? ""] ?? ["text/plain", "no such page", 404];
  if (request.url === "/silent") return;
  response.writeHead(status, { "content-type": type }).end(body);
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

let turn: TurnFixture | undefined;
afterEach(() => turn?.close());

async function open(source: ProviderFixture, more: Partial<WebSettings> = {}): Promise<TurnFixture> {
  const none = { searchBackend: undefined, extractBackend: undefined, backend: undefined };
  turn = await turnFixture((home) => [
    web({ home, ...none, pageCharacters: 15_000, allowPrivate: true, summarises: false, ...more }, source),
  ]);
  return turn;
}
const searching = (name: string, more: Partial<WebSearchProvider> = {}): WebSearchProvider => ({
  name,
  search: async (query, { limit }) =>
    Array.from({ length: 30 }, (_, index) => ({
      title: `${name}: ${query} ${index + 1}`,
      url: `https://example.org/${index + 1}`,
      description: "some\n  words",
    })).slice(0, limit),
  ...more,
});
const nothing = providerFixture({});

test("a search answers with what its provider found, numbered and bounded", async () => {
  const { call } = await open(providerFixture({ web: [searching("one"), searching("two")] }));
  const { success, data } = await call("web_search", { query: " cats ", limit: "2" });
  expect(success).toBe(true);
  expect(data.web).toEqual([
    { title: "one: cats 1", url: "https://example.org/1", description: "some words", position: 1 },
    { title: "one: cats 2", url: "https://example.org/2", description: "some words", position: 2 },
  ]);
  expect((await call("web_search", { query: "cats" }))["data"].web).toHaveLength(5);
  expect((await call("web_search", { query: "cats", limit: 999 }))["data"].web).toHaveLength(20);
  expect(await call("web_search", {})).toMatchObject({ success: false, error: expect.stringContaining("query") });
});

test.each([
  ["the named one", { backend: "Two" }, "two: cats 1"],
  ["the one named for searching alone", { backend: "two", searchBackend: "one" }, "one: cats 1"],
  ["the first that is available", {}, "two: cats 1"],
  ["the first that is available in place of an unknown one", { backend: "three" }, "two: cats 1"],
])("%s is asked", async (what, settings, first) => {
  const source = providerFixture({
    web: [searching("one", { available: () => what.includes("alone") }), searching("two", { available: () => true })],
  });
  const { call } = await open(source, settings);
  expect((await call("web_search", { query: "cats" }))["data"].web[0].title).toBe(first);
  expect(source.warnings.length).toBe(what.includes("unknown") ? 1 : 0);
});

test("what is missing is said, and how to mend it", async () => {
  const setup = "set BRAVE_KEY";
  const source = providerFixture({ web: [searching("brave", { setup, available: () => false })] });
  expect((await (await open(source)).call("web_search", { query: "cats" }))["error"]).toMatch(/brave: set BRAVE_KEY/);
  const named = await open(source, { backend: "brave" });
  expect((await named.call("web_search", { query: "cats" }))["error"]).toMatch(/web\.backend.*set BRAVE_KEY/);
  const empty = await open(nothing, { searchBackend: "exa" });
  expect((await empty.call("web_search", { query: "cats" }))["error"]).toMatch(/exa \(web\.search_backend\)/);
});

test.each([
  ["throws", () => Promise.reject(new Error("quota is used up")), /one failed: quota is used up/],
  ["gives no list", async () => ({ web: 1 }), /one gave no list/],
])("a provider that %s is an error with its name", async (_what, search, message) => {
  const { call } = await open(providerFixture({ web: [searching("one", { search: search as never })] }));
  expect((await call("web_search", { query: "cats" }))["error"]).toMatch(message);
});

test("a provider whose check throws is passed over, and results that are none are left out", async () => {
  const broken = searching("one", { available: () => Promise.reject(new Error("odd")) });
  const mixed = searching("two", { search: async () => [null, 7, { title: "t" }, { url: "https://a" }] as never });
  const source = providerFixture({ web: [broken, mixed] });
  const { data } = await (await open(source)).call("web_search", { query: "cats" });
  expect(data.web).toEqual([{ title: "https://a", url: "https://a", description: "", position: 1 }]);
  expect(source.warnings).toEqual(["one is passed over: odd"]);
});

test("an abort ends a search of a provider that does not look at it", async () => {
  const { call } = await open(
    providerFixture({ web: [searching("one", { search: () => new Promise(() => undefined) })] }),
  );
  const abort = new AbortController();
  const searched = call("web_search", { query: "cats" }, abort.signal);
  abort.abort();
  await expect(searched).rejects.toThrow("aborted");
});

test("a page is read as Markdown of its main content, without a service", async () => {
  const { call } = await open(nothing);
  const { results } = await call("web_extract", { urls: [`${origin}/story`] });
  expect(results).toHaveLength(1);
  const [{ url, title, content, error }] = results;
  expect({ url, error, title }).toEqual({
    url: `${origin}/story`,
    error: null,
    title: expect.stringContaining("A story"),
  });
  expect(content).toContain("quick brown fox");
  expect(content).toContain(`[the next one](${origin}/next?a=1)`);
  expect(content).toContain("```\nlet x = 1;\n```");
  expect(content).toContain("| Name | Size |\n| --- | --- |\n| a\\|b | 1 |");
  expect(content).not.toMatch(/alert|About/);
});

test("what is no page is told or given as it is", async () => {
  const { call } = await open(nothing);
  const paths = ["/latin", "/data.json", "/picture", "/gone", "/empty"];
  const { results } = await call("web_extract", { urls: paths.map((path) => origin + path) });
  expect(results.map(({ content }: { content: string }) => content)).toEqual(["Grüße", '{"a": [1, 2]}', "", "", ""]);
  expect(results[2].error).toMatch(/image\/png.*vision_analyze/);
  expect(results[3].error).toMatch(/status 410/);
});

test("a long page is cut, and all of it is in a file", async () => {
  const { call } = await open(nothing, { pageCharacters: 5_000 });
  const [{ content }] = (await call("web_extract", { urls: [`${origin}/long`] }))["results"];
  expect(content.length).toBeLessThan(5_400);
  const path = /All of it is in (\S+);/.exec(content)?.[1] ?? "";
  expect((await readFile(path, "utf8")).length).toBeGreaterThan(40_000);
});

test("a long page is summarised where a model is named for that, and cut where that fails", async () => {
  const { call, context } = await open(nothing, { summarises: true });
  const asked: unknown[] = [];
  const answerWith = (askModel: TurnContext["askModel"]) => Object.assign(context, { askModel });
  answerWith(async (_system, question, _signal, task) => {
    asked.push(task);
    return `short: ${String(question).split("\n")[1]}`;
  });
  const { results } = await call("web_extract", { urls: [`${origin}/long`, `${origin}/story`] });
  expect(results[0].content).toBe(`short: ${origin}/long`);
  expect(results[1].content).toContain("quick brown fox");
  expect(asked).toEqual(["web_extract"]);
  answerWith(() => Promise.reject(new Error("no credit")));
  const [{ content }] = (await call("web_extract", { urls: [`${origin}/long`] }))["results"];
  expect(content).toMatch(/^\[It could not be summarised: no credit\]\n\n[\s\S]*A long way/);
});

test("addresses of this machine and of private networks are refused before anybody is asked", async () => {
  const asked: string[] = [];
  const extract: WebSearchProvider["extract"] = async (urls) => {
    asked.push(...urls);
    return urls.map((url) => ({ url, title: "t", content: "c" }));
  };
  const { call } = await open(providerFixture({ web: [{ name: "cloud", extract }] }), { allowPrivate: false });
  const urls = [
    `${origin}/story`,
    "http://192.168.0.1/",
    "file:///etc/passwd",
    "http://93.184.215.14/a",
    "http://[::1]/",
  ];
  const { results } = await call("web_extract", { urls });
  expect(asked).toEqual(["http://93.184.215.14/a"]);
  expect(results.map(({ error }: { error: string | null }) => error === null)).toEqual([
    false,
    false,
    false,
    true,
    false,
  ]);
  expect(results[0].error).toMatch(/security\.allow_private_urls/);
});

test("pages of a provider are put in order, and what it left out is told", async () => {
  const extract: WebSearchProvider["extract"] = async (urls) => [
    { url: urls[1] ?? "", title: "second", content: "data:image/png;base64,AAAA and text" },
    { url: urls[0] ?? "", title: "first", content: "", error: "behind a login" },
  ];
  const { call } = await open(providerFixture({ web: [{ name: "cloud", extract }] }));
  const urls = ["https://a.example", "b.example/x", "https://c.example", "d", "e", "f"];
  const { results, note } = await call("web_extract", { urls });
  expect(results.map(({ url }: { url: string }) => url)).toEqual([
    "https://a.example",
    "https://b.example/x",
    "https://c.example",
    "https://d",
    "https://e",
  ]);
  expect(results[0].error).toBe("behind a login");
  expect(results[1].content).toBe("[image left out] and text");
  expect(results[2].error).toMatch(/nothing for this address/);
  expect(note).toMatch(/1 more/);
});
