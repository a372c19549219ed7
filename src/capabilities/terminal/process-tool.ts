import type { Tool, ToolOutcome, ToolRun } from "#agent";
import { now, sleep } from "#host";
import { type Arguments, countArgument, textArgument } from "../argument.ts";
import { answer, failure } from "../outcome.ts";
import { exitMeaning } from "./exit-meaning.ts";
import { limited } from "./output.ts";
import type { BackgroundProcess } from "./process-table.ts";
import { terminalSession } from "./session.ts";
import type { TerminalRules } from "./settings.ts";

interface Call {
  readonly args: Arguments;
  readonly run: ToolRun;
  readonly rules: TerminalRules;
}

type Action = (entry: BackgroundProcess, call: Call) => ToolOutcome | Promise<ToolOutcome>;

const actions: Readonly<Record<string, Action>> = {
  poll: (entry, call) => answer({ ...facts(entry), output_preview: preview(entry, call.rules) }),
  log: readLog,
  wait: waitForEnd,
  kill: endIt,
  write: (entry, call) => send(entry, textArgument(call.args, "data") ?? ""),
  submit: (entry, call) => send(entry, `${textArgument(call.args, "data") ?? ""}\n`),
  close: closeInput,
};

const parameters = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["list", ...Object.keys(actions)],
      description:
        "list: all processes; poll: state and latest output; log: output by lines; wait: until it ends or the timeout; kill: end it and its children; write: raw text to its input; submit: text and Enter; close: end of its input.",
    },
    session_id: { type: "string", description: "The session_id that terminal gave; needed by all actions but list." },
    data: { type: "string", description: "Text for write and submit." },
    timeout: { type: "integer", minimum: 1, description: "Seconds that wait waits at most." },
    offset: { type: "integer", minimum: 0, description: "log: first line, from 0. Absent: the latest lines." },
    limit: { type: "integer", minimum: 1, description: "log: number of lines, 200 by default." },
  },
  required: ["action"],
} as const;

/** The tool `process`: what can be done with the background processes of the session. */
export function processTool(rules: TerminalRules): Tool {
  return {
    name: "process",
    toolset: "terminal",
    description:
      "Manage background processes started with terminal(background=true): list, poll, log, wait, kill, write, submit, close.",
    parameters,
    summary: (args) => [textArgument(args, "action"), textArgument(args, "session_id")].filter(Boolean).join(" "),
    run: async (args, run) => {
      const { processes } = terminalSession(run.context);
      const action = textArgument(args, "action") ?? "";
      if (action === "list")
        return answer({
          processes: processes.list().map((entry) => ({ ...facts(entry), output_preview: preview(entry, rules) })),
        });
      const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (act === undefined) return failure(`unknown action "${action}"; use list, ${Object.keys(actions).join(", ")}`);
      const id = textArgument(args, "session_id") ?? "";
      const entry = processes.find(id);
      if (entry === undefined) return failure(unknownProcess(id, processes.list()));
      return act(entry, { args, run, rules });
    },
  };
}

function unknownProcess(id: string, entries: readonly BackgroundProcess[]): string {
  const known =
    entries.length === 0 ? "There is none in this session." : `Known: ${entries.map((entry) => entry.id).join(", ")}.`;
  return id === "" ? `session_id is missing. ${known}` : `no background process "${id}". ${known}`;
}

function facts(entry: BackgroundProcess): Readonly<Record<string, unknown>> {
  const code = entry.exitCode();
  const seconds = Math.round(((entry.endedAt() ?? now()) - entry.startedAt) / 1_000);
  return {
    session_id: entry.id,
    command: entry.command,
    cwd: entry.cwd,
    pid: entry.process.pid,
    status: code === undefined ? "running" : "exited",
    started_at: new Date(entry.startedAt).toISOString(),
    uptime_seconds: seconds,
    ...(code === undefined ? {} : ending(entry, code)),
  };
}

function ending(entry: BackgroundProcess, code: number): Readonly<Record<string, unknown>> {
  const meaning = exitMeaning(entry.command, code);
  return { exit_code: code, ...(meaning === undefined ? {} : { exit_code_meaning: meaning }) };
}

function preview(entry: BackgroundProcess, rules: TerminalRules): string {
  return rules.redact(entry.log.text()).trimEnd().slice(-1_000);
}

function readLog(entry: BackgroundProcess, { args, rules }: Call): ToolOutcome {
  const lines = rules.redact(entry.log.text()).trimEnd().split("\n");
  const limit = countArgument(args, "limit", { least: 1, most: rules.output.lines, fallback: 200 });
  const offset = countArgument(args, "offset", {
    least: 0,
    most: lines.length,
    fallback: Math.max(0, lines.length - limit),
  });
  const part = lines.slice(offset, offset + limit);
  const dropped = entry.log.dropped();
  return answer({
    ...facts(entry),
    output: limited(part.join("\n"), rules.output).text,
    total_lines: lines.length,
    showing: part.length === 0 ? "no lines" : `lines ${offset} to ${offset + part.length - 1} of ${lines.length}`,
    ...(dropped === 0 ? {} : { dropped_characters: dropped }),
  });
}

async function waitForEnd(entry: BackgroundProcess, { args, run, rules }: Call): Promise<ToolOutcome> {
  const longest = rules.timeoutSeconds;
  const seconds = countArgument(args, "timeout", { least: 1, most: longest, fallback: longest });
  const over = new AbortController();
  const clock = sleep(seconds * 1_000, AbortSignal.any([run.signal, over.signal])).then(
    () => "timeout",
    () => "interrupted",
  );
  const first = await Promise.race([entry.ended.then(() => "exited"), clock]);
  over.abort();
  const output = limited(rules.redact(entry.log.text()).trimEnd(), rules.output).text;
  const note = first === "timeout" ? { timeout_note: `it still runs after ${seconds} s of waiting` } : {};
  return answer({ ...facts(entry), status: first, output, ...note });
}

async function endIt(entry: BackgroundProcess): Promise<ToolOutcome> {
  if (entry.exitCode() !== undefined) return answer({ ...facts(entry), status: "already_exited" });
  await entry.process.kill();
  await entry.ended;
  return answer({ ...facts(entry), status: "killed" });
}

function send(entry: BackgroundProcess, text: string): ToolOutcome {
  if (entry.exitCode() !== undefined) return failure(`${entry.id} has ended with exit code ${entry.exitCode()}`);
  entry.process.write(text);
  return answer({ session_id: entry.id, status: "ok", bytes_written: Buffer.byteLength(text) });
}

function closeInput(entry: BackgroundProcess): ToolOutcome {
  if (entry.exitCode() !== undefined) return failure(`${entry.id} has ended with exit code ${entry.exitCode()}`);
  entry.process.closeInput();
  return answer({ session_id: entry.id, status: "ok", message: "its input is closed" });
}
