import type { Tool, ToolOutcome, ToolRun } from "#agent";
import { fileFacts, isHostError, resolvePath } from "#host";
import { textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { type Change, write } from "./change.ts";
import { lineEndingOf, withLineEnding } from "./line-endings.ts";
import type { PathLock } from "./path-lock.ts";
import { writeRefusal } from "./protected-paths.ts";
import { targets, textLines } from "./read-file.ts";
import { remember, staleWarning } from "./session.ts";
import type { FilesystemSettings } from "./settings.ts";
import { type LoadedText, loadText, refusal } from "./text-file.ts";

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file: absolute, relative to the session's folder, or with ~." },
    content: { type: "string", description: "The whole new content." },
  },
  required: ["path", "content"],
} as const;

/** The tool `write_file`. */
export function writeFileTool(settings: FilesystemSettings, lock: PathLock): Tool {
  return {
    name: "write_file",
    toolset: "file",
    description:
      "Write a whole file: a new one, with the folders above it, or in place of an existing one. To change a part of a file use patch.",
    parameters,
    concurrency: "by-path",
    paths: targets,
    summary: (args) => textArgument(args, "path") ?? "",
    run: async (args, run) => {
      const given = textArgument(args, "path");
      if (given === undefined || given === "") return failure("path is missing");
      const content = textArgument(args, "content");
      if (content === undefined) return failure("content is missing; it must be text", { path: given });
      try {
        const path = resolvePath(given, run.context.cwd);
        return await lock([path], () => put(path, content, { run, settings }));
      } catch (error) {
        return failure(refusal(error), { path: given });
      }
    },
  };
}

async function put(
  path: string,
  content: string,
  call: { readonly run: ToolRun; readonly settings: FilesystemSettings },
): Promise<ToolOutcome> {
  const { context } = call.run;
  const refused = await writeRefusal(path, call.settings);
  if (refused !== undefined) return failure(refused, { path });
  const facts = await fileFacts(path);
  if (facts?.kind === "directory") return failure(`${path} is a folder`, { path });
  const before = await existingText(path);
  const stale = facts === undefined ? undefined : staleWarning(context, path, facts);
  const change: Change = { path, before, after: before === undefined ? content : inFormOf(before, content) };
  const written = await write(change);
  remember(context, path, await fileFacts(path));
  const warnings = [stale, written.note].filter((warning) => warning !== undefined);
  return answer({
    path,
    bytes_written: written.bytes,
    lines: textLines(content).length,
    created: facts === undefined,
    ...(written.folders ? { dirs_created: true } : {}),
    ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
  });
}

/** What stands there, as far as it is text. */
async function existingText(path: string): Promise<LoadedText | undefined> {
  try {
    return await loadText(path);
  } catch (error) {
    if (isHostError(error, "binary") || isHostError(error, "too_large")) return undefined;
    throw error;
  }
}

/** Line endings of the existing file, unless the content brings Windows endings of its own. The mark at the beginning belongs to the encoding. */
function inFormOf(before: LoadedText, content: string): string {
  const text = content.startsWith("\ufeff") && before.encoding !== "utf-8" ? content.slice(1) : content;
  return text.includes("\r\n") || lineEndingOf(before.text) === "\n" ? text : withLineEnding(text, "\r\n");
}
