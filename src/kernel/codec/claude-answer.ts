import { isRecord } from "../data.ts";
import type { Verdict } from "../event.ts";
import type { Args } from "../tools/lens.ts";
import { type Finished, misshapen, replacedResult } from "../tools/output.ts";
import { ownArgs } from "../tools/translation.ts";
import { type Gathering, gathering } from "./answer.ts";
import { allows, type Decoded, noOpinion, type Question, type Wire } from "./question.ts";

/** Keys of the answer object that mean something; Peri's spellings included. */
export const outputKeys: readonly string[] = [
  "continue",
  "stopReason",
  "suppressOutput",
  "suppress_output",
  "systemMessage",
  "terminalSequence",
  "decision",
  "reason",
  "hookSpecificOutput",
  "hook_specific_output",
  "async",
];

const misplaced = [
  "additionalContext",
  "permissionDecision",
  "updatedInput",
  "initialUserMessage",
  "updatedToolOutput",
];

/**
 * The answer object of the claude dialect, read into the fields of the row.
 * `fallback` is the reason of a refusal that gives none.
 */
export function readAnswer(question: Question, given: Wire, fallback: string): Decoded {
  if (given["async"] === true) return noOpinion();
  const gather = gathering(question);
  typed(given, gather, {
    continue: "boolean",
    stopReason: "string",
    systemMessage: "string",
    terminalSequence: "string",
  });
  typed(given, gather, { suppressOutput: "boolean", suppress_output: "boolean" });
  const reason = typeof given["reason"] === "string" && given["reason"] !== "" ? given["reason"] : undefined;
  readDecision(question, given, gather, reason ?? fallback);
  readUniversal(given, gather, reason);
  const specific = given["hookSpecificOutput"] ?? given["hook_specific_output"];
  if (isRecord(specific)) readSpecific(question, specific, gather, reason ?? fallback);
  else if (specific !== undefined && specific !== null) gather.nonsense("hookSpecificOutput is of a wrong type");
  return gather.result();
}

