import { constants } from "node:os";
import { type BriefProcess, type Exit, fileFacts, isHostError, type ProcessOptions, ticks, userHome } from "#host";
import { decodeCommand, decodeShell } from "#kernel";
import type { Executed, Execution, Executor } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import type { CommandRule } from "../rule.ts";
import { deliver } from "./background.ts";
import { commandLine } from "./command-line.ts";
import type { EnvironmentFiles } from "./environment-file.ts";
import { type Leash, leash } from "./leash.ts";
import { failed, silent, withOutput } from "./outcome.ts";
import { plainProgram } from "./plain-command.ts";
import { processEnvironment } from "./process-environment.ts";
import type { Supervisor } from "./supervisor.ts";

/** What executors that start programs share. */
export interface House {
  readonly ports: HookPorts;
  readonly supervisor: Supervisor;
  readonly files: EnvironmentFiles;
}

type Run = Execution<CommandRule>;

/** The announcement of a command that goes on in the background stands in its first line, which is no longer than this. */
const announcementCharacters = 4096;

export function commandExecutor(house: House): Executor<CommandRule> {
  return async (execution) => {
    const { rule, question } = execution;
    const background = (rule.async || rule.asyncRewake) && question.view.awaitsBackground !== true;
    return background ? inBackground(execution, house) : inForeground(execution, house);
  };
}

async function inForeground(execution: Run, house: House): Promise<Executed> {
  const held = leash(execution);
  const announcement = announced();
  const process = await start(execution, house, { signal: held.signal, onOutput: announcement.onOutput });
  if ("problem" in process) {
    held.release();
    return failed(held.why() ?? process.problem);
  }
  const exit = await Promise.race([process.exit, announcement.made]);
  held.release();
  if ("code" in exit) return outcome(execution, exit, held.why());
  detach(execution, house, process, exit.limitMs);
  return silent();
}

async function inBackground(execution: Run, house: House): Promise<Executed> {
  const process = await start(execution, house, {});
  if ("problem" in process) return failed(process.problem);
  // One that wakes the model keeps its time limit; one that only reports has none.
  detach(execution, house, process, execution.rule.asyncRewake ? execution.rule.timeoutMs : undefined);
  return silent();
}

/** From now on neither the turn nor its time limit ends the process. */
function detach(execution: Run, house: House, process: BriefProcess, limitMs: number | undefined): void {
  const { context } = execution;
  const limit: Leash | undefined =
    limitMs === undefined ? undefined : leash({ rule: execution.rule, signal: new AbortController().signal }, limitMs);
  limit?.signal.addEventListener("abort", () => void process.kill(), { once: true });
  house.supervisor.inBackground(
    context.sessionId,
    process.exit.then((exit) => {
      limit?.release();
      deliver(execution, limit?.why() === undefined ? exit : { ...exit, timedOut: true }, house.ports);
    }),
  );
}

async function start(
  execution: Run,
  { ports, supervisor, files }: House,
  options: Pick<ProcessOptions, "signal" | "onOutput">,
): Promise<BriefProcess | { readonly problem: string }> {
  const { rule } = execution;
  const env = processEnvironment(execution, ports);
  try {
    const file = await files.forRun(execution);
    if (file !== undefined && rule.source.dialect === "claude") env["CLAUDE_ENV_FILE"] = file;
  } catch (error) {
    if (!isHostError(error)) throw new Error("the file for the environment could not be made", { cause: error });
    ports.log("warning", `${rule.source.name} (${rule.where}) runs without CLAUDE_ENV_FILE: ${error.message}`);
  }
  const line = await commandLine(rule, env);
  if ("problem" in line) return line;
  const cwd = await workingFolder(execution, ports);
  // In a settings file's script `read` fails where no line ends; the shell hooks of Hermes get no line end.
  const text = rule.source.dialect === "claude" ? `${execution.json}\n` : execution.json;
  const input = { input: text, cwd, ...options };
  const program = line.shellText === undefined ? undefined : await plainProgram(line.shellText, env, cwd);
  if (program !== undefined) return supervisor.run(program.file, program.args, { ...input, env: program.env });
  return supervisor.run(line.file, line.args, { ...input, env });
}

