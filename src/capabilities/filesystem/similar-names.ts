import { list, resolvePath } from "#host";
import { similarity } from "./line-match.ts";

/** Up to five entries beside a missing file whose names are like its own. */
export async function similarNames(path: string): Promise<readonly string[]> {
  const folder = resolvePath("..", path);
  const wanted = nameOf(path).toLowerCase();
  const entries = await list(folder).catch(() => []); // no such folder, or it may not be read: there is nothing to suggest
  return entries
    .map((entry) => ({ name: entry.name, score: likeness(entry.name.toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0.4)
    .sort((left, right) => right.score - left.score)
    .slice(0, 5)
    .map(({ name }) => resolvePath(name, folder));
}

function likeness(name: string, wanted: string): number {
  if (name === wanted) return 1;
  const stem = (text: string) => text.replace(/\.[^.]*$/, "");
  if (stem(name) === stem(wanted) && stem(name) !== "") return 0.95;
  return similarity(name, wanted);
}

function nameOf(path: string): string {
  return path.replace(/^.*[/\\]/, "");
}
