import type { Payload, ToolMessage } from "#kernel";
import { AgentError, errorText, isAgentError } from "./error.ts";
import { raced } from "./interrupt.ts";
import { deliver, idsOf, type RunningTurn, remind, settled } from "./running-turn.ts";
import { appended, textOf } from "./tokens.ts";
import type { ToolOutcome } from "./tool.ts";
import { type JudgedCall, rejudge } from "./tool-judgement.ts";
import { type Content, failedOutcome, limited, type Outcome, outcomeOf } from "./tool-result.ts";

type Args = Readonly<Record<string, unknown>>;

/** Milliseconds that a tool has to end by itself after an interrupt. */
const graceMs = 1_000;

/** What the results of one batch share. */
export interface BatchState {
  /** Characters of results that this batch may still keep. */
  remaining: number;
  /** Calls whose start is in the journal. */
  readonly started: Set<string>;
  readonly results: Map<string, Content>;
}

export interface Run {
  readonly outcome: Outcome;
  /** The arguments that reached the tool. */
  readonly args: Args;
  readonly durationMs: number;
}

async function executed(turn: RunningTurn, judged: JudgedCall, reached: (args: Args) => void): Promise<ToolOutcome> {
  const { call, tool } = judged;
  const { context, signal } = turn;
  const progress = (chunk: string) => {
    if (!signal.aborted) turn.surface.emit({ type: "tool-output", callId: call.id, chunk });
  };
  const core = async (args: Args): Promise<ToolOutcome> => {
    reached(args);
    return tool.run(args, { callId: call.id, context, signal, progress });
  };
  const fire = context.plan.on.tool_execution;
  if (fire === undefined) return core(judged.args);
  const payload: Payload<"tool_execution"> = {
    ...idsOf(turn),
    toolName: tool.name,
    args: judged.args,
    originalArgs: judged.originalArgs,
    toolCallId: call.id,
  };
  const changed = async (given: Payload<"tool_execution">) => {
    if (given.toolName !== payload.toolName || given.toolCallId !== payload.toolCallId)
      throw new AgentError(
        "refused",
        `A wrapper made another call of this one (${given.toolName}, id ${given.toolCallId}). Nothing was run: of a call only the arguments can be changed.`,
      );
    return { ...given, args: await rejudge(turn, judged, given.args) };
  };
  return fire(payload, (given) => core(given.args), context, changed);
}

function failureOf(turn: RunningTurn, judged: JudgedCall, error: unknown): Outcome {
  if (turn.signal.aborted)
    return failedOutcome(
      "cancelled",
      "keyboard_interrupt",
      `${judged.tool.name} was stopped: the person interrupted the turn. It may have done part of its work.`,
    );
  if (isAgentError(error, "refused")) return failedOutcome("blocked", "plugin_block", error.message);
  turn.ports.log("warning", `the tool ${judged.tool.name} failed: ${errorText(error)}`, { callId: judged.call.id });
  return failedOutcome("error", "tool_error", errorText(error));
}

async function run(turn: RunningTurn, judged: JudgedCall, batch: BatchState): Promise<Run> {
  const { call, tool } = judged;
  const { memory, ports } = turn;
  await ports.store.callStarted(memory.id, {
    callId: call.id,
    turnId: turn.turnId,
    toolName: tool.name,
    args: judged.args,
  });
  batch.started.add(call.id);
  return executedCall(turn, judged);
}

/** Runs the tool inside `tool_execution`, and says what it came to. Never rejects. */
export async function executedCall(turn: RunningTurn, judged: JudgedCall): Promise<Run> {
  const { ports } = turn;
  const startedAt = ports.now();
  let args = judged.args;
  const reached = (given: Args) => {
    args = given;
  };
  let outcome: Outcome;
  try {
    const grace = { ms: graceMs, after: ports.after };
    outcome = outcomeOf(await raced(executed(turn, judged, reached), turn.signal, grace));
    if (turn.signal.aborted && outcome.status === "error")
      outcome = { ...outcome, status: "cancelled", errorType: "keyboard_interrupt" };
  } catch (error) {
    outcome = failureOf(turn, judged, error);
  }
  return { outcome, args, durationMs: Math.max(0, Math.round(ports.now() - startedAt)) };
}

function callFacts(turn: RunningTurn, judged: JudgedCall, { outcome, args, durationMs }: Run) {
  return {
    ...idsOf(turn),
    toolName: judged.tool.name,
    args,
    toolCallId: judged.call.id,
    durationMs,
    status: outcome.status,
    errorType: outcome.errorType,
    errorMessage: outcome.errorMessage,
  };
}

