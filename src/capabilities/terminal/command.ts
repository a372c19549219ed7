import type { ToolOutcome, ToolRun } from "#agent";
import {
  type BriefProcess,
  childEnvironment,
  type Exit,
  fileFacts,
  HostError,
  isHostError,
  type ProcessOptions,
  resolvePath,
  spawnPty,
  startInSession,
} from "#host";
import { answer, failure } from "../outcome.ts";
import { exitCodeOf, exitMeaning } from "./exit-meaning.ts";
import { liveText } from "./live-text.ts";
import { binaryNotice, limited, plainText } from "./output.ts";
import { keepVariables, terminalSession } from "./session.ts";
import type { TerminalRules } from "./settings.ts";
import { plainShell, reportingShell, shellState } from "./shell.ts";

/** Bytes of output kept while a command runs. What a hook may rewrite is kept longer. */
const keptBytes = 1 << 20;
const keptBytesForHooks = 16 << 20;

export interface CommandRequest {
  readonly command: string;
  readonly workdir: string | undefined;
  readonly timeoutSeconds: number;
  /** In a pseudo-terminal, where no folder and no variables are taken over. */
  readonly pty: boolean;
}

/** Runs a command to its end in the session's folder and answers as docs/reference/tools.md says. */
export async function runCommand(request: CommandRequest, run: ToolRun, rules: TerminalRules): Promise<ToolOutcome> {
  const { context } = run;
  const cwd = await workingDirectory(request.workdir, context.cwd);
  if (!cwd.ok) return failure(cwd.error, { output: "", exit_code: -1 });
  const env = commandEnvironment(run, rules);
  const live = liveText(rules.redact, run.progress);
  const heard = context.plan.on.transform_terminal_output !== undefined;
  const begin = sourcing((await rules.environmentFiles?.(context)) ?? []);
  const process = await start({ ...request, command: begin + request.command }, rules.shell(), {
    cwd: cwd.path,
    env,
    timeoutMs: request.timeoutSeconds * 1_000,
    signal: run.signal,
    keepBytes: heard ? keptBytesForHooks : keptBytes,
    graceMs: 150,
    onOutput: (text, stream) => stream === "stdout" && live.push(text),
  }).catch(startFailure);
  if (process instanceof HostError) return failure(process.message, { output: "", exit_code: -1 });
  const exit = await process.exit;
  live.end();
  if (exit.failure !== undefined)
    return failure(exit.failure.message, { output: rules.redact(plainText(exit.stdout.text)), exit_code: -1 });
  const moved = await keepState(request, run, { env, report: exit.stderr.text });
  const output = await shownOutput(request.command, { exit, run, rules });
  return answer({
    output: output.text,
    exit_code: exitCode(exit),
    error: endedEarly(exit, request.timeoutSeconds),
    ...(exit.timedOut || exit.aborted ? {} : meaning(request.command, exitCodeOf(exit))),
    ...(moved === undefined ? {} : { cwd: moved }),
    ...(output.cut ? { truncated: true, total_bytes: exit.stdout.totalBytes } : {}),
    ...(cwd.note === undefined ? {} : { note: cwd.note }),
  });
}

/** Shell text that reads files; a file that fails stops nothing. */
export const sourcing = (files: readonly string[]): string =>
  files
    .map((file) => `'${file.replaceAll("'", "'\\''")}'`)
    .map((file) => `[ -r ${file} ] && . ${file} >/dev/null; `)
    .join("");

function start(request: CommandRequest, shell: string, options: Omit<ProcessOptions, "input">): Promise<BriefProcess> {
  const { file, args } = (request.pty ? plainShell : reportingShell)(shell, request.command);
  return request.pty ? spawnPty(file, args, options) : startInSession(file, args, options);
}

function startFailure(error: unknown): HostError {
  if (isHostError(error)) return error;
  throw new Error("the shell could not be started", { cause: error });
}

export type WorkingDirectory =
  | { readonly ok: true; readonly path: string; readonly note?: string }
  | { readonly ok: false; readonly error: string };

