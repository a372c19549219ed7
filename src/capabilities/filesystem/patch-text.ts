/** One place of a file that a patch changes: what stands there (`context`, `remove`) and what comes (`context`, `add`). */
export interface Hunk {
  /** The text after `@@`: a line above the place. */
  readonly hint: string;
  readonly lines: readonly { readonly kind: "context" | "remove" | "add"; readonly text: string }[];
  /** `*** End of File` was written after it. */
  readonly atEnd: boolean;
}

export type FilePatch =
  | { readonly kind: "update"; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] }
  | { readonly kind: "add"; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly path: string };

export type ParsedPatch =
  | { readonly ok: true; readonly files: readonly FilePatch[] }
  | { readonly ok: false; readonly error: string };

interface Draft {
  readonly kind: "update" | "add" | "delete";
  readonly path: string;
  moveTo?: string;
  readonly hunks: { hint: string; lines: { kind: "context" | "remove" | "add"; text: string }[]; atEnd: boolean }[];
}

/** Reads a patch in the V4A form (docs/reference/tools.md). A code fence around it and missing begin and end marks are forgiven. */
export function parsePatch(patch: string): ParsedPatch {
  const drafts: Draft[] = [];
  const lines = patch.replaceAll("\r\n", "\n").split("\n");
  for (const [index, line] of lines.entries()) {
    const marked = /^\*\*\* ?(Begin Patch|End Patch)\s*$/.exec(line.trim());
    if (marked?.[1] === "End Patch") break;
    if (marked !== null || (drafts.length === 0 && isPrelude(line))) continue;
    const error = readLine(drafts, line, { last: lines.slice(index + 1).every((rest) => rest.trim() === "") });
    if (error !== undefined) return { ok: false, error: `patch, line ${index + 1}: ${error}` };
  }
  if (drafts.length === 0) {
    return {
      ok: false,
      error:
        "the patch names no file. Begin each part with `*** Update File: path`, `*** Add File: path` or `*** Delete File: path`.",
    };
  }
  return finished(drafts);
}

function isPrelude(line: string): boolean {
  return line.trim() === "" || line.startsWith("```");
}

function readLine(drafts: Draft[], line: string, place: { readonly last: boolean }): string | undefined {
  const header = /^\*\*\* (Update|Add|Delete) File:\s*(.+?)\s*$/.exec(line);
  if (header !== null) {
    const kind = (header[1] as string).toLowerCase() as Draft["kind"];
    drafts.push({ kind, path: header[2] as string, hunks: [] });
    return undefined;
  }
  const move = /^\*\*\* Move File:\s*(.+?)\s*->\s*(.+?)\s*$/.exec(line);
  if (move !== null) {
    drafts.push({ kind: "update", path: move[1] as string, moveTo: move[2] as string, hunks: [] });
    return undefined;
  }
  const draft = drafts.at(-1);
  if (draft === undefined) return `\`${line.slice(0, 80)}\` stands before the first \`*** … File:\` line.`;
  return readBody(draft, line, place);
}

function readBody(draft: Draft, line: string, place: { readonly last: boolean }): string | undefined {
  const target = /^\*\*\* Move to:\s*(.+?)\s*$/.exec(line);
  if (target !== null) {
    draft.moveTo = target[1] as string;
    return undefined;
  }
  if (/^\*\*\* End of File/.test(line)) {
    const hunk = draft.hunks.at(-1);
    if (hunk !== undefined) hunk.atEnd = true;
    return undefined;
  }
  if (draft.kind === "delete")
    return line.trim() === "" || line.startsWith("```") ? undefined : "a deleted file has no lines.";
  if (draft.kind === "update" && line.startsWith("@@")) {
    draft.hunks.push({
      hint: line
        .replace(/^@@ ?/, "")
        .replace(/\s*@@$/, "")
        .trim(),
      lines: [],
      atEnd: false,
    });
    return undefined;
  }
  if (place.last && (line === "" || line.startsWith("```"))) return undefined;
  return readHunkLine(draft, line);
}

function readHunkLine(draft: Draft, line: string): string | undefined {
  if (draft.hunks.length === 0) draft.hunks.push({ hint: "", lines: [], atEnd: false });
  const hunk = draft.hunks.at(-1) as Draft["hunks"][number];
  const kind = line.startsWith("+") ? "add" : line.startsWith("-") ? "remove" : "context";
  if (draft.kind === "add" && kind !== "add") {
    if (line.trim() === "") return void hunk.lines.push({ kind: "add", text: "" });
    return `each line of an added file begins with \`+\`; this one is \`${line.slice(0, 80)}\`.`;
  }
  if (line.startsWith("\\ No newline")) return undefined;
  if (line.startsWith("***")) return `\`${line.slice(0, 80)}\` is no known mark.`;
  if (kind === "context" && line !== "" && !line.startsWith(" ")) {
    return `\`${line.slice(0, 80)}\` begins with none of space, \`+\`, \`-\` and \`@@\`.`;
  }
  hunk.lines.push({ kind, text: line.slice(1) });
  return undefined;
}

function finished(drafts: readonly Draft[]): ParsedPatch {
  const files = drafts.map(filePatch);
  const idle = files.find((file) => file.kind === "update" && file.hunks.length === 0 && file.moveTo === undefined);
  if (idle === undefined) return { ok: true, files };
  return {
    ok: false,
    error: `the part for ${idle.path} changes nothing: give lines with \`-\` and \`+\`, or \`*** Move to:\`.`,
  };
}

function filePatch(draft: Draft): FilePatch {
  const { kind, path } = draft;
  const hunks = draft.hunks.filter((hunk) => hunk.lines.length > 0);
  if (kind === "delete") return { kind, path };
  if (kind === "update") return { kind, path, hunks, ...(draft.moveTo === undefined ? {} : { moveTo: draft.moveTo }) };
  const lines = hunks.flatMap((hunk) => hunk.lines.map((line) => `${line.text}\n`));
  return { kind, path, content: lines.join("") };
}
