import { definePlugin, type WebResult } from "talaria/plugin";
import { askedJson, firstText, mapping, text } from "../../service.ts";

const most = 20;

export default definePlugin((context) => {
  const { config, environment } = context;
  const key = firstText(config["api_key"], environment["BRAVE_SEARCH_API_KEY"], environment["BRAVE_API_KEY"]);
  const address = firstText(config["base_url"], "https://api.search.brave.com/res/v1");
  context.registerWebSearchProvider({
    name: "brave",
    label: "Brave Search",
    setup: "set BRAVE_SEARCH_API_KEY (https://brave.com/search/api/)",
    available: () => key !== "",
    async search(query, { limit, signal }) {
      const url = new URL(`${address.replace(/\/+$/, "")}/web/search`);
      url.search = new URLSearchParams({ q: query, count: String(Math.min(limit, most)) }).toString();
      const headers = { accept: "application/json", "x-subscription-token": key };
      const { results } = mapping((await askedJson("Brave Search", url, { signal, headers }))["web"]);
      return (Array.isArray(results) ? results : []).slice(0, limit).map((each: unknown): WebResult => {
        const { title, url: at, description } = mapping(each);
        return { title: plain(text(title)), url: text(at), description: plain(text(description)) };
      });
    },
  });
});

/** Brave marks what was found in bold. */
const plain = (words: string): string =>
  words
    .replaceAll(/<\/?strong>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");
