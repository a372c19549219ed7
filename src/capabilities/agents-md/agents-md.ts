import { dirname } from "node:path";
import type { TurnContext } from "#agent";
import { isHostError, resolvePath } from "#host";
import type { Answer, Middleware, Payload } from "#kernel";
import { type Arguments, textArgument } from "../argument.ts";
import type { ContextFile, Search } from "./collection.ts";
import { filesOf, foldersDownTo, personalFiles, projectRoot } from "./discovery.ts";
import type { ContextFileSettings } from "./settings.ts";

interface Collected {
  root: string | undefined;
  section: string;
  readonly known: Set<string>;
  /** Folders that were looked into. */
  readonly folders: Set<string>;
}

const stateOf = (context: TurnContext): Collected =>
  context.state<Collected>("agents-md", () => ({ root: undefined, section: "", known: new Set(), folders: new Set() }));

/** All files together take no more of the prompt than this many times the limit of one. */
const mostShares = 5;
/** Tools whose calls lead into folders. */
const pathTools: ReadonlySet<string> = new Set(["read_file", "write_file", "patch", "search_files"]);

/**
 * Files of instructions: the person's own, then those from the root of the project down to the working folder, frozen
 * for the session; and, once, those of a deeper folder when a tool first works in it. See docs/guide/context-files.md.
 */
export function agentsMd(settings: ContextFileSettings): Middleware<TurnContext> {
  return {
    slot: "agents-md",
    async beforeAgent(_, context) {
      if (stateOf(context).root === undefined) await collectAll(settings, context);
    },
    sections: (context) => [stateOf(context).section],
    afterTool(call, context) {
      if (call.status !== "ok" || !pathTools.has(call.toolName) || stateOf(context).root === undefined)
        return undefined;
      return reminderFor(call, settings, context);
    },
  };
}

async function collectAll(settings: ContextFileSettings, context: TurnContext): Promise<void> {
  const state = stateOf(context);
  state.root = await projectRoot(context.cwd);
  const search: Search = { settings, context, known: state.known, root: state.root };
  const files = [...(await personalFiles(search))];
  for (const folder of foldersDownTo(state.root, context.cwd)) {
    state.folders.add(folder);
    files.push(...(await filesOf(folder, search, "session_start")));
  }
  const kept = withinBudget(files, settings, context);
  if (kept.length > 0) state.section = `${introduction}\n\n${kept.map(shown).join("\n\n")}`;
  await announce(kept, context);
}

const introduction = `# Instructions of the person and the project
These files tell you how to work here. Later ones are closer to the work and win over earlier ones; the person's own words in this conversation win over all.`;

const shown = (file: ContextFile): string => `## ${file.path}\n\n${file.text}`;

function withinBudget(
  files: readonly ContextFile[],
  { maxCharacters }: ContextFileSettings,
  { surface }: TurnContext,
): readonly ContextFile[] {
  let left = maxCharacters * mostShares;
  return files.filter(({ path, text }) => {
    const fits = text.length <= left;
    if (fits) left -= text.length;
    else
      surface.emit({ type: "notice", level: "warning", text: `${path} is not used: there are too many instructions.` });
    return fits;
  });
}

async function announce(files: readonly ContextFile[], context: TurnContext, triggerFilePath?: string): Promise<void> {
  for (const { path, memoryType, loadReason, parentFilePath } of files) {
    await context.plan.on.instructions_loaded?.(
      {
        sessionId: context.sessionId,
        filePath: path,
        memoryType,
        loadReason,
        ...(parentFilePath === undefined ? {} : { parentFilePath }),
        ...(triggerFilePath === undefined ? {} : { triggerFilePath }),
      },
      context,
    );
  }
}

async function reminderFor(
  call: Payload<"post_tool_call">,
  settings: ContextFileSettings,
  context: TurnContext,
): Promise<Answer<"post_tool_call"> | undefined> {
  const state = stateOf(context);
  const root = state.root ?? context.cwd;
  const search: Search = { settings, context, known: state.known, root };
  const found: ContextFile[] = [];
  for (const path of pathsOf(call.args, context.cwd)) {
    const fresh = foldersDownTo(root, dirname(path)).filter((folder) => !state.folders.has(folder));
    for (const folder of fresh) state.folders.add(folder);
    const files: ContextFile[] = [];
    for (const folder of fresh) files.push(...(await filesOf(folder, search, "nested_traversal")));
    await announce(files, context, path);
    found.push(...files);
  }
  if (found.length === 0) return undefined;
  return { reminder: [`Instructions for the folder that you just worked in:\n\n${found.map(shown).join("\n\n")}`] };
}

function pathsOf(args: Arguments, cwd: string): readonly string[] {
  const patch = textArgument(args, "patch") ?? "";
  const named = [...patch.matchAll(/^\*\*\* (?:Update|Add) File: (.+)$/gm)].map(([, path = ""]) => path.trim());
  const path = textArgument(args, "path");
  return [...(path === undefined ? [] : [path]), ...named].flatMap((given) => {
    try {
      return [resolvePath(given, cwd)];
    } catch (error) {
      if (isHostError(error)) return [];
      throw error;
    }
  });
}
