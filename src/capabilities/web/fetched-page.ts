import { guardedGet } from "#host";
import type { WebPage } from "#plugins";
import { reason } from "../provider-choice.ts";
import type { WebSettings } from "./settings.ts";

const headers = {
  "user-agent": "Mozilla/5.0 (compatible; Talaria)",
  accept: "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5",
  "accept-language": "en,*;q=0.5",
} as const;
const maxBytes = 8 << 20;
const pageMs = 45_000;

/** Reads pages without any service: fetched, and their main content made Markdown. In the order of the addresses. */
export function fetchedPages(
  urls: readonly string[],
  settings: WebSettings,
  signal: AbortSignal,
): Promise<readonly WebPage[]> {
  return Promise.all(urls.map((url) => fetchedPage(url, settings, signal)));
}

async function fetchedPage(url: string, { allowPrivate }: WebSettings, signal: AbortSignal): Promise<WebPage> {
  const failed = (error: string, at = url): WebPage => ({ url: at, title: "", content: "", error });
  const limit = AbortSignal.timeout(pageMs);
  try {
    const page = await guardedGet(url, {
      headers,
      maxBytes,
      noLoopback: true,
      allowHosts: allowPrivate ? ["*"] : [],
      signal: AbortSignal.any([signal, limit]),
    });
    if (page.kind === "refused")
      return failed(`${url} is not read: ${page.reason}. Where that is meant, set security.allow_private_urls: true`);
    if (page.status >= 400 || page.status < 200)
      return failed(`${page.url} answered with status ${page.status}`, page.url);
    const { readPage } = await import("./page.ts");
    return { url: page.url, ...(await readPage(page)) };
  } catch (error) {
    signal.throwIfAborted();
    return failed(limit.aborted ? `${url} did not answer within ${pageMs / 1000} s` : reason(error));
  }
}
