import type { Tool, ToolOutcome, ToolRun, TurnContext } from "#agent";
import { fileFacts, resolvePath } from "#host";
import { type Arguments, booleanArgument, textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { type Change, writeAll } from "./change.ts";
import { shownPath, unifiedDiff } from "./diff.ts";
import { type Plan, planPatch, planReplacement } from "./patch-plan.ts";
import { parsePatch } from "./patch-text.ts";
import type { PathLock } from "./path-lock.ts";
import { writeRefusal } from "./protected-paths.ts";
import { targets } from "./read-file.ts";
import { remember, staleWarning } from "./session.ts";
import type { FilesystemSettings } from "./settings.ts";
import { refusal } from "./text-file.ts";

const parameters = {
  type: "object",
  properties: {
    mode: {
      type: "string",
      enum: ["replace", "patch"],
      description: "replace: one text of one file. patch: several files at once.",
    },
    path: { type: "string", description: "replace: the file." },
    old_string: {
      type: "string",
      description: "replace: the text as it stands there, with enough lines around it to be unique.",
    },
    new_string: { type: "string", description: "replace: the text that comes in its place; empty to delete." },
    replace_all: { type: "boolean", description: "replace: every match, not one unique match." },
    patch: {
      type: "string",
      description:
        "patch: `*** Begin Patch`, then for each file `*** Update File: path` (with `@@ a line above`, then lines that begin with space, - or +), `*** Add File: path` (lines with +), `*** Delete File: path`; `*** Move to: path` after Update renames; then `*** End Patch`. All of it is done, or nothing.",
    },
  },
  required: ["mode"],
} as const;

/** The tool `patch`. */
export function patchTool(settings: FilesystemSettings, lock: PathLock): Tool {
  return {
    name: "patch",
    toolset: "file",
    description:
      "Change files. mode replace: old_string becomes new_string; differences of whitespace, indentation and quotes are forgiven. mode patch: add, change, move and delete several files in one step. Answers with a diff.",
    parameters,
    concurrency: "by-path",
    paths: patchTargets,
    summary: (args) => textArgument(args, "path") ?? patchedPaths(args).join(", "),
    run: async (args, run) => {
      try {
        return await lock(patchTargets(args, run.context), () => apply(args, run, settings));
      } catch (error) {
        return failure(refusal(error), { success: false });
      }
    },
  };
}

function isPatchMode(args: Arguments): boolean {
  const mode = textArgument(args, "mode");
  return mode === undefined ? textArgument(args, "patch") !== undefined : mode === "patch";
}

function patchedPaths(args: Arguments): readonly string[] {
  const parsed = parsePatch(textArgument(args, "patch") ?? "");
  if (!parsed.ok) return [];
  return parsed.files.flatMap((file) =>
    file.kind === "update" && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path],
  );
}

function patchTargets(args: Arguments, context: TurnContext): readonly string[] {
  if (!isPatchMode(args)) return targets(args, context);
  const paths = patchedPaths(args).filter((path) => !path.includes("\0"));
  return [...new Set(paths.map((path) => resolvePath(path, context.cwd)))];
}

async function apply(args: Arguments, run: ToolRun, settings: FilesystemSettings): Promise<ToolOutcome> {
  const { context } = run;
  const plan = await planOf(args, context.cwd);
  if (!plan.ok) return failure(plan.error, { success: false, ...plan.more });
  const { changes } = plan;
  for (const change of changes) {
    const refused = await writeRefusal(change.path, settings);
    if (refused !== undefined) return failure(refused, { success: false });
  }
  const warnings = changes.map((change) => change.before && staleWarning(context, change.path, change.before.facts));
  const diff = await unifiedDiff(changes, context.cwd);
  const written = await writeAll(changes);
  for (const change of changes) remember(context, change.path, await fileFacts(change.path));
  const told = [...warnings, ...written.map((file) => file.note)].filter((warning) => warning !== undefined);
  return answer({
    success: true,
    diff,
    ...touched(changes, context.cwd),
    ...plan.about,
    ...(told.length === 0 ? {} : { warning: told.join("; ") }),
  });
}

function planOf(args: Arguments, cwd: string): Promise<Plan> {
  if (isPatchMode(args)) return planPatch(textArgument(args, "patch") ?? "", cwd);
  return planReplacement(
    {
      path: textArgument(args, "path") ?? "",
      old: textArgument(args, "old_string"),
      replacement: textArgument(args, "new_string"),
      all: booleanArgument(args, "replace_all") === true,
    },
    cwd,
  );
}

function touched(changes: readonly Change[], cwd: string): Readonly<Record<string, unknown>> {
  const names = (wanted: (change: Change) => boolean) =>
    changes.filter(wanted).map((change) => shownPath(change.path, cwd));
  const lists = {
    files_modified: names((change) => change.before !== undefined && change.after !== undefined),
    files_created: names((change) => change.before === undefined),
    files_deleted: names((change) => change.after === undefined),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, files]) => files.length > 0));
}
