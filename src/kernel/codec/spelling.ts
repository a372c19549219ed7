import { isRecord } from "../data.ts";
import { type Gathering, gathering, listed } from "./answer.ts";
import { allows, type Decoded, fieldsOf, noOpinion, type Question, type Wire } from "./question.ts";

/** Where the spellings of plugins, shell hooks and in-process handlers differ. */
export interface Spelling {
  /** The reason of a block that gives none; absent: such a block is no block. */
  readonly blocked?: string;
  /** `{decision: "block", reason}` counts as well as `{action: "block", message}`. */
  readonly decision?: true;
  /** Any truthy `context` counts, as text. */
  readonly anyContext?: true;
  /** The answer fields of the row count under their own names. */
  readonly fields?: true;
}

const plain = ["notice", "halt", "terminal", "reminder", "watchPaths"];

/** Reads `{action: …}`, `{context}`, `{args}` and their like into the fields of the row. See docs/reference/dialects.md. */
export function readSpelling(question: Question, given: Wire, spelling: Spelling): Decoded {
  const gather = gathering(question);
  const fields = fieldsOf(question.event);
  if (Object.hasOwn(fields, "dispatch")) readDispatch(given, gather);
  else if (Object.hasOwn(fields, "verdict")) readJudgement(question, given, gather, spelling);
  else readRewrite(question, given, gather);
  readContext(given, gather, spelling);
  for (const key of plain)
    if (given[key] !== undefined && given[key] !== null && (key !== "reminder" || allows(question, key)))
      gather.give(key, key === "halt" ? given[key] : listed(given[key]), key);
  if (spelling.fields) readFields(question, given, gather);
  return gather.result();
}

/** A bare text: the field that the view says it stands for. */
export function readText(question: Question, text: string): Decoded {
  const { says } = question.view;
  if (says === undefined) return noOpinion(`${question.view.name} takes no bare text`);
  if (text.trim() === "" && says.blank !== true) return noOpinion();
  const gather = gathering(question);
  const many = says.field === "context";
  gather.give(says.field, many ? [text] : text, "a bare text");
  return gather.result();
}

function readDispatch(given: Wire, gather: Gathering): void {
  const { action, text, reason } = given;
  if (action === "skip")
    gather.give("dispatch", typeof reason === "string" ? { action, reason } : { action }, "action");
  else if (action === "rewrite")
    gather.give("dispatch", typeof text === "string" ? { action, text } : { action }, "action");
  else if (action === "allow") gather.give("dispatch", { action }, "action");
  else if (action !== undefined) gather.remark(`no such action: ${String(action)}`);
}

const synonyms: Readonly<Record<string, string>> = { deny: "block", approve: "allow", modify: "rewrite" };

function readJudgement(question: Question, given: Wire, gather: Gathering, spelling: Spelling): void {
  const { action, decision } = given;
  if (action !== undefined && action !== null && typeof action !== "string")
    gather.nonsense("action is of a wrong type");
  const said = typeof action === "string" ? (synonyms[action] ?? action) : undefined;
  if (said === "block") {
    readBlock(gather, spelling, [given["message"], given["reason"]]);
    return;
  }
  if (decision === "block" || decision === "deny") {
    if (spelling.decision) {
      readBlock(gather, spelling, [given["reason"], given["message"]]);
      return;
    }
    gather.remark('{decision: "block"} is not honoured here: say {action: "block", message}');
  }
  const reason = firstText([given["message"], given["reason"]]);
  if (said === "ask" || said === "allow") gather.verdict(said, reason, `action: ${said}`);
  else if (said === "rewrite") readRewrite(question, { args: given["args"] ?? given["tool_input"] ?? null }, gather);
  else if (said !== undefined) gather.remark(`no such action: ${said}`);
}

const firstText = (values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

function readBlock(gather: Gathering, spelling: Spelling, reasons: readonly unknown[]): void {
  const first = reasons.find(Boolean);
  const reason = typeof first === "string" ? first : spelling.blocked;
  if (reason !== undefined) gather.verdict("deny", reason, "a block");
  else if (first === undefined) gather.remark("a block without a message is no block");
  else gather.nonsense("message is of a wrong type");
}

/** `{args}` or `{request}`, with what a request middleware says of itself for the trace. */
function readRewrite(question: Question, given: Wire, gather: Gathering): void {
  const key = ["args", "request"].find((name) => Object.hasOwn(fieldsOf(question.event), name));
  if (key === undefined || given[key] === undefined) return;
  gather.give(key, given[key], key);
  if (!Object.hasOwn(fieldsOf(question.event), "trace") || !isRecord(given[key])) return;
  const notes = ["source", "reason", "name"].flatMap((name) =>
    typeof given[name] === "string" && given[name] !== "" ? [[name, given[name]] as const] : [],
  );
  gather.give("trace", [notes.length > 0 ? Object.fromEntries(notes) : { source: "plugin" }], "trace");
}

function readContext(given: Wire, gather: Gathering, spelling: Spelling): void {
  const { context } = given;
  if (context === undefined || context === null) return;
  if (spelling.fields && Array.isArray(context)) gather.give("context", context, "context");
  else if (typeof context === "string") {
    if (context.trim() !== "") gather.give("context", [context], "context");
  } else if (!spelling.anyContext) gather.nonsense("context is of a wrong type");
  else if (context)
    gather.give("context", [typeof context === "object" ? JSON.stringify(context) : String(context)], "context");
}

const spelled = new Set(["context", "args", "request", ...plain]);

function readFields(question: Question, given: Wire, gather: Gathering): void {
  for (const field of Object.keys(fieldsOf(question.event)))
    if (!spelled.has(field) && given[field] !== undefined) gather.give(field, given[field], field);
    else if (field === "args" && given["args"] !== undefined && given["action"] === undefined)
      gather.give("args", given["args"], "args");
}
