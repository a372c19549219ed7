import { isRecord } from "../data.ts";
import { encodePython } from "./python.ts";
import { type Decoded, failure, noOpinion, opinion, type Question } from "./question.ts";
import { readSpelling, readText } from "./spelling.ts";

/** What came of a command. */
export interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ShellPayload {
  readonly hook_event_name: string;
  readonly tool_name: unknown;
  readonly tool_input: Readonly<Record<string, unknown>> | null;
  readonly session_id: unknown;
  readonly cwd: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What a shell hook reads on its standard input; `cwd` is the folder of the process. */
export function encodeShell(question: Question, cwd: string): ShellPayload {
  const { tool_name, args, session_id, parent_session_id, ...extra } = encodePython(question);
  return {
    hook_event_name: question.view.name,
    tool_name: tool_name ?? null,
    tool_input: isRecord(args) ? args : null,
    session_id: session_id || parent_session_id || "",
    cwd,
    extra,
  };
}

/** As JSON; what JSON cannot say is said as text, never left out and never an error. */
export function json(value: unknown): string {
  const above: object[] = [];
  return JSON.stringify(value, function (this: unknown, _key, inner: unknown) {
    if (typeof inner === "bigint" || typeof inner === "symbol" || typeof inner === "function") return String(inner);
    if (typeof inner !== "object" || inner === null) return inner;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(inner)) return "[circular]";
    above.push(inner);
    return inner;
  });
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? "";

const nothing = ({ exitCode, stderr }: Output): Decoded =>
  exitCode === 0
    ? noOpinion()
    : failure(`exit code ${exitCode}${stderr.trim() === "" ? "" : `: ${firstLine(stderr).slice(0, 400)}`}`);

const blocked = "Blocked by shell hook.";

/**
 * What a shell hook said: its standard output as one JSON value, whatever the exit code. Without an answer, an exit code
 * but 0 is a failure. See docs/reference/dialects.md.
 */
export function decodeShell(question: Question, output: Output): Decoded {
  const text = output.stdout.trim();
  if (!text.startsWith("{")) return nothing(output);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return failure("standard output begins as JSON and is none");
  }
  if (!isRecord(given)) return nothing(output);
  const { result } = given;
  const { says } = question.view;
  const read =
    says !== undefined && says.field !== "context" && result !== undefined
      ? typeof result === "string"
        ? readText(question, result)
        : failure("result is of a wrong type")
      : readSpelling(question, given, { decision: true, blocked });
  if (read.kind === "failed" || Object.keys(read.answer).length > 0) return read;
  const rest = nothing(output);
  return rest.kind === "failed" ? { ...rest, remarks: read.remarks } : opinion(read.answer, read.remarks);
}
