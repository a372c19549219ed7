import type { Tool, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { textArgument, textListArgument } from "../argument.ts";
import type { ProviderSource } from "../provider-choice.ts";
import { mostPages, type WebSettings } from "./settings.ts";

const searchParameters = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to look for, in the words of a search engine." },
    limit: { type: "integer", description: "Results wanted, 1 to 20. Default 5.", minimum: 1, maximum: 20 },
  },
  required: ["query"],
} as const;

const extractParameters = {
  type: "object",
  properties: {
    urls: {
      type: "array",
      items: { type: "string" },
      maxItems: mostPages,
      description: `The http or https addresses to read, ${mostPages} at most.`,
    },
  },
  required: ["urls"],
} as const;

/** Slot `web`: `web_search` and `web_extract`, over what plugins provide. See docs/reference/tools.md. */
export function web(settings: WebSettings, source: ProviderSource): Middleware<TurnContext> {
  const search: Tool = {
    name: "web_search",
    toolset: "web",
    readOnly: true,
    concurrency: "parallel",
    description:
      "Searches the web and answers with titles, addresses and short descriptions. Read the pages that matter with web_extract.",
    parameters: searchParameters,
    available: () => source.mayHave("web"),
    summary: (args) => textArgument(args, "query") ?? "",
    run: async (args, { signal, context }) =>
      (await import("./web-search.ts")).webSearch(args, { settings, source, signal, context }),
  };
  const extract: Tool = {
    name: "web_extract",
    toolset: "web",
    readOnly: true,
    concurrency: "parallel",
    description:
      "Reads web pages and answers with their content as Markdown. A long page is shortened, and all of it is kept in a file that the answer names. Text, JSON and XML are given as they are. Pages that need a login or clicks are for the browser tools.",
    parameters: extractParameters,
    summary: (args) => textListArgument(args, "urls").join(", "),
    run: async (args, { signal, context }) =>
      (await import("./web-extract.ts")).webExtract(args, { settings, source, signal, context }),
  };
  return { slot: "web", tools: () => [search, extract] };
}
