import type { Tool, ToolOutcome, ToolRun } from "#agent";
import { isHostError } from "#host";
import { type Arguments, booleanArgument, numberArgument, textArgument, textListArgument } from "../argument.ts";
import { failure } from "../outcome.ts";
import { startBackground } from "./background.ts";
import { runCommand } from "./command.ts";
import type { TerminalRules } from "./settings.ts";

function parameters(rules: TerminalRules): Readonly<Record<string, unknown>> {
  return {
    type: "object",
    properties: {
      command: { type: "string", description: "The command line, as bash reads it." },
      background: {
        type: "boolean",
        description:
          "Start it and go on: for servers, watchers and long jobs. Then use the process tool with the session_id of the answer.",
      },
      timeout: {
        type: "integer",
        minimum: 1,
        description: `Seconds after which a foreground command is ended; ${rules.timeoutSeconds} by default, ${rules.longestTimeoutSeconds} at most.`,
      },
      workdir: {
        type: "string",
        description: "Folder for this command alone. Absent: the session's folder, which follows cd.",
      },
      pty: { type: "boolean", description: "Give it a pseudo-terminal, for programs that insist on one." },
      notify_on_complete: { type: "boolean", description: "With background: you are told when it ends." },
      watch_patterns: {
        type: "array",
        items: { type: "string" },
        description:
          'With background: you are told of lines that hold one of these texts. For rare lines ("Listening on"), not for frequent ones.',
      },
    },
    required: ["command"],
  };
}

/** The tool `terminal`. */
export function terminalTool(rules: TerminalRules): Tool {
  return {
    name: "terminal",
    toolset: "terminal",
    description:
      "Run a shell command. The working folder and exported variables last from one command to the next. Standard input is empty: pass -y or the like to programs that ask. Output is cut in the middle when it is long. For reading, writing, changing and searching files use the file tools.",
    parameters: parameters(rules),
    summary: (args) => textArgument(args, "command") ?? "",
    run: async (args, run) => {
      const command = textArgument(args, "command");
      if (command === undefined || command.trim() === "") return failure("command is missing or empty");
      if (command.includes("\0")) return failure("command holds a NUL character, which no shell takes");
      try {
        return await start(command, { args, run, rules });
      } catch (error) {
        if (isHostError(error)) return failure(error.message);
        throw error;
      }
    },
  };
}

function start(
  command: string,
  call: { readonly args: Arguments; readonly run: ToolRun; readonly rules: TerminalRules },
): Promise<ToolOutcome> {
  const { args, run, rules } = call;
  const workdir = textArgument(args, "workdir") || undefined;
  const pty = booleanArgument(args, "pty") === true;
  if (booleanArgument(args, "background") === true) {
    const notify = booleanArgument(args, "notify_on_complete") === true;
    const patterns = textListArgument(args, "watch_patterns");
    return startBackground({ command, workdir, pty, notify, patterns }, run, rules);
  }
  const asked = numberArgument(args, "timeout") ?? 0;
  const timeoutSeconds = Math.min(asked > 0 ? asked : rules.timeoutSeconds, rules.longestTimeoutSeconds);
  return runCommand({ command, workdir, timeoutSeconds, pty }, run, rules);
}