function readUniversal(given: Wire, gather: Gathering, reason: string | undefined): void {
  const { systemMessage, terminalSequence, stopReason } = given;
  if (given["continue"] === false)
    gather.give("halt", firstText(stopReason, reason) ?? "a hook ended the turn", "continue: false");
  if (typeof systemMessage === "string" && systemMessage.trim() !== "")
    gather.give("notice", [systemMessage], "systemMessage");
  if (typeof terminalSequence === "string") readSequence(terminalSequence, gather);
  for (const key of misplaced)
    if (given[key] !== undefined) gather.remark(`${key} counts only inside hookSpecificOutput`);
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

function typed(given: Wire, gather: Gathering, types: Readonly<Record<string, string>>): void {
  for (const [key, type] of Object.entries(types))
    if (given[key] !== undefined && given[key] !== null && typeof given[key] !== type)
      gather.nonsense(`${key} is of a wrong type`);
}

/** `decision: block` refuses; `approve` is no opinion, but where permissions are decided it allows. */
function readDecision(question: Question, given: Wire, gather: Gathering, reason: string): void {
  const { decision } = given;
  if (decision === undefined || decision === null) return;
  if (decision === "block") gather.verdict("deny", reason, "decision: block");
  else if (decision !== "approve") gather.nonsense(`no such decision: ${String(decision)}`);
  else if (question.view.permission?.allow === "allow") gather.verdict("allow", undefined, "decision: approve");
}

const bell = String.fromCharCode(7);
const escapeCharacter = String.fromCharCode(27);
const sequence = new RegExp(
  `^(?:${bell}|${escapeCharacter}\\](?:0|1|2|9|99|777);[^${bell}${escapeCharacter}]*(?:${bell}|${escapeCharacter}\\\\))+$`,
);

function readSequence(text: string, gather: Gathering): void {
  if (sequence.test(text)) gather.give("terminal", [text], "terminalSequence");
  else gather.remark("terminalSequence is dropped: only titles, notifications and the bell are passed on");
}

/** Keys of the specific object that are one field, as they are. */
const simple: Readonly<Record<string, string>> = {
  initialUserMessage: "initialMessage",
  sessionTitle: "title",
  watchPaths: "watchPaths",
  reloadSkills: "reloadSkills",
  suppressOriginalPrompt: "hidePrompt",
  retry: "retry",
  displayContent: "display",
  worktreePath: "path",
};

function readSpecific(question: Question, specific: Wire, gather: Gathering, reason: string): void {
  if (specific["hookEventName"] !== question.view.name) {
    gather.nonsense(
      `hookSpecificOutput is for ${String(specific["hookEventName"] ?? "no event")}, this is ${question.view.name}`,
    );
    return;
  }
  readContext(specific["additionalContext"], gather);
  for (const [key, field] of Object.entries(simple))
    if (specific[key] !== undefined && specific[key] !== null) gather.give(field, specific[key], key);
  const { permissionDecision, updatedInput, decision, action } = specific;
  if (permissionDecision !== undefined) readPermission(question, specific, gather, reason);
  if (updatedInput !== undefined) readInput(question, updatedInput, specific, gather);
  const replaced = specific["updatedToolOutput"] ?? specific["updatedMCPToolOutput"];
  if (replaced !== undefined) readResult(question, replaced, gather);
  if (decision !== undefined) readRequestDecision(question, decision, gather, reason);
  if (action !== undefined) readReply(specific, gather);
}

function readContext(context: unknown, gather: Gathering): void {
  if (context === undefined || context === null) return;
  if (typeof context !== "string") gather.nonsense("additionalContext is of a wrong type");
  else if (context.trim() !== "") gather.give("reminder", [context], "additionalContext");
}

function readResult(question: Question, replaced: unknown, gather: Gathering): void {
  if (!allows(question, "result")) {
    gather.remark(`${question.view.name} does not honour updatedToolOutput`);
    return;
  }
  const { toolName, args, transformedResult } = question.payload as Pick<Finished, "toolName" | "args"> & {
    readonly transformedResult: unknown;
  };
  const call: Finished = { toolName, args, result: transformedResult };
  const wrong = misshapen(call, replaced);
  if (wrong === undefined) gather.give("result", replacedResult(call, replaced), "updatedToolOutput");
  else gather.remark(`updatedToolOutput is ignored: ${wrong}`);
}

function readPermission(question: Question, specific: Wire, gather: Gathering, fallback: string): void {
  const { permission } = question.view;
  const { permissionDecision: decision, permissionDecisionReason: said } = specific;
  if (permission === undefined) {
    gather.remark(`${question.view.name} does not honour permissionDecision`);
    return;
  }
  if (decision === null || decision === "passthrough") return;
  const reason = typeof said === "string" && said !== "" ? said : undefined;
  if (typeof decision !== "string" || !Object.hasOwn(permission, decision)) {
    gather.remark(`no such permissionDecision: ${String(decision)}; it refuses`);
    gather.verdict("deny", reason ?? fallback, "permissionDecision");
    return;
  }
  const outcome = permission[decision as Verdict["decision"]];
  if (outcome === "none") return;
  gather.verdict(outcome, outcome === "deny" ? (reason ?? fallback) : reason, "permissionDecision");
}

function readInput(question: Question, input: unknown, specific: Wire, gather: Gathering): void {
  if (question.view.rewrite === "refused") {
    gather.verdict("deny", "a hook wanted to change a command that cannot be changed", "updatedInput");
    return;
  }
  if (specific["permissionDecision"] === "defer") {
    gather.remark("updatedInput does not count beside defer");
    return;
  }
  if (!allows(question, "args")) {
    gather.remark(`${question.view.name} does not honour updatedInput`);
    return;
  }
  if (!isRecord(input)) {
    gather.nonsense("updatedInput is of a wrong type");
    return;
  }
  const { toolName, args } = question.payload as { readonly toolName: string; readonly args: Args };
  gather.give("args", ownArgs(toolName, args, input, question.place), "updatedInput");
}

/** The `decision` object of a permission request. */
function readRequestDecision(question: Question, decision: unknown, gather: Gathering, fallback: string): void {
  if (!allows(question, "permissions")) {
    gather.remark(`${question.view.name} does not honour decision`);
    return;
  }
  if (!isRecord(decision)) {
    gather.nonsense("decision is of a wrong type");
    return;
  }
  const { behavior, message, interrupt, updatedPermissions } = decision;
  if (behavior === "allow") {
    gather.verdict("allow", undefined, "behavior");
    if (updatedPermissions !== undefined) gather.give("permissions", updatedPermissions, "updatedPermissions");
    if (decision["updatedInput"] !== undefined) readInput(question, decision["updatedInput"], {}, gather);
  } else if (behavior === "deny") {
    const reason = firstText(message) ?? fallback;
    gather.verdict("deny", reason, "behavior");
    if (interrupt === true) gather.give("halt", reason, "interrupt");
  } else gather.nonsense(`no such behavior: ${String(behavior)}`);
}

function readReply(specific: Wire, gather: Gathering): void {
  const { action, content } = specific;
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    gather.nonsense(`no such action: ${String(action)}`);
    return;
  }
  if (content !== undefined && !isRecord(content)) {
    gather.nonsense("content is of a wrong type");
    return;
  }
  gather.give("reply", content === undefined ? { action } : { action, content }, "action");
}