/** How long a folder that was there is taken to be there. */
const rememberedMs = 2_000;
let lastFolder = { path: "", at: Number.NEGATIVE_INFINITY };

/** The folder of which the payload speaks; where it is gone, the project's, then the person's. */
async function workingFolder({ wire, context }: Run, ports: HookPorts): Promise<string> {
  const told = wire["cwd"];
  if (told === lastFolder.path && ticks() - lastFolder.at < rememberedMs) return lastFolder.path;
  const candidates = [typeof told === "string" ? told : "", context.cwd, ports.projectFolder(context), userHome()];
  for (const folder of new Set(candidates)) {
    if (folder === "") continue;
    const facts = await fileFacts(folder).catch(() => undefined); // one that cannot be looked at cannot be entered
    if (facts?.kind !== "directory") continue;
    lastFolder = { path: folder, at: ticks() };
    return folder;
  }
  return "/";
}

/** Watches for a first line that says `{"async": true}`. */
function announced(): {
  readonly made: Promise<{ readonly limitMs: number | undefined }>;
  readonly onOutput: NonNullable<ProcessOptions["onOutput"]>;
} {
  const { promise, resolve } = Promise.withResolvers<{ readonly limitMs: number | undefined }>();
  let line: string | undefined = "";
  return {
    made: promise,
    onOutput(text, stream) {
      if (line === undefined || stream !== "stdout") return;
      line += text;
      const end = line.indexOf("\n");
      if (end < 0 && line.length < announcementCharacters) return;
      const limit = end < 0 ? undefined : announcement(line.slice(0, end));
      line = undefined;
      if (limit !== undefined) resolve(limit);
    },
  };
}

function announcement(line: string): { readonly limitMs: number | undefined } | undefined {
  if (!/^\s*\{.*"async"/.test(line)) return undefined;
  try {
    const given: unknown = JSON.parse(line);
    if (typeof given !== "object" || given === null || !("async" in given) || given.async !== true) return undefined;
    const limitMs = "asyncTimeout" in given ? given.asyncTimeout : undefined;
    return { limitMs: typeof limitMs === "number" && limitMs > 0 ? limitMs : undefined };
  } catch {
    return undefined; // not JSON: an ordinary first line
  }
}

const signals = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** The exit code as a shell counts it, and the signal that it stands for. */
function exitOf(exit: Exit): { readonly exitCode: number; readonly signal: string | undefined } {
  if (exit.code !== null) return { exitCode: exit.code, signal: signals.get(exit.code - 128) };
  const name = exit.signal ?? "SIGKILL";
  return { exitCode: 128 + ((constants.signals as Readonly<Record<string, number>>)[name] ?? 0), signal: name };
}

function outcome({ rule, question }: Run, exit: Exit, ended: string | undefined): Executed {
  if (ended !== undefined) return withOutput(exit, { kind: "failed", reason: ended, remarks: [] });
  if (exit.failure !== undefined) return failed(exit.failure.message);
  const { exitCode, signal } = exitOf(exit);
  const output = { exitCode, stdout: exit.stdout.text, stderr: exit.stderr.text };
  const decoded = rule.source.dialect === "shell" ? decodeShell(question, output) : decodeCommand(question, output);
  if (decoded.kind !== "failed") return withOutput(exit, decoded);
  const reasons = [decoded.reason];
  if (signal !== undefined && exitCode > 128) reasons.push(`it was ended by ${signal}`);
  if (exit.stdout.droppedBytes > 0)
    reasons.push(`of its standard output ${exit.stdout.droppedBytes} bytes were dropped`);
  return withOutput(exit, { ...decoded, reason: reasons.join("; ") });
}
