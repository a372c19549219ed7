import type { TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { patchTool } from "./patch.ts";
import { pathLock } from "./path-lock.ts";
import { readFileTool } from "./read-file.ts";
import { searchFilesTool } from "./search-files.ts";
import type { FilesystemSettings } from "./settings.ts";
import { writeFileTool } from "./write-file.ts";

/** Slot `filesystem`: reading, writing, changing and searching files (docs/reference/tools.md). */
export function filesystem(settings: FilesystemSettings): Middleware<TurnContext> {
  const lock = pathLock();
  const tools = [
    readFileTool(settings),
    writeFileTool(settings, lock),
    patchTool(settings, lock),
    searchFilesTool(settings),
  ];
  return { slot: "filesystem", tools: () => tools };
}
