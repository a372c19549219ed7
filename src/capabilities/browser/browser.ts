import type { Tool, ToolRun, TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { type Arguments, textArgument } from "../argument.ts";
import type { ProviderSource } from "../provider-choice.ts";
import type { Action } from "./actions.ts";
import type { BrowserState } from "./open-page.ts";
import type { BrowserSettings } from "./settings.ts";

interface Row {
  readonly name: Action;
  readonly description: string;
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
  readonly readOnly?: true;
}

const ref = { type: "string", description: "A reference of the snapshot, such as @e5." };

const rows: readonly Row[] = [
  {
    name: "browser_navigate",
    description:
      "Opens an address in the browser; the other browser tools work on that page. The answer has a snapshot already. For plain reading web_extract is faster; for files and interfaces use the terminal.",
    properties: { url: { type: "string", description: "Such as https://example.org." } },
    required: ["url"],
  },
  {
    name: "browser_snapshot",
    description:
      "What the page shows now, as a tree in text, with references such as @e5 for browser_click and browser_type. A long one is cut, and all of it is kept in a file that the answer names.",
    properties: {
      full: { type: "boolean", description: "All of the page's text. Default false: what can be used, and headings." },
    },
    readOnly: true,
  },
  {
    name: "browser_click",
    description: "Clicks the element of a reference. Take a new snapshot afterwards where the page changes.",
    properties: { ref },
    required: ["ref"],
  },
  {
    name: "browser_type",
    description: "Puts a text into the field of a reference, in place of what stands there.",
    properties: { ref, text: { type: "string", description: "The text." } },
    required: ["ref", "text"],
  },
  {
    name: "browser_scroll",
    description: "Scrolls the page by most of a screen.",
    properties: { direction: { type: "string", enum: ["up", "down"], description: "Where to." } },
    required: ["direction"],
  },
  { name: "browser_back", description: "Goes back to the page before." },
  {
    name: "browser_press",
    description: "Presses a key, such as Enter, Tab, Escape, ArrowDown or Control+a.",
    properties: { key: { type: "string", description: "The key's name." } },
    required: ["key"],
  },
  {
    name: "browser_get_images",
    description: "Lists the pictures of the page with their addresses and descriptions.",
    readOnly: true,
  },
  {
    name: "browser_console",
    description:
      "What the page wrote to its console since the last look, and its errors. With an expression: evaluates it in the page and answers with its value.",
    properties: {
      clear: { type: "boolean", description: "Forget the messages after this look. Default false." },
      expression: { type: "string", description: "JavaScript to evaluate in the page." },
    },
  },
  {
    name: "browser_vision",
    description:
      "Takes a screenshot to answer a question about how the page looks: layouts, pictures, charts, and what a snapshot does not tell.",
    properties: {
      question: { type: "string", description: "What you want to know." },
      annotate: { type: "boolean", description: "Give the references of the snapshot beside it. Default false." },
    },
    required: ["question"],
    readOnly: true,
  },
];

/** Slot `browser`: one page for each session, over what plugins provide. See docs/reference/tools.md. */
export function browser(settings: BrowserSettings, source: ProviderSource): Middleware<TurnContext> {
  const tools = rows.map((row) => toolOf(row, settings, source));
  return {
    slot: "browser",
    tools: () => tools,
    on: {
      on_session_finalize: async (_payload, context) => {
        await stateOf(context).open?.close();
      },
    },
  };
}

const stateOf = (context: TurnContext): BrowserState => context.state<BrowserState>("browser", () => ({}));

function toolOf(row: Row, settings: BrowserSettings, source: ProviderSource): Tool {
  return {
    name: row.name,
    toolset: "browser",
    description: row.description,
    parameters: { type: "object", properties: row.properties ?? {}, required: row.required ?? [] },
    ...(row.readOnly ? { readOnly: true as const } : {}),
    available: () => source.mayHave("browser"),
    summary: (args) =>
      ["url", "ref", "key", "question", "expression"].map((key) => textArgument(args, key)).find(Boolean) ?? "",
    run: async (args: Arguments, { context, signal }: ToolRun) => {
      const { act } = await import("./actions.ts");
      return act(row.name, args, { settings, source, signal, sessionId: context.sessionId, state: stateOf(context) });
    },
  };
}