/** The folder that a command runs in. A session whose folder was deleted goes on in the nearest one above it. */
export async function workingDirectory(workdir: string | undefined, cwd: string): Promise<WorkingDirectory> {
  if (workdir !== undefined && workdir !== "") {
    const path = resolvePath(workdir, cwd);
    const facts = await fileFacts(path);
    if (facts?.kind === "directory") return { ok: true, path };
    return { ok: false, error: `workdir ${path} ${facts === undefined ? "does not exist" : "is not a folder"}` };
  }
  let path = cwd;
  while ((await fileFacts(path))?.kind !== "directory") {
    const above = resolvePath("..", path);
    if (above === path) return { ok: false, error: `the folder ${cwd} and all above it are gone` };
    path = above;
  }
  return path === cwd
    ? { ok: true, path }
    : { ok: true, path, note: `the folder ${cwd} does not exist any more; the command ran in ${path}` };
}

/** The environment of a command: the person's own, with what earlier commands exported. */
export function commandEnvironment(run: ToolRun, rules: TerminalRules): Record<string, string> {
  const { variables } = terminalSession(run.context);
  const extra: Record<string, string> = {};
  const without = new Set(rules.without);
  for (const [name, value] of variables) {
    if (value === undefined) without.add(name);
    else extra[name] = value;
  }
  const env = childEnvironment({ home: rules.home, shimDirectory: rules.shimDirectory, extra, without });
  // Without a level, bash takes a piped standard input for a remote login and reads the person's start-up files.
  return { SHLVL: "1", ...env };
}

/** Takes over the shell's folder and variables; gives the new folder where it changed. */
async function keepState(
  request: CommandRequest,
  run: ToolRun,
  ended: { readonly env: Readonly<Record<string, string>>; readonly report: string },
): Promise<string | undefined> {
  const state = shellState(ended.report);
  if (state === undefined) return undefined;
  const { context } = run;
  keepVariables(terminalSession(context), ended.env, state);
  const { cwd: oldCwd } = context;
  if (request.workdir !== undefined || state.cwd === oldCwd || !state.cwd.startsWith("/")) return undefined;
  context.cwd = state.cwd;
  const told = { sessionId: context.sessionId, oldCwd, newCwd: state.cwd };
  const answer = await context.plan.on.cwd_changed?.(told, context);
  for (const text of answer?.notice ?? []) context.surface.emit({ type: "notice", level: "info", text });
  return state.cwd;
}

/** Hooks see all of it first; then it is cleaned, redacted and cut, so that no cut can hide half a secret from the redaction. */
async function shownOutput(
  command: string,
  ended: { readonly exit: Exit; readonly run: ToolRun; readonly rules: TerminalRules },
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const { exit, run, rules } = ended;
  const { context } = run;
  const given = exit.stdout.text;
  const transformed = await context.plan.on.transform_terminal_output?.(
    {
      sessionId: context.sessionId,
      taskId: context.taskId,
      command,
      output: given,
      exitCode: exitCode(exit),
      cwd: context.cwd,
      envType: "local",
    },
    context,
  );
  const full = transformed?.output ?? given;
  const binary = transformed?.output === undefined ? binaryNotice(full, exit.stdout.totalBytes) : undefined;
  if (binary !== undefined) return { text: binary, cut: true };
  const dropped = transformed?.output === undefined ? exit.stdout.droppedBytes : 0;
  const shown = limited(rules.redact(plainText(full)).trimEnd(), rules.output, dropped);
  return { text: shown.text, cut: shown.cut || dropped > 0 };
}

/** 124 for a time-out and 130 for an interrupt, as shells have it. */
function exitCode(exit: Exit): number {
  if (exit.timedOut) return 124;
  return exit.aborted ? 130 : exitCodeOf(exit);
}

function endedEarly(exit: Exit, timeoutSeconds: number): string | null {
  if (exit.timedOut) {
    return `Timed out after ${timeoutSeconds} s and was ended with all its children; output so far is kept. Give a longer timeout, or run it with background: true.`;
  }
  return exit.aborted ? "Interrupted by the user and ended with all its children; output so far is kept." : null;
}

function meaning(command: string, code: number): { readonly exit_code_meaning?: string } {
  const text = exitMeaning(command, code);
  return text === undefined ? {} : { exit_code_meaning: text };
}
