import type { Dispatch, DispatchOptions, TurnContext } from "./context.ts";
import { errorText } from "./error.ts";
import type { RunningTurn } from "./running-turn.ts";
import { textOf } from "./tokens.ts";
import { executedCall, observed, transformed } from "./tool-call.ts";
import { judgeCall } from "./tool-judgement.ts";
import { batchBudget, failedOutcome, limited } from "./tool-result.ts";
import { toolShelf } from "./tool-shelf.ts";

/** Calls inside calls inside calls: a tool that dispatches itself comes to an end. */
const maxDepth = 8;

const failure = (text: string): string => JSON.stringify({ error: text });

/** A turn as the dispatched call sees it: same session, its own signal, guardrail and end. */
function inner(outer: RunningTurn, depth: number, { origin, behalf, signal: more }: DispatchOptions): RunningTurn {
  const signal = more === undefined ? outer.signal : AbortSignal.any([outer.signal, more]);
  const given = (value: unknown) => ({ value, enumerable: true });
  const about = (context: TurnContext, itsSignal: AbortSignal): TurnContext =>
    Object.create(context, {
      signal: given(itsSignal),
      origin: given(origin),
      dispatchDepth: given(depth),
      dispatch: given(dispatching(() => turn)),
      ...(behalf === undefined ? {} : { onBehalf: given(behalf) }),
    }) as TurnContext;
  const turn: RunningTurn = Object.create(outer, {
    signal: given(signal),
    context: given(about(outer.context, signal)),
    closing: given(about(outer.closing, outer.closing.signal)),
    guardrail: given({ check: () => undefined, observe: () => undefined }),
    halt: { value: undefined, writable: true, enumerable: true },
  }) as RunningTurn;
  return turn;
}

/** Calls that are made over the turn which `turn` gives. */
export function dispatching(turn: () => RunningTurn): Dispatch {
  return (name, args, options) => dispatched(turn(), name, args, options);
}

async function dispatched(
  outer: RunningTurn,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: DispatchOptions,
): Promise<string> {
  const depth = (outer.context.dispatchDepth ?? 0) + 1;
  if (depth > maxDepth) return failure(`${name} was not run: calls that cause calls are ${maxDepth} deep already`);
  const turn = inner(outer, depth, options);
  const { tools, names } = toolShelf(turn.context, turn.memory.allows);
  const tool = tools.get(name);
  if (tool === undefined) return failure(`Unknown tool: ${name}. Known tools: ${[...names].join(", ")}`);
  const call = { id: `${options.origin}:${turn.ports.id("other").slice(0, 8)}`, name, args };
  try {
    const judged = await judgeCall(turn, call, tool);
    if (judged.blocked !== undefined) {
      const outcome = failedOutcome("blocked", judged.blocked.type, judged.blocked.text);
      await observed(turn, judged, { outcome, args: judged.args, durationMs: 0 }, outcome.content);
      return textOf(outcome.content);
    }
    return await ran(turn, judged, options.origin);
  } catch (error) {
    if (turn.signal.aborted) throw error;
    turn.ports.log("warning", `${name}, wanted by ${options.origin}, failed: ${errorText(error)}`);
    return failure(errorText(error));
  } finally {
    if (turn.halt !== undefined) outer.halt ??= turn.halt;
  }
}

async function ran(turn: RunningTurn, judged: Awaited<ReturnType<typeof judgeCall>>, origin: string): Promise<string> {
  const { call, tool, args } = judged;
  turn.surface.emit({ type: "tool-start", callId: call.id, name: tool.name, args });
  const span = turn.recorder.start("tool", tool.name, { parent: turn.span, attributes: { callId: call.id, origin } });
  const done = await executedCall(turn, judged);
  span.end(done.outcome.status);
  const kept = await limited(turn, { tool, callId: call.id }, done.outcome.content, { remaining: batchBudget });
  const { content, failure: broken } = await transformed(turn, judged, done, kept);
  const result = textOf(content);
  turn.surface.emit({
    type: "tool-end",
    callId: call.id,
    name: tool.name,
    status: done.outcome.status,
    result,
    durationMs: done.durationMs,
  });
  const answer = await observed(turn, judged, done, content);
  if (broken !== undefined) throw broken;
  return answer?.result === undefined ? result : textOf(answer.result);
}
