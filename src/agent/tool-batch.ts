import type { ToolCall } from "#kernel";
import { coerceArguments } from "./arguments.ts";
import type { ResolvedCall } from "./call-repair.ts";
import { type Lane, parallelGroups, pooled } from "./concurrency.ts";
import { throwIfInterrupted } from "./interrupt.ts";
import { toolFailure } from "./pairing.ts";
import { deliver, idsOf, type RunningTurn, remind, settled } from "./running-turn.ts";
import type { Tool } from "./tool.ts";
import { type BatchState, refuseCall, runCall } from "./tool-call.ts";
import { type JudgedCall, judgeCall, laneOf } from "./tool-judgement.ts";
import { batchBudget } from "./tool-result.ts";

/** Tool calls that run at the same time. */
const maxParallel = 8;
/** What is told of a call that ran and whose result is lost. */
const lostResult =
  "The outcome of this call is unknown: it was started, and its result could not be kept. It may have done all, part or none of its work. Check before repeating it.";
/** Feedback of `post_tool_batch` in a row that the loop passes on. */
const maxFeedback = 8;

interface Planned extends Lane {
  readonly call: ToolCall;
  readonly tool: Tool;
}

interface Batch extends BatchState {
  readonly turn: RunningTurn;
  readonly judged: JudgedCall[];
  /** The answer holds one call, and whoever began the turn will take it up again. */
  readonly mayDefer: boolean;
  /** The first failure of the chain; results of other calls are still written before it ends the turn. */
  failure: { readonly error: unknown } | undefined;
}

function over(batch: Batch): boolean {
  return (
    batch.turn.signal.aborted ||
    batch.turn.halt !== undefined ||
    batch.turn.deferred !== undefined ||
    batch.failure !== undefined
  );
}

async function guarded(batch: Batch, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    batch.failure ??= { error };
  }
}

async function judgeGroup(batch: Batch, group: readonly Planned[]): Promise<readonly JudgedCall[]> {
  const ready: JudgedCall[] = [];
  for (const { call, tool } of group) {
    if (over(batch)) break;
    await guarded(batch, async () => {
      const judged = await judgeCall(batch.turn, call, tool, batch.mayDefer);
      if (judged.deferred !== undefined) {
        const { reason } = judged.deferred;
        const words = reason === undefined ? {} : { reason };
        batch.turn.deferred = { id: call.id, name: tool.name, input: judged.args, ...words };
        return;
      }
      batch.judged.push(judged);
      if (judged.blocked === undefined) ready.push(judged);
      else await refuseCall(batch.turn, judged, batch);
    });
  }
  return ready;
}

async function runGroup(batch: Batch, group: readonly Planned[]): Promise<void> {
  const ready = await judgeGroup(batch, group);
  // Judged arguments may touch other paths than the model's: what may run together is decided anew.
  for (const wave of parallelGroups(ready)) {
    if (over(batch)) return;
    await pooled(wave, maxParallel, async (judged) => {
      if (!over(batch)) await guarded(batch, () => runCall(batch.turn, judged, batch));
    });
  }
}

/** Results for calls that have none: no hook hears of them. */
async function skipRest(batch: Batch, calls: readonly ToolCall[]): Promise<void> {
  const { turn } = batch;
  const rest = calls.filter((call) => !batch.results.has(call.id));
  if (rest.length === 0) return;
  const why = turn.signal.aborted ? "the person interrupted the turn" : "the turn ended before";
  const messages = rest.map((call) =>
    toolFailure(call, batch.started.has(call.id) ? lostResult : `Skipped: ${why}. This call was not run.`),
  );
  await turn.memory.history.append(turn.turnId, messages);
  for (const { toolCallId, content } of messages) batch.results.set(toolCallId, content);
  for (const call of rest) {
    turn.surface.emit({
      type: "tool-end",
      callId: call.id,
      name: call.name,
      status: "cancelled",
      result: "skipped",
      durationMs: 0,
    });
  }
}

async function announce(batch: Batch): Promise<void> {
  const { turn, judged, results } = batch;
  const fire = turn.context.plan.on.post_tool_batch;
  if (fire === undefined || judged.length === 0) return;
  const toolCalls = judged.map(({ call, tool, args }) => ({
    toolName: tool.name,
    args,
    toolCallId: call.id,
    result: results.get(call.id) ?? "",
  }));
  const payload = { ...idsOf(turn), toolCalls, toolNames: judged.map(({ tool }) => tool.name) };
  const answer = await settled(fire(payload, turn.context), turn.signal);
  deliver(turn, answer);
  const denied = answer?.verdict?.decision === "deny";
  turn.batchFeedbacks = denied ? turn.batchFeedbacks + 1 : 0;
  const feedback = denied && turn.batchFeedbacks <= maxFeedback ? [answer.verdict?.reason ?? "a hook objects"] : [];
  await remind(turn, [...feedback, ...(answer?.reminder ?? [])]);
}

function planned(turn: RunningTurn, call: ToolCall): readonly Planned[] {
  const tool = turn.shelf.tools.get(call.name);
  if (tool === undefined) return [];
  return [{ call, tool, ...laneOf(turn, tool, coerceArguments(call.args, tool.parameters)) }];
}

/**
 * Runs the calls of one stored answer. Neighbours that may run beside each other are judged one after another and
 * then run together; everything else runs alone, in call order. When it returns or throws, every call has a result, but for
 * one that is put off.
 */
export async function runBatch(turn: RunningTurn, resolved: readonly ResolvedCall[]): Promise<void> {
  const batch: Batch = {
    turn,
    judged: [],
    mayDefer: resolved.length === 1 && turn.surface.defers === true && turn.context.depth === 0,
    failure: undefined,
    remaining: batchBudget,
    started: new Set(),
    results: new Map(),
  };
  const calls = resolved.map(({ call }) => call);
  const problems = resolved.flatMap(({ call, problem }) =>
    problem === undefined ? [] : [toolFailure(call, problem.text)],
  );
  await turn.memory.history.append(turn.turnId, problems);
  for (const { toolCallId, content } of problems) batch.results.set(toolCallId, content);
  const sound = resolved.filter(({ problem }) => problem === undefined).flatMap(({ call }) => planned(turn, call));
  for (const group of parallelGroups(sound)) {
    if (over(batch)) break;
    await runGroup(batch, group);
  }
  if (turn.deferred !== undefined && !turn.signal.aborted) return;
  turn.deferred = undefined;
  await skipRest(batch, calls);
  if (batch.failure !== undefined && !turn.signal.aborted) throw batch.failure.error;
  throwIfInterrupted(turn.signal);
  await announce(batch);
}
