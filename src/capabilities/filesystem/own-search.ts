import { fileFacts, isHostError, ticks } from "#host";
import {
  bounds,
  type Hit,
  nameGlob,
  type SearchEngine,
  type SearchRequest,
  type SearchResult,
  shortLine,
} from "./search.ts";
import { loadText } from "./text-file.ts";
import { modifiedMs, type WalkedFile, walk } from "./walk.ts";

/** Larger files are passed over. */
const mostBytes = 8 << 20;

/** Searches without any program: slower, with the same answers. Its regular expressions take time that grows with the text alone. */
export function ownSearch(): SearchEngine {
  return { content, files };
}

type LineTest = (line: string) => boolean;

async function content(request: SearchRequest, signal: AbortSignal): Promise<SearchResult<Hit>> {
  const test = await lineTest(request.pattern);
  if (typeof test === "string") return { ok: false, error: test };
  const hits: Hit[] = [];
  const stopped = await overFiles(request, signal, async (file) => {
    const text = await searchable(file.path);
    if (text !== undefined) collect(hits, { path: file.path, text, test, around: request.context });
    return hits.length < bounds.hits;
  });
  return { ok: true, items: hits.slice(0, bounds.hits), stopped };
}

async function files(request: SearchRequest, signal: AbortSignal): Promise<SearchResult<string>> {
  const found: { readonly path: string; readonly modified: number }[] = [];
  const stopped = await overFiles({ ...request, glob: nameGlob(request.pattern) }, signal, async ({ path }) => {
    found.push({ path, modified: await modifiedMs(path) });
    return found.length < bounds.files;
  });
  found.sort((left, right) => right.modified - left.modified);
  return { ok: true, items: found.map(({ path }) => path), stopped };
}

/** Calls for each file that the glob takes, until told to stop or the time is over; true when it did not come to the end. */
async function overFiles(
  request: SearchRequest,
  signal: AbortSignal,
  visit: (file: WalkedFile) => Promise<boolean>,
): Promise<boolean> {
  const deadline = ticks() + bounds.milliseconds;
  const takes = await globTest(request.glob);
  if ((await fileFacts(request.root))?.kind === "file") {
    await visit({ path: request.root, relative: request.root });
    return false;
  }
  for await (const file of walk(request.root, signal)) {
    if (!takes(file.relative)) continue;
    if (!(await visit(file)) || ticks() > deadline) return true;
  }
  return false;
}

async function globTest(glob: string | undefined): Promise<LineTest> {
  if (glob === undefined) return () => true;
  const { default: picomatch } = await import("picomatch");
  const negated = glob.startsWith("!");
  // Globs here are those of ripgrep, to which parentheses and bars are plain characters.
  const plain = (negated ? glob.slice(1) : glob).replace(/[()|]/g, "\\$&");
  const match = picomatch(plain.includes("/") ? plain.replace(/^\//, "") : `**/${plain}`, { dot: true });
  return (path) => match(path) !== negated;
}

/** Plain text is looked for as it is; everything else by an engine without backtracking. */
async function lineTest(pattern: string): Promise<LineTest | string> {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return (line) => line.includes(pattern);
  try {
    const { RE2JS } = await import("re2js");
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    return `regex parse error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function searchable(path: string): Promise<string | undefined> {
  try {
    const facts = await fileFacts(path);
    return facts === undefined || facts.bytes > mostBytes ? undefined : (await loadText(path))?.text;
  } catch (error) {
    if (isHostError(error)) return undefined;
    throw error;
  }
}

function collect(
  hits: Hit[],
  file: { readonly path: string; readonly text: string; readonly test: LineTest; readonly around: number },
): void {
  const lines = file.text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const matched = new Set<number>();
  for (const [index, line] of lines.entries()) if (file.test(line.slice(0, 4_000))) matched.add(index);
  const shown = new Set<number>();
  for (const index of matched) {
    for (let near = index - file.around; near <= index + file.around; near += 1) shown.add(near);
  }
  for (const index of [...shown].sort((left, right) => left - right)) {
    const line = lines[index];
    if (line === undefined) continue;
    const hit = { path: file.path, line: index + 1, content: shortLine(line) };
    hits.push(matched.has(index) ? hit : { ...hit, around: true });
  }
}
