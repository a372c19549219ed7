import { isRecord } from "../data.ts";
import type { Verdict } from "../event.ts";
import { outputKeys, readAnswer } from "./claude-answer.ts";
import { allows, type Decoded, failure, noOpinion, opinion, type Question, type Wire } from "./question.ts";
import type { Output } from "./shell.ts";

type Reading =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "answer"; readonly given: Wire }
  | { readonly kind: "broken" };

/** Whether the text is an answer object, plain text, or an answer object that went wrong. */
function classify(stdout: string): Reading {
  const text = stdout.trim();
  if (!text.startsWith("{")) return { kind: "text", text };
  if (!text.endsWith("}")) return /^\{\s*"/.test(text) ? { kind: "broken" } : { kind: "text", text };
  const given = parse(text);
  if (given !== undefined) return isRecord(given) ? { kind: "answer", given } : { kind: "text", text };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const values = lines.map(parse);
  if (lines.length < 2 || values.includes(undefined)) return { kind: "broken" };
  const answers = values.some((value) => isRecord(value) && outputKeys.some((key) => Object.hasOwn(value, key)));
  return answers ? { kind: "broken" } : { kind: "text", text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const broken = "standard output begins as JSON and is none";
const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? "";
const unexplained = (question: Question): string => `refused by a ${question.view.name} hook that gave no reason`;

/** The text of a refusal by exit code: standard error, else plain standard output, else words of ours. */
const spoken = (question: Question, output: Output, reading: Reading): string =>
  output.stderr.trim() || (reading.kind === "text" ? reading.text : "") || unexplained(question);

/**
 * What a command of the claude dialect said, by exit code, standard output and standard error.
 * The table of cases is in docs/reference/dialects.md.
 */
export function decodeCommand(question: Question, output: Output): Decoded {
  const { view } = question;
  const reading = classify(output.stdout);
  const refusing = view.failure === "verdict" && output.exitCode !== 0;
  if (refusing || (output.exitCode === 2 && view.exit2 === "verdict" && allows(question, "verdict")))
    return refused(question, output, reading);
  const read = readOutput(question, output, reading);
  if (output.exitCode !== 2 || view.exit2 !== "user") return read;
  const shown = output.stderr.trim() || (reading.kind === "text" ? reading.text : "");
  const answer = read.kind === "answer" ? read.answer : {};
  if (shown === "") return opinion(answer, read.remarks);
  const notice = [...((answer["notice"] as readonly string[] | undefined) ?? []), shown];
  return opinion({ ...answer, notice }, read.remarks);
}

/** What may go along with a refusal by exit code. */
const companions = ["reminder", "notice", "halt", "terminal"];

function refused(question: Question, output: Output, reading: Reading): Decoded {
  const fallback = spoken(question, output, reading);
  const read = reading.kind === "answer" ? readAnswer(question, reading.given, fallback) : noOpinion();
  const said = read.kind === "answer" ? read.answer : {};
  const own = said["verdict"] as Verdict | undefined;
  const verdict: Verdict = own?.decision === "deny" ? own : { decision: "deny", reason: fallback };
  const along = Object.fromEntries(Object.entries(said).filter(([field]) => companions.includes(field)));
  const remarks = read.kind === "failed" ? [...read.remarks, read.reason] : read.remarks;
  return opinion({ ...along, verdict }, remarks);
}

function readOutput(question: Question, output: Output, reading: Reading): Decoded {
  if (reading.kind === "answer") return readAnswer(question, reading.given, unexplained(question));
  if (reading.kind === "broken") return failure(broken);
  if (output.exitCode !== 0) {
    const line = firstLine(output.stderr);
    return failure(`exit code ${output.exitCode}${line === "" ? "" : `: ${line}`}`);
  }
  return readPlain(question, output.stdout);
}

function readPlain(question: Question, stdout: string): Decoded {
  const text = stdout.trim();
  if (question.view.plainText === "path") return readPath(text);
  if (text === "" || question.view.plainText !== "context") return noOpinion();
  return opinion({ reminder: [text] });
}

const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, "g");

function readPath(text: string): Decoded {
  const path = text.replace(colours, "").split("\n").at(-1)?.trim() ?? "";
  if (path === "") return failure("standard output names no path");
  if (path.split(/[\\/]/).some((part) => part === "." || part === ".."))
    return failure(`the path must not contain . or ..: ${path}`);
  return opinion({ path });
}

/** What an address answered: only a 2xx with an answer object or an empty body is a success; a status never refuses. */
export function decodeHttp(question: Question, status: number, body: string): Decoded {
  if (status < 200 || status > 299) return failure(`answered with status ${status}`);
  if (body.trim() === "") return noOpinion();
  const reading = classify(body);
  if (reading.kind === "answer") return readAnswer(question, reading.given, unexplained(question));
  return failure("the answer is no JSON object");
}

/** What an MCP tool answered: read as the standard output of a command that succeeded. */
export const decodeToolText = (question: Question, text: string, isError: boolean): Decoded =>
  isError
    ? failure(firstLine(text) || "the tool reported an error")
    : decodeCommand(question, { exitCode: 0, stdout: text, stderr: "" });

/**
 * What the model of a prompt or agent rule answered: `{ok, reason, impossible}`, or an answer object.
 * `continued`: the rule says `continueOnBlock`, or is an agent rule.
 */
export function decodeJudgement(question: Question, text: string, continued: boolean): Decoded {
  const reading = classify(text);
  if (reading.kind !== "answer") return failure("the model's answer is no JSON object");
  const { ok, reason, impossible } = reading.given;
  if (typeof ok !== "boolean") return readAnswer(question, reading.given, unexplained(question));
  if (ok || impossible === true) return noOpinion();
  if (typeof reason !== "string" || reason.trim() === "") return failure("the model refused without a reason");
  const { refusal } = question.view;
  if (refusal === "none") return noOpinion();
  const ends = refusal === "ends" || (refusal === "ends-unless-continued" && !continued);
  return opinion({
    ...(allows(question, "verdict") ? { verdict: { decision: "deny", reason } } : {}),
    ...(ends && allows(question, "halt") ? { halt: reason } : {}),
  });
}
