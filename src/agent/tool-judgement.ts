import type { Payload, ToolCall, Verdict } from "#kernel";
import { coerceArguments } from "./arguments.ts";
import type { Lane } from "./concurrency.ts";
import { AgentError } from "./error.ts";
import { deliver, idsOf, type RunningTurn, settled } from "./running-turn.ts";
import type { Tool } from "./tool.ts";
import { repairParameters } from "./tool-name.ts";
import { notWhitelisted } from "./tool-whitelist.ts";

type Args = Readonly<Record<string, unknown>>;

/** Why a call does not run, as its result and `post_tool_call` say it. */
export interface Block {
  readonly text: string;
  readonly type: "plugin_block" | "guardrail_block" | "permission_denied" | "turn_ended";
}

/** A call that has been judged and is frozen: what is here is what runs. */
export interface JudgedCall extends Lane {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly args: Args;
  readonly originalArgs: Args;
  readonly trace: readonly Args[];
  readonly reminders: readonly string[];
  readonly blocked: Block | undefined;
  /** A hook has put the call off: it neither runs nor gets a result now. */
  readonly deferred: Pick<Verdict, "reason"> | undefined;
}

/** How often a permission's edit may send a call back before the call is refused. */
const maxEdits = 4;

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}

export function laneOf(turn: RunningTurn, tool: Tool, args: Args): Lane {
  const concurrency = tool.concurrency ?? "alone";
  if (concurrency !== "by-path") return { concurrency, paths: [] };
  if (tool.paths === undefined) return { concurrency: "alone", paths: [] };
  try {
    const paths = tool.paths(args, turn.context);
    return paths.length === 0 ? { concurrency: "alone", paths } : { concurrency, paths };
  } catch (error) {
    turn.ports.log("warning", `the paths of ${tool.name} could not be read: ${String(error)}`);
    return { concurrency: "alone", paths: [] };
  }
}

interface Judging {
  readonly turn: RunningTurn;
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly trace: readonly Args[];
  readonly reminders: string[];
  /** Whether the call can be put off; where not, that a hook wants it is told and left at that. */
  readonly mayDefer: boolean;
}

function callFacts({ turn, call, tool }: Pick<Judging, "turn" | "call" | "tool">, args: Args) {
  return {
    ...idsOf(turn),
    toolName: tool.name,
    args,
    toolCallId: call.id,
    ...(tool.mcpServer === undefined ? {} : { mcpServer: tool.mcpServer }),
  };
}

async function asked(
  judging: Judging,
  args: Args,
): Promise<{ readonly args: Args; readonly verdict: Verdict | undefined }> {
  const { turn, trace, tool } = judging;
  const barred = notWhitelisted(turn.context, tool.name);
  if (barred !== undefined) return { args, verdict: { decision: "deny", reason: barred } };
  const fire = turn.context.plan.on.pre_tool_call;
  if (fire === undefined) return { args, verdict: undefined };
  const payload: Payload<"pre_tool_call"> = { ...callFacts(judging, args), middlewareTrace: [...trace] };
  const answer = await settled(fire(payload, turn.context), turn.signal);
  deliver(turn, answer);
  judging.reminders.push(...(answer?.reminder ?? []));
  return { args: answer?.args ?? args, verdict: heard(judging, answer?.verdict) };
}

function heard({ turn, tool, mayDefer }: Judging, verdict: Verdict | undefined): Verdict | undefined {
  if (verdict?.decision !== "defer" || mayDefer) return verdict;
  const text = `A hook wants to put off ${tool.name}. Only 'talaria run' can do that, with a call that stands alone: it is judged as if the hook had no opinion.`;
  turn.surface.emit({ type: "notice", level: "warning", text });
  return undefined;
}

async function permitted(judging: Judging, args: Args, judged: Verdict | undefined) {
  const { turn } = judging;
  const fire = turn.context.plan.on.permit;
  if (fire === undefined) return undefined;
  const payload: Payload<"permit"> = { ...callFacts(judging, args), ...(judged === undefined ? {} : { judged }) };
  const answer = await settled(fire(payload, turn.context), turn.signal);
  deliver(turn, answer);
  judging.reminders.push(...(answer?.reminder ?? []));
  return answer;
}

