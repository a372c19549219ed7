import type { WebResult } from "talaria/plugin";

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/** The results of DuckDuckGo's page without scripts; `challenge` where it asks for a person instead. */
export function readResults(html: string): readonly WebResult[] | "challenge" {
  if (/anomaly-modal|challenge-form/.test(html)) return "challenge";
  const starts = [...html.matchAll(/<a\b[^>]*\bclass="[^"]*\bresult__a\b[^"]*"[^>]*>/g)];
  return starts.flatMap((start, index): readonly WebResult[] => {
    const part = html.slice(start.index, starts[index + 1]?.index);
    const address = target(/\bhref="([^"]*)"/.exec(start[0])?.[1] ?? "");
    const title = /^<a\b[^>]*>([\s\S]*?)<\/a>/.exec(part)?.[1] ?? "";
    const snippet = /class="[^"]*\bresult__snippet\b[^"]*"[^>]*>([\s\S]*?)<\/(?:a|div|td|span)>/.exec(part)?.[1] ?? "";
    return address === undefined ? [] : [{ title: plain(title), url: address, description: plain(snippet) }];
  });
}

/** The address that a result leads to; undefined for advertisements. */
function target(href: string): string | undefined {
  const url = decoded(href).replace(/^\/\//, "https://");
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname, searchParams } = new URL(url);
  if (!/(^|\.)duckduckgo\.com$/.test(hostname)) return url;
  if (pathname === "/y.js") return undefined;
  return searchParams.get("uddg") ?? undefined;
}

const plain = (html: string): string =>
  decoded(html.replaceAll(/<[^>]*>/g, ""))
    .replaceAll(/\s+/g, " ")
    .trim();

const decoded = (html: string): string =>
  html.replaceAll(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
