import type { ToolOutcome, ToolRun } from "#agent";
import { isHostError, spawn, spawnPty } from "#host";
import { answer, failure } from "../outcome.ts";
import { commandEnvironment, sourcing, workingDirectory } from "./command.ts";
import { plainText } from "./output.ts";
import type { BackgroundProcess } from "./process-table.ts";
import { terminalSession } from "./session.ts";
import type { TerminalRules } from "./settings.ts";
import { plainShell } from "./shell.ts";
import { type Watch, watch } from "./watch.ts";

/** What waits for the model: the loop takes the notes out between iterations and before a turn. */
interface InboxNote {
  readonly text: string;
}

export interface BackgroundRequest {
  readonly command: string;
  readonly workdir: string | undefined;
  readonly pty: boolean;
  readonly notify: boolean;
  readonly patterns: readonly string[];
}

/** Characters of latest output in the note of an end. */
const noteCharacters = 2_000;

/** Starts a command that outlives the call. It ends with the session. */
export async function startBackground(
  request: BackgroundRequest,
  run: ToolRun,
  rules: TerminalRules,
): Promise<ToolOutcome> {
  const { context } = run;
  const cwd = await workingDirectory(request.workdir, context.cwd);
  if (!cwd.ok) return failure(cwd.error);
  const inbox = context.state<InboxNote[]>("inbox", () => []);
  const begin = sourcing((await rules.environmentFiles?.(context)) ?? []);
  const { file, args } = plainShell(rules.shell(), begin + request.command);
  let id = "";
  const watching = patternWatch(request, (pattern, line) => {
    const shown = rules.redact(plainText(line)).slice(0, noteCharacters);
    inbox.push({
      text: `[Background process ${id} printed a line with "${pattern}".\nCommand: ${request.command}\nLine: ${shown}]`,
    });
  });
  try {
    const entry = await terminalSession(context).processes.add({
      command: request.command,
      cwd: cwd.path,
      start: (output) => {
        const options = { cwd: cwd.path, env: commandEnvironment(run, rules), keepBytes: 1_024, onOutput: output };
        return request.pty ? spawnPty(file, args, options) : spawn(file, args, { ...options, interactive: true });
      },
      ...(watching === undefined ? {} : { onOutput: watching.push }),
    });
    id = entry.id;
    void entry.ended.then(() => {
      if (request.notify || watching?.silenced() === true) inbox.push({ text: endNote(entry, rules) });
    });
    return answer({
      output: "Background process started",
      session_id: id,
      pid: entry.process.pid,
      exit_code: 0,
      error: null,
      ...notes(request),
    });
  } catch (error) {
    if (isHostError(error)) return failure(error.message);
    throw error;
  }
}

function patternWatch(request: BackgroundRequest, tell: (pattern: string, line: string) => void): Watch | undefined {
  return request.patterns.length === 0 ? undefined : watch(request.patterns, tell);
}

function notes(request: BackgroundRequest): Readonly<Record<string, unknown>> {
  return {
    ...(request.notify ? { notify_on_complete: true } : {}),
    ...(request.patterns.length === 0 ? {} : { watch_patterns: request.patterns }),
  };
}

function endNote(entry: BackgroundProcess, rules: TerminalRules): string {
  const output = rules.redact(entry.log.text()).trimEnd().slice(-noteCharacters);
  return `[Background process ${entry.id} has ended with exit code ${entry.exitCode()}.\nCommand: ${entry.command}\nLatest output:\n${output}]`;
}
