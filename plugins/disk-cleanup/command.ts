import { type Cleaned, type Cleanup, size } from "./cleanup.ts";
import { categories, existing, isCategory, type Tracked } from "./ledger.ts";

const help = `/disk-cleanup status                     what is tracked, by category, and the ten largest
/disk-cleanup dry-run                    what would be deleted
/disk-cleanup quick                      delete what is due
/disk-cleanup deep                       the same, and list what is for you to decide
/disk-cleanup track <path> <category>    track a path: ${categories.join(", ")}
/disk-cleanup forget <path>              track it no longer`;

/** Answers `/disk-cleanup …`. */
export async function slashCommand(line: string, tidy: Cleanup): Promise<string> {
  const [what = "help", path = "", category = ""] = line
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  switch (what) {
    case "status":
      return status(await tidy.ledger.read());
    case "dry-run":
      return preview(await tidy.due());
    case "quick":
      return summary(await tidy.quick());
    case "deep": {
      const done = summary(await tidy.quick());
      const { asked } = await tidy.due();
      if (asked.length === 0) return done;
      return `${done}\n\n${asked.length} for you to decide: delete them, or /disk-cleanup forget <path>:\n${lines(asked)}`;
    }
    case "track":
      if (path === "" || !isCategory(category))
        return `/disk-cleanup track <path> <category>: ${categories.join(", ")}`;
      if (await tidy.track(path, category)) return `Tracked ${path} as '${category}'.`;
      return `Not tracked (already present, missing, or outside the home): ${path}`;
    case "forget": {
      const removed = await tidy.forget(path);
      return removed > 0 ? `${path} is tracked no longer.` : `Not found in tracking: ${path}`;
    }
    case "help":
      return help;
    default:
      return `Unknown subcommand: ${what}\n\n${help}`;
  }
}

const summary = ({ deleted, emptyFolders, freed, errors }: Cleaned): string =>
  [
    `[disk-cleanup] Cleaned ${deleted} files + ${emptyFolders} empty dirs, freed ${size(freed)}.`,
    ...errors.map((error) => `  ${error}`),
  ].join("\n");

const lines = (items: readonly Tracked[]): string =>
  items.map(({ category, path }) => `  [${category}] ${path}`).join("\n");

const total = (items: readonly Tracked[]): string => size(items.reduce((sum, item) => sum + item.size, 0));

const preview = ({ automatic, asked }: Awaited<ReturnType<Cleanup["due"]>>): string =>
  [
    "Dry-run preview (nothing deleted):",
    `  Auto-delete : ${automatic.length} files (${total(automatic)})`,
    ...(automatic.length > 0 ? [lines(automatic)] : []),
    `  Needs prompt: ${asked.length} files (${total(asked)})`,
    ...(asked.length > 0 ? [lines(asked)] : []),
  ].join("\n");

async function status(tracked: readonly Tracked[]): Promise<string> {
  const rows = categories
    .map((category) => ({ category, items: tracked.filter((one) => one.category === category) }))
    .filter(({ items }) => items.length > 0)
    .map(
      ({ category, items }) =>
        `${category.padEnd(20)} ${String(items.length).padStart(6)}  ${total(items).padStart(10)}`,
    );
  const there = new Set(await existing(tracked.map(({ path }) => path)));
  const top = tracked.filter(({ path }) => there.has(path)).toSorted((one, other) => other.size - one.size);
  const largest = top
    .slice(0, 10)
    .map(
      ({ size: bytes, category, path }, index) =>
        `  ${String(index + 1).padStart(2)}. ${size(bytes).padStart(8)}  [${category}]  ${path}`,
    );
  return [
    `${"Category".padEnd(20)} ${"Files".padStart(6)}  ${"Size".padStart(10)}`,
    "-".repeat(40),
    ...(rows.length > 0 ? rows : ["(nothing tracked yet)"]),
    "",
    "Top 10 largest tracked files:",
    ...(largest.length > 0 ? largest : ["  (none)"]),
  ].join("\n");
}
