import { isInside, resolvePath } from "#host";
import type { Change } from "./change.ts";

/** Characters of the difference that an answer shows. */
const mostCharacters = 20_000;

/** The changes as one unified diff, paths relative to `cwd` where they lie in it. */
export async function unifiedDiff(changes: readonly Change[], cwd: string): Promise<string> {
  const { createTwoFilesPatch } = await import("diff");
  const parts = changes.map((change) => {
    const name = shownPath(change.path, cwd);
    const from = change.before === undefined ? "/dev/null" : `a/${name}`;
    const to = change.after === undefined ? "/dev/null" : `b/${name}`;
    const options = { context: 3, timeout: 1_000 };
    const patch = createTwoFilesPatch(from, to, plain(change.before?.text), plain(change.after), "", "", options);
    return patch?.replace(/^=+\n/, "") ?? `--- ${from}\n+++ ${to}\n(too different to be shown)\n`;
  });
  const diff = parts.join("").replaceAll("\t\n", "\n");
  return diff.length <= mostCharacters
    ? diff
    : `${diff.slice(0, mostCharacters)}\n… [${diff.length - mostCharacters} more characters]`;
}

function plain(text: string | undefined): string {
  return (text ?? "").replaceAll("\r\n", "\n");
}

/** A path as the model writes it: relative to the session's folder where it lies in it. */
export function shownPath(path: string, cwd: string): string {
  if (!isInside(path, cwd)) return path;
  const root = resolvePath(".", cwd);
  return path === root ? "." : path.slice(root === "/" ? 1 : root.length + 1);
}
