import { afterEach, expect, test } from "vitest";
import { type PluginFixture, pluginFixture, serviceFixture } from "../plugin-fixture.ts";
import { readResults } from "./ddgs/results.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const signal = new AbortController().signal;

async function service(answer: Parameters<typeof serviceFixture>[0]) {
  const one = await serviceFixture(answer);
  closing.push(one.close);
  return one;
}
async function opened(...given: Parameters<typeof pluginFixture>): Promise<PluginFixture> {
  const one = await pluginFixture(...given);
  closing.push(one.close);
  return one;
}

test("SearXNG is asked for JSON", async () => {
  const { address, asked } = await service(() => ({
    body: JSON.stringify({ results: [{ title: "Cats", url: "https://cats.example", content: "all of them" }, {}] }),
  }));
  const searxng = await (await opened({}, { SEARXNG_URL: address })).provider("web", "searxng");
  expect(await searxng.available?.()).toBe(true);
  expect(await searxng.search?.("big cats", { limit: 1, signal })).toEqual([
    { title: "Cats", url: "https://cats.example", description: "all of them" },
  ]);
  expect(asked[0]?.path).toBe("/search?q=big+cats&format=json");
});

test("Brave is asked with its key, and its failure is told in its own words", async () => {
  let status = 200;
  const { address, asked } = await service(() => ({
    status,
    body: JSON.stringify(
      status === 200
        ? { web: { results: [{ title: "<strong>Cats</strong> &amp; co", url: "https://a", description: "x" }] } }
        : { error: { detail: "The key is wrong" } },
    ),
  }));
  const entries = { "web/brave": { base_url: address } };
  const fixture = await opened({ plugins: { entries } }, { BRAVE_SEARCH_API_KEY: "k-1" });
  const brave = await fixture.provider("web", "brave");
  expect(await brave.search?.("cats", { limit: 3, signal })).toEqual([
    { title: "Cats & co", url: "https://a", description: "x" },
  ]);
  expect(asked[0]).toMatchObject({ path: "/web/search?q=cats&count=3", headers: { "x-subscription-token": "k-1" } });
  status = 422;
  await expect(brave.search?.("cats", { limit: 3, signal })).rejects.toThrow(
    "Brave Search answered with status 422: The key is wrong",
  );
});

const result = (href: string, title: string, snippet: string): string =>
  `<div class="result results_links web-result"><h2 class="result__title"><a rel="nofollow" class="result__a" href="${href}">${title}</a></h2>
   <a class="result__snippet" href="${href}">${snippet}</a></div>`;
const page = [
  result(
    "//duckduckgo.com/l/?uddg=https%3A%2F%2Fcats.example%2Fa%3Fb%3D1&amp;rut=x",
    "<b>Cats</b> &#x27;n dogs",
    "All &lt;of&gt;\n <b>them</b>",
  ),
  result("https://duckduckgo.com/y.js?ad_domain=x", "An advertisement", "buy"),
  result("https://plain.example/", "Plain", ""),
].join("\n");

test("DuckDuckGo's page is read; advertisements are left out, a question for a person is told", async () => {
  let body = page;
  const { address, asked } = await service(() => ({ type: "text/html", body }));
  const ddgs = await (await opened({ plugins: { entries: { "web/ddgs": { base_url: address } } } })).provider(
    "web",
    "ddgs",
  );
  expect(await ddgs.search?.("cats & dogs", { limit: 5, signal })).toEqual([
    { title: "Cats 'n dogs", url: "https://cats.example/a?b=1", description: "All <of> them" },
    { title: "Plain", url: "https://plain.example/", description: "" },
  ]);
  expect(asked[0]?.body.toString()).toContain("q=cats+%26+dogs");
  body = '<div class="anomaly-modal__title">';
  await expect(ddgs.search?.("cats", { limit: 5, signal })).rejects.toThrow(/wants to see a person/);
  expect(readResults("no results")).toEqual([]);
});

test("without a key Brave is not available, and says what it needs", async () => {
  const brave = await (await opened()).provider("web", "brave");
  expect(await brave.available?.()).toBe(false);
  expect(brave.setup).toContain("BRAVE_SEARCH_API_KEY");
});