/** The text after `transform_tool_result`. A chain that fails here must not lose the result: its failure comes along. */
export async function transformed(
  turn: RunningTurn,
  judged: JudgedCall,
  done: Run,
  content: Content,
): Promise<{ readonly content: Content; readonly failure?: unknown }> {
  const fire = turn.context.plan.on.transform_tool_result;
  const ran = done.outcome.status === "ok" || done.outcome.status === "error";
  if (fire === undefined || !ran || turn.signal.aborted) return { content };
  const payload: Payload<"transform_tool_result"> = { ...callFacts(turn, judged, done), result: textOf(content) };
  try {
    const answer = await settled(fire(payload, turn.context), turn.signal);
    return { content: answer?.result ?? content };
  } catch (failure) {
    return { content, failure };
  }
}

function toolMessage(judged: JudgedCall, outcome: Outcome, content: Content): ToolMessage {
  return {
    role: "tool",
    toolCallId: judged.call.id,
    toolName: judged.tool.name,
    content,
    ...(outcome.status === "ok" ? {} : { isError: true as const }),
  };
}

function watched(turn: RunningTurn, judged: JudgedCall, done: Run, content: Content): Content {
  if (done.outcome.status === "blocked" || done.outcome.status === "cancelled") return content;
  const warning = turn.guardrail.observe({
    toolName: judged.tool.name,
    args: done.args,
    result: textOf(content),
    failed: done.outcome.status === "error",
    idempotent: judged.tool.readOnly === true,
  });
  return warning === undefined ? content : appended(content, warning);
}

/** `post_tool_call`: told of every call, asked for feedback. After an interrupt its handlers get a signal that still lives. */
export async function observed(turn: RunningTurn, judged: JudgedCall, done: Run, content: Content) {
  const context = turn.signal.aborted ? turn.closing : turn.context;
  const fire = context.plan.on.post_tool_call;
  if (fire === undefined) return undefined;
  const payload: Payload<"post_tool_call"> = {
    ...callFacts(turn, judged, done),
    result: done.outcome.content,
    transformedResult: content,
    middlewareTrace: [...judged.trace],
    ...(judged.tool.mcpServer === undefined ? {} : { mcpServer: judged.tool.mcpServer }),
  };
  const answer = await settled(fire(payload, context), context.signal);
  deliver(turn, answer);
  return answer;
}

async function conclude(turn: RunningTurn, judged: JudgedCall, done: Run, batch: BatchState): Promise<void> {
  const { call, tool } = judged;
  const { history } = turn.memory;
  const kept = await limited(turn, { tool, callId: call.id }, done.outcome.content, batch);
  const after = await transformed(turn, judged, done, kept);
  const content = watched(turn, judged, done, after.content);
  const [stored] = await history.append(turn.turnId, [toolMessage(judged, done.outcome, content)]);
  batch.results.set(call.id, content);
  turn.surface.emit({
    type: "tool-end",
    callId: call.id,
    name: tool.name,
    status: done.outcome.status,
    result: textOf(content),
    durationMs: done.durationMs,
  });
  const answer = await observed(turn, judged, done, content);
  if (answer?.result !== undefined && answer.result !== content && stored !== undefined) {
    await history.replace([stored.seq], [toolMessage(judged, done.outcome, answer.result)]);
    batch.results.set(call.id, answer.result);
  }
  const feedback = answer?.verdict?.decision === "deny" ? [answer.verdict.reason ?? "a hook objects to this call"] : [];
  await remind(turn, [...judged.reminders, ...feedback, ...(answer?.reminder ?? [])]);
  // Only now: whoever keeps a record of calls hears of this one, too.
  if (after.failure !== undefined) throw after.failure;
}

/** Records a call that does not run: its result says why, `post_tool_call` is told, nothing else happens. */
export async function refuseCall(turn: RunningTurn, judged: JudgedCall, batch: BatchState): Promise<void> {
  const blocked = judged.blocked ?? { text: "refused", type: "plugin_block" };
  const span = turn.recorder.start("tool", judged.tool.name, {
    parent: turn.span,
    attributes: { callId: judged.call.id },
  });
  span.set({ reason: blocked.text.slice(0, 200) });
  const outcome = failedOutcome("blocked", blocked.type, blocked.text);
  try {
    await conclude(turn, judged, { outcome, args: judged.args, durationMs: 0 }, batch);
  } finally {
    span.end("blocked");
  }
}

/** Runs a judged call: journal, `tool_execution`, limits, `transform_tool_result`, store, `post_tool_call`. */
export async function runCall(turn: RunningTurn, judged: JudgedCall, batch: BatchState): Promise<void> {
  const { call, tool, args } = judged;
  turn.surface.emit({ type: "tool-start", callId: call.id, name: tool.name, args });
  const span = turn.recorder.start("tool", tool.name, { parent: turn.span, attributes: { callId: call.id } });
  const done = await run(turn, judged, batch);
  span.end(done.outcome.status);
  await conclude(turn, judged, done, batch);
}
