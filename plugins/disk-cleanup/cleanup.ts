import { readdir, realpath, rm, rmdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, relative, sep } from "node:path";
import { type Category, existing, isThere, type Ledger, ledger, type Tracked } from "./ledger.ts";

export interface Cleaned {
  readonly deleted: number;
  readonly emptyFolders: number;
  /** Bytes. */
  readonly freed: number;
  readonly errors: readonly string[];
}

export interface Cleanup {
  readonly ledger: Ledger;
  /** What a path is, if it may be thrown away at all. */
  categoryOf(path: string): Promise<Category | undefined>;
  /** False where it is missing, tracked already, or lies outside the home and `/tmp/hermes-*`. */
  track(path: string, category: Category): Promise<boolean>;
  forget(path: string): Promise<number>;
  /** Deletes what is due and needs no question. */
  quick(): Promise<Cleaned>;
  /** What `quick` would delete, and what is for a person to decide. */
  due(): Promise<{ readonly automatic: readonly Tracked[]; readonly asked: readonly Tracked[] }>;
}

/** Of the home's own things, none is ever thrown away; of `cron` only what jobs have put out. */
const kept = new Set(
  "logs memories sessions cache skills plugins disk-cleanup optional-skills hermes-agent backups profiles .worktrees patches projects skins themes hooks node_modules browser-profile vendor plans bin config.yaml .env auth.json state.db talaria.db USER.md MEMORY.md SOUL.md BOOT.md".split(
    " ",
  ),
);
const unswept = new Set([...kept, "cron", "cronjobs", ".git", "venv", ".venv", "site-packages", "__pycache__"]);
const days = { temp: 7, "cron-output": 14, research: 30, "chrome-profile": 14 } as const;
const large = 500 * 1024 * 1024;

export function cleanup(home: string): Cleanup {
  const book = ledger(home);
  const place = async (
    path: string,
  ): Promise<{ readonly real: string; readonly parts: readonly string[] } | undefined> => {
    const [real, root] = await Promise.all([realpath(path).catch(() => undefined), realpath(home)]); // gone
    if (real === undefined) return undefined;
    const way = relative(root, real);
    if (way !== "" && !way.startsWith("..") && !isAbsolute(way)) return { real, parts: way.split(sep) };
    return /^\/tmp\/(hermes|talaria)-[^/]/.test(real) ? { real, parts: [] } : undefined;
  };
  const categoryOf = async (path: string): Promise<Category | undefined> => {
    const found = await place(path);
    if (found === undefined) return undefined;
    const [top = ""] = found.parts;
    if (kept.has(top)) return undefined;
    if (top === "cron" || top === "cronjobs")
      return found.parts.length >= 3 && found.parts[1] === "output" ? "cron-output" : undefined;
    const name = basename(found.real);
    return /^(test_|tmp_)|\.test\.(py|js|ts|md)$/.test(name) ? "test" : undefined;
  };
  /** What is due today by today's rules, whatever a file of earlier days says. */
  const isDue = async (item: Tracked): Promise<boolean> => {
    const { category, path } = item;
    if (category !== "test" && category !== "cron-output" && category !== "temp") return false;
    if (category !== "temp" && (await categoryOf(path)) !== category) return false;
    const found = await place(path);
    if (found === undefined || (found.parts[0] !== undefined && kept.has(found.parts[0]))) return false;
    if (/^(cron|cronjobs)$/.test(found.parts[0] ?? "") && found.parts.length < 3) return false;
    return category === "test" || age(item) > days[category];
  };
  return {
    ledger: book,
    categoryOf,
    async track(path, category) {
      const found = await place(path);
      if (found === undefined) return false;
      const facts = await stat(found.real);
      const item: Tracked = {
        path: found.real,
        timestamp: new Date().toISOString(),
        category,
        size: facts.isFile() ? facts.size : 0,
      };
      return book.change(async (tracked) => {
        if (tracked.some((one) => one.path === item.path)) return { tracked, result: false };
        await book.log(`TRACKED: ${item.path} (${category}, ${size(item.size)})`);
        return { tracked: [...tracked, item], result: true };
      });
    },
    async forget(path) {
      const real = await realpath(path).catch(() => path); // what is gone is known by its name
      return book.change(async (tracked) => {
        const left = tracked.filter((one) => one.path !== real);
        return { tracked: left, result: tracked.length - left.length };
      });
    },
    quick: () => quick(home, book, isDue),
    due: () => due(book, isDue),
  };
}

async function due(book: Ledger, isDue: (item: Tracked) => Promise<boolean>): ReturnType<Cleanup["due"]> {
  const tracked = await book.read();
  const there = await existing(tracked.map(({ path }) => path));
  const known = tracked.filter(({ path }) => there.includes(path));
  const automatic = await Promise.all(known.map(isDue));
  const isAsked = (item: Tracked): boolean => {
    const { category } = item;
    const isOld = (category === "research" || category === "chrome-profile") && age(item) > days[category];
    return isOld || item.size > large;
  };
  return {
    automatic: known.filter((_, index) => automatic[index]),
    asked: known.filter((item, index) => !automatic[index] && isAsked(item)),
  };
}

const age = ({ timestamp }: Tracked): number => Math.floor((Date.now() - Date.parse(timestamp)) / 86_400_000);

function quick(home: string, book: Ledger, isDue: (item: Tracked) => Promise<boolean>): Promise<Cleaned> {
  return book.change(async (tracked) => {
    const left: Tracked[] = [];
    const errors: string[] = [];
    let [deleted, freed] = [0, 0];
    for (const item of tracked) {
      if (!(await isThere(item.path))) continue;
      if (!(await isDue(item))) {
        left.push(item);
        continue;
      }
      try {
        await rm(item.path, { recursive: true });
        deleted += 1;
        freed += item.size;
        await book.log(`DELETED: ${item.path} (${item.category}, ${size(item.size)})`);
      } catch (error) {
        errors.push(`${item.path}: ${error instanceof Error ? error.message : String(error)}`);
        left.push(item);
      }
    }
    const emptyFolders = await sweep(home);
    await book.log(`QUICK_SUMMARY: ${deleted} files, ${emptyFolders} dirs, ${size(freed)}`);
    return { tracked: left, result: { deleted, emptyFolders, freed, errors } };
  });
}

/** Removes empty folders of the home, those of its own things left alone. */
async function sweep(folder: string, depth = 0): Promise<number> {
  let removed = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory() || unswept.has(entry.name) || depth > 20) continue;
    const path = join(folder, entry.name);
    removed += await sweep(path, depth + 1);
    removed += await rmdir(path).then(
      () => 1,
      () => 0, // it is not empty
    );
  }
  return removed;
}

/** `8.0 B`, `1.5 MB`. */
export function size(bytes: number): string {
  let rest = bytes;
  for (const unit of ["B", "KB", "MB", "GB", "TB"]) {
    if (rest < 1024) return `${rest.toFixed(1)} ${unit}`;
    rest /= 1024;
  }
  return `${rest.toFixed(1)} PB`;
}
