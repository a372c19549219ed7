import { definePlugin } from "talaria/plugin";
import { mapping, text } from "../service.ts";
import { cleanup } from "./cleanup.ts";
import { slashCommand } from "./command.ts";
import { existing } from "./ledger.ts";
import { candidatePaths } from "./paths.ts";

/** Calls that are watched at once; more are forgotten, oldest first. */
const mostCalls = 1_000;

export default definePlugin((context) => {
  const tidy = cleanup(context.home);
  /** Paths that were there before a call: what a tool only changes is never thrown away. */
  const before = new Map<string, ReadonlySet<string>>();
  const made = new Set<string>();
  context.registerHook("pre_tool_call", async ({ toolName, args, toolCallId }) => {
    const paths = candidatePaths(toolName, mapping(args));
    if (paths.length === 0) return;
    before.set(toolCallId, new Set(await existing(paths)));
    for (const oldest of before.keys()) {
      if (before.size <= mostCalls) break;
      before.delete(oldest);
    }
  });
  context.registerHook("post_tool_call", async ({ toolName, args, toolCallId, sessionId }) => {
    const old = before.get(toolCallId);
    before.delete(toolCallId);
    for (const path of candidatePaths(toolName, mapping(args))) {
      if (old?.has(path) === true) continue;
      const category = await tidy.categoryOf(path);
      if (category !== undefined && (await tidy.track(path, category)) && category === "test")
        made.add(text(sessionId));
    }
  });
  context.registerHook("on_session_end", async ({ sessionId }) => {
    if (made.delete(text(sessionId))) await tidy.quick();
  });
  context.registerCommand({
    name: "disk-cleanup",
    description: "Track and delete temporary files that the agent made.",
    argsHint: "status | dry-run | quick | deep | track <path> <category> | forget <path>",
    handler: (args) => slashCommand(args, tidy),
  });
});
