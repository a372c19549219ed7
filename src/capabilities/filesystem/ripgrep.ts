import { environment, fileFacts, findProgram, isHostError, resolvePath, spawn } from "#host";
import { bounds, type Hit, nameGlob, type SearchEngine, type SearchResult, shortLine } from "./search.ts";

/** The program of the package's own, else that of the system; `undefined` where there is none. */
export async function ripgrepProgram(): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    return findProgram("rg"); // the optional package is not installed here
  }
}

/** Hidden files are searched, what `.gitignore` names and git's own folder are not. */
const scope = ["--no-config", "--hidden", "--no-require-git", "--glob=!.git"];

/** Searches with ripgrep. A program that is missing rejects with `not_found` or `not_executable`. */
export function ripgrep(program: string): SearchEngine {
  return {
    async content(request, signal) {
      const args = [
        ...scope,
        "--line-number",
        "--with-filename",
        "--no-heading",
        "--null",
        "--color=never",
        "--max-columns=4000",
        "--max-columns-preview",
        ...(request.context > 0 ? [`--context=${request.context}`, "--no-context-separator"] : []),
        ...(request.glob === undefined ? [] : globArguments(request.glob)),
        `--regexp=${request.pattern}`,
        "--",
        request.root,
      ];
      return searched(
        await lines({ program, args, cwd: await folderOf(request.root), most: bounds.hits, signal }),
        hit,
      );
    },
    async files(request, signal) {
      const args = [
        ...scope,
        "--files",
        "--sortr=modified",
        ...globArguments(nameGlob(request.pattern)),
        "--",
        request.root,
      ];
      return searched(
        await lines({ program, args, cwd: await folderOf(request.root), most: bounds.files, signal }),
        (line) => line,
      );
    },
  };
}

/** A positive `--glob` would bring back what `.gitignore` names; a file type, which knows names alone, does not. */
function globArguments(glob: string): readonly string[] {
  return glob.includes("/") || glob.startsWith("!")
    ? [`--glob=${glob}`]
    : [`--type-add=wanted:${glob}`, "--type=wanted"];
}

async function folderOf(root: string): Promise<string> {
  return (await fileFacts(root))?.kind === "directory" ? root : resolvePath("..", root);
}

interface Lines {
  readonly lines: readonly string[];
  readonly stopped: boolean;
  readonly code: number | null;
  readonly complaint: string;
}

interface Run {
  readonly program: string;
  readonly args: readonly string[];
  /** Globs with a slash are meant from here. */
  readonly cwd: string;
  readonly most: number;
  readonly signal: AbortSignal;
}

async function lines(run: Run): Promise<Lines> {
  const found: string[] = [];
  let partial = "";
  let full = false;
  const enough = new AbortController();
  const process = await spawn(run.program, run.args, {
    cwd: run.cwd,
    env: { PATH: environment()["PATH"] ?? "", HOME: environment()["HOME"] ?? "/" },
    keepBytes: 8_192,
    timeoutMs: bounds.milliseconds,
    signal: AbortSignal.any([run.signal, enough.signal]),
    graceMs: 50,
    onOutput: (text, stream) => {
      if (stream === "stderr" || full) return;
      const pieces = (partial + text).split("\n");
      partial = pieces.pop() ?? "";
      for (const piece of pieces) found.push(piece);
      full = found.length >= run.most;
      if (full) enough.abort();
    },
  });
  const exit = await process.exit;
  run.signal.throwIfAborted();
  return {
    lines: found.slice(0, run.most),
    stopped: full || exit.timedOut,
    code: full || exit.timedOut ? 0 : exit.code,
    complaint: exit.stderr.text.trim(),
  };
}

/** Exit code 1 is "nothing found"; 2 with results is a file that could not be read, without any an error. */
function searched<T>(found: Lines, read: (line: string) => T | undefined): SearchResult<T> {
  if (found.code !== 0 && found.code !== 1 && found.lines.length === 0 && found.complaint !== "") {
    return { ok: false, error: found.complaint.replace(/^rg: /, "").slice(0, 1_000) };
  }
  const items = found.lines.map(read).filter((item) => item !== undefined);
  return { ok: true, items, stopped: found.stopped };
}

/** `path NUL number:line` for a match, `path NUL number-line` around it. */
function hit(line: string): Hit | undefined {
  const match = /^([^\0]+)\0(\d+)([:-])(.*)$/s.exec(line);
  if (match === null) return undefined;
  const [, path = "", number = "", kind, content = ""] = match;
  const base = { path, line: Number(number), content: shortLine(content) };
  return kind === ":" ? base : { ...base, around: true };
}

/** Whether an error says that the program is of no use here, so that another engine should be tried. */
export function isMissing(error: unknown): boolean {
  return isHostError(error, "not_found") || isHostError(error, "not_executable");
}
