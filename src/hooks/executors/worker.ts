import { decodeCommand, decodeShell } from "#kernel";
import type { Executed, Execution, Executor } from "../executor.ts";
import type { WorkerRule } from "../rule.ts";
import type { House } from "./command.ts";
import { commandLine } from "./command-line.ts";
import { leash } from "./leash.ts";
import { failed, headOf } from "./outcome.ts";
import { plainProgram } from "./plain-command.ts";
import { processEnvironment } from "./process-environment.ts";
import { type WorkerProcess, workerProcess } from "./worker-process.ts";

/** Bytes of a worker's output that are kept for the report of its end; its answers are read as they come. */
const keptBytes = 8 << 10;

/** Runs worker rules: a program for each command of a source, started at its first event, shared by all sessions. */
export function workerExecutor(house: House): Executor<WorkerRule> {
  const workers = new Map<string, WorkerProcess>();
  const known = new WeakMap<WorkerRule, WorkerProcess>();
  const workerOf = (execution: Execution<WorkerRule>): WorkerProcess => {
    const { rule } = execution;
    const found = known.get(rule);
    if (found !== undefined) return found;
    const key = JSON.stringify([rule.id, rule.command, rule.args ?? null]);
    const worker = workers.get(key) ?? start(execution, house);
    workers.set(key, worker);
    known.set(rule, worker);
    return worker;
  };
  return async (execution) => {
    const held = leash(execution);
    const reply = await workerOf(execution).ask(execution.json, held.signal, () => held.why() ?? "was interrupted");
    held.release();
    return "problem" in reply ? failed(reply.problem) : answered(execution, reply.answer);
  };
}

function start({ rule, question, context }: Execution<WorkerRule>, { ports, supervisor }: House): WorkerProcess {
  const owner = `${rule.source.name} (${rule.where})`;
  return workerProcess({
    async start(onOutput) {
      const env = processEnvironment({ rule, question, context }, ports);
      const line = await commandLine(rule, env);
      if ("problem" in line) return line;
      const cwd = rule.source.root ?? ports.projectFolder(context);
      const program = line.shellText === undefined ? undefined : await plainProgram(line.shellText, env, cwd);
      const { file, args } = program ?? line;
      return supervisor.keep(file, args, { cwd, env: program?.env ?? env, keepBytes: keptBytes, onOutput });
    },
    log: (level, message) => ports.log(level, `worker of ${owner}: ${message}`),
  });
}

/** What a command would have printed. */
function answered({ rule, question }: Execution<WorkerRule>, answer: unknown): Executed {
  const stdout =
    answer === undefined || answer === null ? "" : typeof answer === "string" ? answer : JSON.stringify(answer);
  const output = { exitCode: 0, stdout, stderr: "" };
  const decoded = rule.source.dialect === "shell" ? decodeShell(question, output) : decodeCommand(question, output);
  return { decoded, stdout: headOf(stdout) };
}
