import { definePlugin, type WebResult } from "talaria/plugin";
import { askedJson, firstText, mapping, text } from "../../service.ts";

export default definePlugin((context) => {
  const { config, settings, environment } = context;
  const address = firstText(config["url"], mapping(settings["web"])["searxng_url"], environment["SEARXNG_URL"]);
  context.registerWebSearchProvider({
    name: "searxng",
    label: "SearXNG",
    setup: "set SEARXNG_URL to the address of a SearXNG server",
    available: () => URL.canParse(address),
    async search(query, { limit, signal }) {
      const url = new URL("search", address.endsWith("/") ? address : `${address}/`);
      url.search = new URLSearchParams({ q: query, format: "json" }).toString();
      const answer = await askedJson("SearXNG", url, { signal, headers: { accept: "application/json" } });
      const { results } = answer;
      if (!Array.isArray(results))
        throw new Error("SearXNG gave no results list; is the format json allowed in its settings?");
      return results.slice(0, limit).map((each: unknown): WebResult => {
        const { title, url: at, content } = mapping(each);
        return { title: text(title), url: text(at), description: text(content) };
      });
    },
  });
});
