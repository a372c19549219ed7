import { isRecord } from "../data.ts";
import { type Args, absolute, keeping, type Lens, type Place, record, same, without } from "./lens.ts";

interface Edit {
  readonly old_string: string;
  readonly new_string: string;
}

const file = /^\*\*\* (?:Update|Add|Delete) File: (.*)$/;
const move = /^\*\*\* Move to: (.*)$/;

/** The files that a multi-file patch names, in order, each once. */
function patchedFiles(patch: string): readonly string[] {
  const found = patch.split("\n").flatMap((line) => {
    const name = (file.exec(line) ?? move.exec(line))?.[1]?.trim();
    return name === undefined || name === "" ? [] : [name];
  });
  return [...new Set(found)];
}

/** The hunks of a patch as replacements. */
function editsOf(patch: string): readonly Edit[] {
  const edits: Edit[] = [];
  let before: string[] = [];
  let after: string[] = [];
  const close = () => {
    if (before.length > 0 || after.length > 0)
      edits.push({ old_string: before.join("\n"), new_string: after.join("\n") });
    before = [];
    after = [];
  };
  for (const line of patch.split("\n")) {
    if (line.startsWith("*** ") || line.startsWith("@@")) close();
    else if (line.startsWith("-")) before.push(line.slice(1));
    else if (line.startsWith("+")) after.push(line.slice(1));
    else if (line.startsWith(" ")) {
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  close();
  return edits;
}

function compose(path: string, edits: readonly Edit[]): string {
  const lines = (text: string, sign: string) => (text === "" ? [] : text.split("\n").map((line) => sign + line));
  return [
    "*** Begin Patch",
    `*** Update File: ${path}`,
    ...edits.flatMap((edit) => ["@@", ...lines(edit.old_string, "-"), ...lines(edit.new_string, "+")]),
    "*** End Patch",
  ].join("\n");
}

const isEdit = (value: unknown): value is Edit =>
  isRecord(value) && typeof value["old_string"] === "string" && typeof value["new_string"] === "string";

/** One replacement in one file, as Edit. */
export const replacing = record({ path: { to: "file_path", value: absolute } }, ["mode", "patch", "cross_profile"]);

const rest = record({}, ["mode", "path", "patch", "cross_profile", "old_string", "new_string", "replace_all"]);
function seenPatch(own: Args, place?: Place): Args {
  const text = typeof own["patch"] === "string" ? own["patch"] : "";
  const paths = patchedFiles(text).map((path) => absolute.get(path, place));
  return {
    ...rest.get(own, place),
    file_path: paths[0] ?? "",
    edits: editsOf(text),
    ...(paths.length > 1 ? { file_paths: paths } : {}),
  };
}

/**
 * A patch text as MultiEdit of its first file; of several files `file_paths` lists all. A rewrite is one file's
 * replacements, in place of the whole patch; `edits` of another form leave the patch as it was.
 */
export const patching: Lens<Args, Args> = keeping<Args, Args>(seenPatch, (own, seen, place) => {
  const old = seenPatch(own, place);
  const result = { ...rest.put(own, without(seen, ["file_path", "file_paths", "edits"]), place) };
  const edits = seen["edits"];
  const path = seen["file_path"];
  if (same(old["edits"], edits) && old["file_path"] === path) return result;
  if (!Array.isArray(edits) || !edits.every(isEdit) || typeof path !== "string") return result;
  return { ...result, patch: compose(path, edits) };
});
