import { dangerous } from "./dangerous.ts";
import { hardline } from "./hardline.ts";
import type { Pattern } from "./pattern.ts";

const spellings = (row: Pattern): readonly string[] => [row.id, row.description, ...(row.legacy ?? [])];

/**
 * A predicate over our keys from the entries of an allow-list file: each may be our key, Hermes's description or one of
 * Hermes's older keys, which may stand for several. What is none of these is kept as a key of its own.
 */
export function allowedKeys(entries: readonly string[]): (key: string) => boolean {
  const allowed = new Set(entries);
  for (const row of dangerous) if (spellings(row).some((spelling) => allowed.has(spelling))) allowed.add(row.id);
  return (key) => allowed.has(key);
}

/** The key as it is written in a file: Hermes's description in a Hermes home, else our own. */
export function writtenKey(key: string, hermesHome: boolean): string {
  const row = hermesHome ? dangerous.find(({ id }) => id === key) : undefined;
  return row?.description ?? key;
}

/** The tables of docs/reference/permission.md. */
export function permissionTables(): string {
  const table = (title: string, rows: readonly Pattern[]): string =>
    [
      `### ${title}`,
      "",
      "| key | Hermes's key | for example |",
      "|---|---|---|",
      ...rows.map((row) => `| \`${row.id}\` | ${cell(row.description)} | \`${cell(row.example)}\` |`),
    ].join("\n");
  return `${table("Hardline", hardline)}\n\n${table("Dangerous", dangerous)}\n`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ⏎ ").replaceAll("`", "ˋ");
