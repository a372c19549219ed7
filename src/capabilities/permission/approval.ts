import type { ApprovalChoice, TurnContext } from "#agent";
import type { Answer, Payload } from "#kernel";
import type { Question } from "./decision.ts";
import { mayRetry, refusalOfFailure, refusalOfHook, refusalOfPerson, refusalOfTimeout } from "./refusal.ts";
import { type AllowList, sessionPermission } from "./settings.ts";

export type Permit = Payload<"permit">;
export type Permitted = Answer<"permit">;

/** A call that is being decided about, and the text of exactly what will run. */
export interface Case {
  readonly call: Permit;
  readonly command: string;
  readonly context: TurnContext;
  readonly question: Question;
}

export const allowed: Permitted = { verdict: { decision: "allow", by: "permission" } };

/** A refusal without a person; `permission_denied` fires here and nowhere else. */
export async function refused(call: Permit, reason: string, context: TurnContext): Promise<Permitted> {
  const { judged: _, ...facts } = call;
  const answer = await context.plan.on.permission_denied?.({ ...facts, reason }, context);
  const text = answer?.retry === true ? `${reason} ${mayRetry}` : reason;
  return { ...passedOn(answer), verdict: { decision: "deny", reason: text, by: "permission" } };
}

const passedOn = (answer: Pick<Permitted, "notice" | "halt" | "terminal"> | undefined): Permitted => ({
  ...(answer?.notice === undefined ? {} : { notice: answer.notice }),
  ...(answer?.halt === undefined ? {} : { halt: answer.halt }),
  ...(answer?.terminal === undefined ? {} : { terminal: answer.terminal }),
});

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Asks the permission hooks; undefined when they leave it to a person. Other arguments of theirs go back to be judged. */
export async function askHooks({ call, context, question }: Case): Promise<Permitted | undefined> {
  const { edited } = sessionPermission(context);
  const approvedArgs = edited.get(call.toolCallId);
  edited.delete(call.toolCallId);
  if (approvedArgs !== undefined && approvedArgs === JSON.stringify(call.args)) return allowed;
  const { judged: _, ...facts } = call;
  const answer = await context.plan.on.permission_request?.(facts, context);
  const more = passedOn(answer);
  switch (answer?.verdict?.decision) {
    case "deny":
    case "defer":
      return { ...more, ...(await refused(call, refusalOfHook(question, answer.verdict.reason), context)) };
    case "allow": {
      if (answer.args === undefined || same(answer.args, call.args)) return { ...more, ...allowed };
      edited.set(call.toolCallId, JSON.stringify(answer.args));
      return { ...more, ...allowed, edited: answer.args };
    }
    default:
      if (answer?.halt !== undefined) return { ...more, verdict: { decision: "deny", reason: answer.halt } };
      for (const text of answer?.notice ?? []) context.surface.emit({ type: "notice", level: "info", text });
      return undefined;
  }
}

/** Shows the prompt and turns the answer into a verdict. Only a clear yes is consent. */
export async function askPerson(subject: Case, allowList: AllowList, timeoutMs: number): Promise<Permitted> {
  const { call, context, question, command } = subject;
  const facts = approvalFacts(subject);
  await context.plan.on.pre_approval_request?.(facts, context);
  announce(subject);
  const span = context.trace.start("approval", call.toolName);
  const { choice, failure } = await answerOf(subject, timeoutMs);
  const counted = choice === "always" && question.forced ? "session" : choice;
  span.set({ choice: counted });
  span.end(counted === "deny" || counted === "timeout" ? (context.signal.aborted ? "cancelled" : "blocked") : "ok");
  await context.plan.on.post_approval_response?.({ ...facts, choice: counted }, context);
  context.surface.emit({
    type: "approval",
    callId: call.toolCallId,
    command,
    description: question.description,
    choice: counted,
  });
  if (failure !== undefined) return denied(refusalOfFailure(question, failure));
  if (counted === "timeout") return refused(call, refusalOfTimeout(question), context);
  if (counted === "deny") return denied(refusalOfPerson(question));
  await remember(subject, counted, allowList);
  return allowed;
}

const denied = (reason: string): Permitted => ({ verdict: { decision: "deny", reason, by: "permission" } });

function approvalFacts({ call, command, context, question }: Case): Payload<"pre_approval_request"> {
  const keys = question.keys.length > 0 ? question.keys : ["hook_ask"];
  return {
    command,
    description: question.description,
    patternKey: keys[0] ?? "hook_ask",
    patternKeys: keys,
    sessionKey: context.sessionId,
    surface: ["cli", "run", "subagent"].includes(context.platform) ? "cli" : "gateway",
    turnId: call.turnId,
    toolCallId: call.toolCallId,
  };
}

/** Tells hooks that a person is waited for. The prompt does not wait for them. */
function announce({ call, context }: Case): void {
  const payload = {
    sessionId: context.sessionId,
    message: `Talaria needs your permission to use ${call.toolName}`,
    notificationType: "permission_prompt",
  };
  void Promise.resolve(context.plan.on.notification?.(payload, context)).catch((error: unknown) => {
    context.surface.emit({ type: "notice", level: "warning", text: `A notification hook failed: ${String(error)}` });
  });
}

const choices: readonly string[] = ["once", "session", "always", "deny", "timeout"];

interface Response {
  readonly choice: ApprovalChoice;
  readonly failure?: string;
}

async function answerOf({ call, command, context, question }: Case, timeoutMs: number): Promise<Response> {
  const request = {
    callId: call.toolCallId,
    toolName: call.toolName,
    command,
    description: question.description,
    patternKeys: question.keys,
    permanent: question.keys.length > 0 && !question.forced,
    timeoutMs,
  };
  try {
    const choice = await context.surface.approve?.(request, context.signal);
    if (context.signal.aborted) return { choice: "deny", failure: "the turn was interrupted" };
    if (choice !== undefined && choices.includes(choice)) return { choice };
    return { choice: "deny", failure: `the surface answered ${JSON.stringify(choice)}` };
  } catch (error) {
    if (context.signal.aborted) return { choice: "deny", failure: "the turn was interrupted" };
    return { choice: "deny", failure: error instanceof Error ? error.message : String(error) };
  }
}

async function remember({ context, question }: Case, choice: ApprovalChoice, allowList: AllowList): Promise<void> {
  if (choice === "once") return;
  const { approved } = sessionPermission(context);
  for (const key of question.keys) approved.add(key);
  if (choice !== "always" || question.keys.length === 0) return;
  try {
    await allowList.add(question.keys);
  } catch (error) {
    const text = `The permanent approval could not be saved and holds for this session only: ${error instanceof Error ? error.message : String(error)}`;
    context.surface.emit({ type: "notice", level: "warning", text });
  }
}
