/** What a server answered with. */
export interface ServedPage {
  /** Where it was found; relative links begin here. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface ReadPage {
  readonly title: string;
  /** Markdown, or the text as it is where it was none of HTML. */
  readonly content: string;
  readonly error?: string;
}

/** HTML with more characters is not searched for its main content: that takes time that grows faster than the page. */
const mostSearched = 2_000_000;

/** The content of a page. Binary content is told as an error. */
export async function readPage(page: ServedPage): Promise<ReadPage> {
  const type = (page.contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (!isText(type, page.body)) {
    const hint = type.startsWith("image/") ? "; look at it with vision_analyze" : "; fetch it with the terminal";
    return { title: "", content: "", error: `${page.url} is ${type || "binary"}, which has no text to read${hint}` };
  }
  const text = decoded(page);
  if (!isHtml(type, text)) return { title: "", content: text };
  return readHtml(text, page.url);
}

function isText(type: string, body: Uint8Array): boolean {
  if (/^text\/|[/+](json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh|sql|xhtml)\b|ndjson/.test(type)) return true;
  return (type === "" || type === "application/octet-stream") && !body.subarray(0, 4_096).includes(0);
}

const isHtml = (type: string, text: string): boolean =>
  type === "text/html" || type === "application/xhtml+xml" || (type === "" && /^\s*<(!doctype html|html)/i.test(text));

/** By the header's charset, else the one that the page names, else UTF-8. */
function decoded({ contentType, body }: ServedPage): string {
  const start = new TextDecoder("latin1").decode(body.subarray(0, 2_048));
  const named = /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(start)?.[1];
  try {
    return new TextDecoder(named ?? "utf-8").decode(body);
  } catch {
    return new TextDecoder().decode(body); // nobody knows that charset
  }
}

async function readHtml(html: string, url: string): Promise<ReadPage> {
  const [{ parseHTML }, readability, { default: Turndown }] = await Promise.all([
    import("linkedom"),
    import("@mozilla/readability").then(exported),
    import("turndown"),
  ]);
  const { document } = parseHTML(html.includes("<body") ? html : `<html><body>${html}</body></html>`);
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  for (const each of document.querySelectorAll("script, style, noscript, template, iframe, svg")) each.remove();
  completeLinks(document, url);
  const whole = document.body?.cloneNode(true);
  const article =
    html.length > mostSearched ? null : new readability.Readability(document, { charThreshold: 200 }).parse();
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.addRule("table", { filter: "table", replacement: (_content, node) => `\n\n${tableText(node)}\n\n` });
  const markdown = (content: string | null | undefined): string =>
    content ? turndown.turndown(parseHTML(`<html><body>${content}</body></html>`).document.body).trim() : "";
  const main = markdown(article?.content);
  const content = main === "" ? markdown(whole?.innerHTML) : main;
  return { title: article?.title?.trim() || title, content };
}

/** What a package in CommonJS exports: in a bundle all of it is its default. */
const exported = <T extends object>(module: T): T =>
  "Readability" in module ? module : ((module as { readonly default?: T }).default ?? module);

interface Linked {
  querySelectorAll(
    selector: string,
  ): Iterable<{ getAttribute(name: string): string | null; setAttribute(name: string, value: string): void }>;
}

function completeLinks(document: Linked, base: string): void {
  for (const [selector, name] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const value = element.getAttribute(name) ?? "";
      if (!value.startsWith("#") && URL.canParse(value, base)) element.setAttribute(name, new URL(value, base).href);
    }
  }
}

interface Row {
  readonly textContent: string | null;
  querySelectorAll(selector: string): Iterable<Row>;
}

/** A table with bars between its cells; the first row is its head. */
function tableText(table: unknown): string {
  const rows = [...(table as Row).querySelectorAll("tr")].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) =>
      (cell.textContent ?? "").replace(/\s+/g, " ").trim().replaceAll("|", "\\|"),
    ),
  );
  const lines = rows.filter((cells) => cells.length > 0).map((cells) => `| ${cells.join(" | ")} |`);
  const width = rows.find((cells) => cells.length > 0)?.length ?? 0;
  return [lines[0], `|${" --- |".repeat(width)}`, ...lines.slice(1)].filter((line) => line !== undefined).join("\n");
}
