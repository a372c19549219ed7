import type { TurnContext } from "#agent";
import type { Middleware } from "#kernel";
import { processTool } from "./process-tool.ts";
import { terminalSession } from "./session.ts";
import { type TerminalSettings, terminalRules } from "./settings.ts";
import { terminalTool } from "./terminal-tool.ts";

/**
 * Slot `terminal`: shell commands in the foreground and background (docs/reference/tools.md). Background processes end with
 * their session; those of a sub-agent, which has one turn, with that turn.
 */
export function terminal(settings: TerminalSettings): Middleware<TurnContext> {
  const rules = terminalRules(settings);
  const tools = [terminalTool(rules), processTool(rules)];
  return {
    slot: "terminal",
    tools: () => tools,
    on: {
      on_session_finalize: (_payload, context) => terminalSession(context).processes.endAll(),
      on_session_end: (_payload, context) =>
        context.depth > 0 ? terminalSession(context).processes.endAll() : undefined,
    },
  };
}
