import { fileFacts, resolvePath } from "#host";
import type { Change } from "./change.ts";
import { applyHunks } from "./hunk.ts";
import { lineEndingOf, plainLines, withLineEnding } from "./line-endings.ts";
import { type FilePatch, parsePatch } from "./patch-text.ts";
import { replaceText } from "./replacement.ts";
import { similarNames } from "./similar-names.ts";
import { type LoadedText, loadText } from "./text-file.ts";

/** What a call would change; nothing is written yet. */
export type Plan =
  | { readonly ok: true; readonly changes: readonly Change[]; readonly about: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string; readonly more?: Readonly<Record<string, unknown>> };

export interface ReplacementRequest {
  readonly path: string;
  readonly old: string | undefined;
  readonly replacement: string | undefined;
  readonly all: boolean;
}

/** Plans one replacement. All bytes outside the matched places stay; new lines end as the file's lines do. */
export async function planReplacement(request: ReplacementRequest, cwd: string): Promise<Plan> {
  const { old, replacement } = request;
  if (request.path === "") return { ok: false, error: "path is missing" };
  if (old === undefined) return { ok: false, error: "old_string is missing" };
  if (replacement === undefined) return { ok: false, error: "new_string is missing; give an empty text to delete" };
  const path = resolvePath(request.path, cwd);
  const file = await loadText(path);
  if (file === undefined) return missing(path);
  const plain = plainLines(file.text);
  const result = replaceText(plain.text, withLineEnding(old, "\n"), withLineEnding(replacement, "\n"), request.all);
  if (!result.found) return { ok: false, error: result.error };
  const usual = lineEndingOf(file.text);
  let after = "";
  let at = 0;
  for (const place of result.places) {
    after += file.text.slice(at, plain.original(place.start)) + withLineEnding(place.text, usual);
    at = plain.original(place.end);
  }
  after += file.text.slice(at);
  return {
    ok: true,
    changes: [{ path, before: file, after }],
    about: {
      replacements: result.places.length,
      ...(result.strategy === "exact" ? {} : { match: result.strategy }),
    },
  };
}

async function missing(path: string): Promise<Plan> {
  const similar = await similarNames(path);
  const more = similar.length === 0 ? {} : { more: { similar_files: similar } };
  return { ok: false, error: `there is no file ${path}`, ...more };
}

/** Files as the earlier parts of a patch leave them. */
interface Draft {
  readonly before: LoadedText | undefined;
  after: string | undefined;
  origin?: LoadedText;
}

/** Plans a patch of several files. A file may occur in several parts; later parts see what earlier ones did. */
export async function planPatch(patch: string, cwd: string): Promise<Plan> {
  if (patch.trim() === "") return { ok: false, error: "patch is missing" };
  const parsed = parsePatch(patch);
  if (!parsed.ok) return { ok: false, error: parsed.error };
  const drafts = new Map<string, Draft>();
  for (const file of parsed.files) {
    const error = await draftPart(file, drafts, cwd);
    if (error !== undefined) return { ok: false, error: `${error} Nothing was changed.` };
  }
  const changes = [...drafts].map(([path, draft]): Change => {
    const { origin } = draft;
    const from = origin === undefined ? {} : { mode: origin.facts.mode, encoding: origin.encoding };
    return { path, before: draft.before, after: draft.after, ...from };
  });
  // What is deleted goes last: a program that dies in between leaves a moved file twice rather than not at all.
  const real = changes.filter((change) => change.before?.text !== change.after);
  const ordered = [
    ...real.filter((change) => change.after !== undefined),
    ...real.filter((change) => change.after === undefined),
  ];
  return { ok: true, changes: ordered, about: {} };
}

async function draftPart(file: FilePatch, drafts: Map<string, Draft>, cwd: string): Promise<string | undefined> {
  const draft = await draftOf(resolvePath(file.path, cwd), drafts);
  if (file.kind === "add") {
    if (draft.after !== undefined) return `${file.path} exists already; use \`*** Update File:\`.`;
    draft.after = file.content;
    return undefined;
  }
  if (draft.after === undefined) return `there is no file ${file.path}.`;
  if (file.kind === "delete") {
    draft.after = undefined;
    return undefined;
  }
  const patched = applyHunks(draft.after, file.hunks);
  if (!patched.ok) return `${file.path}: ${patched.error}`;
  draft.after = patched.text;
  return file.moveTo === undefined ? undefined : move(draft, { from: file.path, to: file.moveTo }, { drafts, cwd });
}

async function move(
  draft: Draft,
  names: { readonly from: string; readonly to: string },
  place: { readonly drafts: Map<string, Draft>; readonly cwd: string },
): Promise<string | undefined> {
  const target = await draftOf(resolvePath(names.to, place.cwd), place.drafts);
  if (target === draft) return undefined;
  if (target.after !== undefined) return `${names.from} cannot be moved: ${names.to} exists already.`;
  target.after = draft.after;
  const origin = draft.before ?? draft.origin;
  if (origin !== undefined) target.origin = origin;
  draft.after = undefined;
  return undefined;
}

async function draftOf(path: string, drafts: Map<string, Draft>): Promise<Draft> {
  const known = drafts.get(path);
  if (known !== undefined) return known;
  const before = (await fileFacts(path)) === undefined ? undefined : await loadText(path);
  const draft: Draft = { before, after: before?.text };
  drafts.set(path, draft);
  return draft;
}