function denied(verdict: Verdict | undefined, type: Block["type"]): Block | undefined {
  if (verdict?.decision !== "deny") return undefined;
  return { text: verdict.reason ?? `refused by ${verdict.by ?? "a hook"}`, type };
}

/** Nobody answered a question that had to be answered: that is no consent. */
function unanswered(judged: Verdict | undefined, given: Verdict | undefined): Block | undefined {
  if (given?.decision === "allow") return undefined;
  if (given?.decision !== "ask" && judged?.decision !== "ask") return undefined;
  const reason = given?.reason ?? judged?.reason;
  const detail = reason === undefined ? "" : `: ${reason}`;
  return { text: `This call needs a person's approval, and nobody can be asked${detail}`, type: "permission_denied" };
}

function halted(turn: RunningTurn): Block | undefined {
  return turn.halt === undefined ? undefined : { text: turn.halt, type: "turn_ended" };
}

interface Settled {
  readonly args: Args;
  readonly blocked: Block | undefined;
  readonly deferred?: Verdict;
}

async function settleCall(judging: Judging, given: Args): Promise<Settled> {
  const { turn, tool } = judging;
  let args = given;
  for (let round = 0; round <= maxEdits; round += 1) {
    const { args: final, verdict } = await asked(judging, args);
    args = deepFreeze(final);
    const refused = denied(verdict, "plugin_block") ?? halted(turn);
    if (refused !== undefined) return { args, blocked: refused };
    if (verdict?.decision === "defer") return { args, blocked: undefined, deferred: verdict };
    const loop = turn.guardrail.check(tool.name, args);
    if (loop !== undefined) {
      turn.exitReason = "guardrail_halt";
      turn.halt ??= loop;
      return { args, blocked: { text: loop, type: "guardrail_block" } };
    }
    const answer = await permitted(judging, args, verdict);
    const blocked =
      denied(answer?.verdict, "permission_denied") ?? halted(turn) ?? unanswered(verdict, answer?.verdict);
    if (blocked !== undefined || answer?.edited === undefined) return { args, blocked };
    args = answer.edited;
  }
  return {
    args,
    blocked: { text: "The call was edited again and again without being settled.", type: "permission_denied" },
  };
}

async function requested(turn: RunningTurn, call: ToolCall, tool: Tool, args: Args) {
  const fire = turn.context.plan.on.tool_request;
  if (fire === undefined) return { args, trace: [] };
  const payload: Payload<"tool_request"> = {
    ...idsOf(turn),
    toolName: tool.name,
    args,
    originalArgs: args,
    toolCallId: call.id,
  };
  const answer = await settled(fire(payload, turn.context), turn.signal);
  return { args: answer?.args ?? args, trace: answer?.trace ?? [] };
}

/**
 * `tool_request` → `pre_tool_call` → settled and frozen → guardrail → `permit`. An approval's edit goes back to
 * `pre_tool_call`; an `ask` that nobody answers is a refusal.
 */
export async function judgeCall(turn: RunningTurn, call: ToolCall, tool: Tool, mayDefer = false): Promise<JudgedCall> {
  const originalArgs = deepFreeze(coerceArguments(repairParameters(call.args, tool.parameters), tool.parameters));
  const { args: wanted, trace } = await requested(turn, call, tool, originalArgs);
  const reminders: string[] = [];
  const judging = { turn, call, tool, trace, reminders, mayDefer };
  const { args, blocked, deferred } = await settleCall(judging, wanted);
  return { call, tool, args, originalArgs, trace, reminders, blocked, deferred, ...laneOf(turn, tool, args) };
}

/** The arguments that a wrapper changed, judged anew. Rejects with `refused` when they may not run. */
export async function rejudge(turn: RunningTurn, judged: JudgedCall, args: Args): Promise<Args> {
  const { call, tool, trace } = judged;
  const again = await settleCall({ turn, call, tool, trace, reminders: [], mayDefer: false }, args);
  if (again.blocked !== undefined) throw new AgentError("refused", again.blocked.text);
  return again.args;
}
