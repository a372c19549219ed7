import type { Tool, ToolOutcome, ToolRun } from "#agent";
import { fileFacts, resolvePath } from "#host";
import { type Arguments, countArgument, textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { shownPath } from "./diff.ts";
import { ownSearch } from "./own-search.ts";
import { isMissing, ripgrep, ripgrepProgram } from "./ripgrep.ts";
import type { Found, Hit, SearchEngine, SearchRequest, SearchResult } from "./search.ts";
import type { FilesystemSettings } from "./settings.ts";
import { similarNames } from "./similar-names.ts";
import { refusal } from "./text-file.ts";

const parameters = {
  type: "object",
  properties: {
    pattern: {
      type: "string",
      description:
        "content: a regular expression (no look-around, no back-references). files: a glob such as *.ts, or a part of the name.",
    },
    target: {
      type: "string",
      enum: ["content", "files"],
      description: "content, the default: lines of files. files: names of files, latest change first.",
    },
    path: { type: "string", description: "Folder or file to search; the session's folder by default." },
    file_glob: { type: "string", description: "content: only files that match, such as *.py or src/**." },
    limit: { type: "integer", minimum: 1, description: "Results in one answer; 50 by default." },
    offset: { type: "integer", minimum: 0, description: "Results to pass over." },
    output_mode: {
      type: "string",
      enum: ["content", "files_only", "count"],
      description: "content: the lines; files_only: the files; count: matches of each file.",
    },
    context: { type: "integer", minimum: 0, maximum: 20, description: "Lines around each match." },
  },
  required: ["pattern"],
} as const;

/** The tool `search_files`. */
export function searchFilesTool(settings: FilesystemSettings): Tool {
  return {
    name: "search_files",
    readOnly: true,
    toolset: "file",
    description:
      "Search the content of files by regular expression, or find files by name. What .gitignore names is left out. Prefer it to grep, rg, find and ls.",
    parameters,
    concurrency: "parallel",
    summary: (args) => textArgument(args, "pattern") ?? "",
    run: async (args, run) => {
      try {
        return await search(args, run, settings);
      } catch (error) {
        run.signal.throwIfAborted();
        return failure(refusal(error));
      }
    },
  };
}

async function search(args: Arguments, run: ToolRun, settings: FilesystemSettings): Promise<ToolOutcome> {
  const pattern = textArgument(args, "pattern");
  if (pattern === undefined || pattern === "") return failure("pattern is missing or empty");
  const root = resolvePath(textArgument(args, "path") || ".", run.context.cwd);
  if ((await fileFacts(root)) === undefined) {
    return failure(`there is no file or folder ${root}`, { similar_files: await similarNames(root) });
  }
  const request: SearchRequest = {
    pattern,
    root,
    glob: textArgument(args, "file_glob") || undefined,
    context: countArgument(args, "context", { least: 0, most: 20, fallback: 0 }),
  };
  const page = {
    limit: countArgument(args, "limit", { least: 1, most: 2_000, fallback: 50 }),
    offset: countArgument(args, "offset", { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    cwd: run.context.cwd,
  };
  const target = textArgument(args, "target") ?? "content";
  if (target === "files" || target === "find") {
    const found = await withEngine(settings, (engine) => engine.files(request, run.signal));
    return found.ok ? fileAnswer(found, page) : failure(found.error);
  }
  const found = await withEngine(settings, (engine) => engine.content(request, run.signal));
  if (!found.ok) return failure(explained(found.error, pattern));
  return contentAnswer(found, { ...page, mode: textArgument(args, "output_mode") ?? "content" });
}

async function withEngine<T>(
  settings: FilesystemSettings,
  use: (engine: SearchEngine) => Promise<SearchResult<T>>,
): Promise<SearchResult<T>> {
  const program = settings.ripgrep ?? (await ripgrepProgram());
  if (program === undefined || program === false) return use(ownSearch());
  try {
    return await use(ripgrep(program));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return use(ownSearch());
  }
}

/** What to do about a pattern that is no regular expression. */
function explained(error: string, pattern: string): string {
  const unsupported = /\(\?(=|!|<=|<!)/.test(pattern) || /\\[1-9]/.test(pattern);
  const advice = unsupported
    ? "Look-around and back-references are not supported; search for a simpler pattern."
    : "To look for these characters themselves put a backslash before each of ( ) [ ] { } . * + ? ^ $ | \\.";
  return `${error}\n${advice}`;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly cwd: string;
}

function fileAnswer(found: Found<string>, page: Page): ToolOutcome {
  return pageAnswer(
    "files",
    found.items.map((path) => shownPath(path, page.cwd)),
    { page, stopped: found.stopped, total: found.items.length },
  );
}

function contentAnswer(found: Found<Hit>, page: Page & { readonly mode: string }): ToolOutcome {
  const hits = found.items.toSorted((left, right) => compare(left.path, right.path) || left.line - right.line);
  const matches = hits.filter((hit) => hit.around !== true);
  const counts = new Map<string, number>();
  for (const hit of matches)
    counts.set(shownPath(hit.path, page.cwd), (counts.get(shownPath(hit.path, page.cwd)) ?? 0) + 1);
  const common = { page, stopped: found.stopped, total: matches.length };
  if (page.mode === "files_only") return pageAnswer("files", [...counts.keys()], { ...common, total: counts.size });
  if (page.mode === "count") {
    const part = [...counts].slice(page.offset, page.offset + page.limit);
    return answer({ total_count: matches.length, counts: Object.fromEntries(part), ...ending(counts.size, common) });
  }
  return pageAnswer(
    "matches",
    hits.map((hit) => shown(hit, page.cwd)),
    common,
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function shown(hit: Hit, cwd: string): Readonly<Record<string, unknown>> {
  return {
    path: shownPath(hit.path, cwd),
    line: hit.line,
    content: hit.content,
    ...(hit.around === true ? { context: true } : {}),
  };
}

interface Shape {
  readonly page: Page;
  readonly stopped: boolean;
  readonly total: number;
}

function pageAnswer(key: string, items: readonly unknown[], shape: Shape): ToolOutcome {
  const part = items.slice(shape.page.offset, shape.page.offset + shape.page.limit);
  return answer({ total_count: shape.total, [key]: part, ...ending(items.length, shape) });
}

function ending(count: number, { page, stopped }: Shape): Readonly<Record<string, unknown>> {
  const next = page.offset + page.limit;
  const hints = [
    ...(count > next ? [`${count - next} more; go on with offset ${next}`] : []),
    ...(stopped
      ? ["the search was ended early, so there may be still more; narrow the pattern, path or file_glob"]
      : []),
  ];
  return hints.length === 0 ? { truncated: false } : { truncated: true, hint: hints.join("; ") };
}
