import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { say } from "../hooks/hook-fixture.ts";
import { pluginHome } from "./plugin-fixture.ts";

const found = '<a class="result__a" href="https://cats.example/">Cats</a><a class="result__snippet">all</a>';
const server = createServer((request, response) =>
  response
    .writeHead(200, { "content-type": "text/html" })
    .end(request.method === "POST" ? found : "<title>A story</title><h1>Hello</h1><p>Some words of it.</p>"),
);
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ calls: [{ name, args }] });

test("the built program searches with a bundled provider, and reads a page without one", async () => {
  const home = await pluginHome();
  home.plugins(`entries: { "web/ddgs": { base_url: "${address}" } }`);
  const steps = [call("web_search", { query: "cats" }), call("web_extract", { urls: [address] }), say("done")];
  const turn = await home.turn({ steps, env: { TALARIA_ALLOW_PRIVATE_URLS: "1" } });
  expect(turn.status, turn.stderr).toBe(0);
  const [search, extract] = turn.results.map((result) => JSON.parse(result));
  expect(search.data.web).toEqual([{ title: "Cats", url: "https://cats.example/", description: "all", position: 1 }]);
  expect(extract.results).toEqual([
    { url: address, title: "A story", content: expect.stringContaining("Some words of it."), error: null },
  ]);
});

test("a provider of a plugin of one's own is used by the tool of its kind", async () => {
  const home = await pluginHome();
  home.plugin(
    "mine",
    `export default { register(context) {
      context.registerWebSearchProvider({ name: "mine", search: async (query) => [{ title: query, url: "https://mine.example", description: "" }] });
    } };`,
  );
  home.plugins("enabled: [mine]");
  const file = "~/.talaria/config.yaml";
  home.write(file, `${home.read(file)}web: { backend: mine }\n`);
  const turn = await home.turn({ steps: [call("web_search", { query: "cats" }), say("done")] });
  expect(turn.status, turn.stderr).toBe(0);
  expect(turn.results[0]).toContain("https://mine.example");
});
