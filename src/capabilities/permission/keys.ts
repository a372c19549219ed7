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

/** The text of docs/reference/permission-patterns.md. */
export function permissionReference(): string {
  const table = (title: string, rows: readonly Pattern[]): readonly string[] => [
    `## ${title}`,
    "",
    "| key | Hermes's key | for example | lets pass |",
    "|---|---|---|---|",
    ...rows.map(
      ({ id, description, example, nearMisses }) =>
        `| \`${id}\` | ${cell(description)} | ${code(example)} | ${nearMisses.map(code).join(" · ")} |`,
    ),
  ];
  return [
    "# Patterns of commands",
    "",
    "Written by `npm run generate` from the tables in `src/capabilities/permission/`; do not edit.",
    "What they are looked for in, and what follows from a match: [permission](permission.md).",
    "",
    ...table("Hardline", hardline),
    "",
    ...table("Dangerous", dangerous),
    "",
  ].join("\n");
}

const code = (text: string): string => (text.includes("`") ? `\`\` ${cell(text)} \`\`` : `\`${cell(text)}\``);
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ⏎ ");
