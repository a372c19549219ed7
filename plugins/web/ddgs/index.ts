import { definePlugin } from "talaria/plugin";
import { asked, firstText } from "../../service.ts";
import { readResults } from "./results.ts";

export default definePlugin((context) => {
  const address = firstText(context.config["base_url"], "https://html.duckduckgo.com/html/");
  context.registerWebSearchProvider({
    name: "ddgs",
    label: "DuckDuckGo",
    async search(query, { limit, signal }) {
      const response = await asked("DuckDuckGo", address, {
        method: "POST",
        signal,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "user-agent":
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
          "accept-language": "en-US,en;q=0.9",
        },
        body: new URLSearchParams({ q: query, b: "", kl: "" }).toString(),
      });
      const found = readResults(await response.text());
      if (found === "challenge")
        throw new Error(
          "DuckDuckGo wants to see a person: wait a while, or set web.search_backend to another provider",
        );
      return found.slice(0, limit);
    },
  });
});
