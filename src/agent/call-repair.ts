import type { ToolCall } from "#kernel";
import type { FinishReason } from "#models";
import { repairArguments } from "./arguments.ts";
import type { RunningTurn } from "./running-turn.ts";
import { fromClaude, repairName, unknownToolText } from "./tool-name.ts";

/** A call as it is stored and run, or stored and answered with `problem`. */
export interface ResolvedCall {
  readonly call: ToolCall;
  readonly problem: { readonly kind: "unknown_tool" | "malformed"; readonly text: string } | undefined;
}

/** Arguments that came whole, under our own names; calls in the claude dialect are translated. */
function whole(turn: RunningTurn, given: ToolCall, name: string, args: ToolCall["args"]): ResolvedCall {
  const translated = fromClaude(given.name, args, turn.shelf.names);
  return { call: { id: given.id, name, args, ...translated }, problem: undefined };
}

async function resolved(turn: RunningTurn, call: ToolCall, cutOff: boolean): Promise<ResolvedCall> {
  const name = repairName(call.name, turn.shelf.names);
  if (name === undefined) {
    const text = unknownToolText(call.name, [...turn.shelf.names]);
    return { call: { id: call.id, name: call.name, args: call.args }, problem: { kind: "unknown_tool", text } };
  }
  if (call.malformed === undefined) return whole(turn, call, name, call.args);
  const repaired = await repairArguments({ ...call, name }, cutOff);
  if ("args" in repaired) return whole(turn, call, name, repaired.args);
  return {
    call: { id: call.id, name, args: {}, malformed: call.malformed },
    problem: { kind: "malformed", text: repaired.problem },
  };
}

/** A call that was repaired and stored by an earlier turn: its tool may be gone. */
export function storedCall(turn: RunningTurn, call: ToolCall): ResolvedCall {
  if (turn.shelf.names.has(call.name)) return { call, problem: undefined };
  return { call, problem: { kind: "unknown_tool", text: unknownToolText(call.name, [...turn.shelf.names]) } };
}

function withId(turn: RunningTurn, call: ToolCall, used: Set<string>, earlier: ReadonlySet<string>): ToolCall {
  const id = call.id === "" || used.has(call.id) || earlier.has(call.id) ? `call_${turn.ports.id("other")}` : call.id;
  used.add(id);
  return id === call.id ? call : { ...call, id };
}

/**
 * The calls of one answer, ready to be stored: every id set once in the session, names and arguments repaired, exact
 * duplicates and delegations over the cap left out.
 */
export async function resolveCalls(
  turn: RunningTurn,
  calls: readonly ToolCall[],
  finishReason: FinishReason,
): Promise<readonly ResolvedCall[]> {
  const used = new Set<string>();
  const { callIds } = turn.memory.history;
  const seen = new Set<string>();
  const all: ResolvedCall[] = [];
  let delegations = 0;
  for (const [index, given] of calls.entries()) {
    const cutOff = finishReason === "length" && index === calls.length - 1;
    const one = await resolved(turn, given, cutOff);
    const key = `${one.call.name} ${one.call.malformed ?? JSON.stringify(one.call.args)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (one.call.name === "delegate_task" && delegations >= turn.settings.delegation.maxConcurrentChildren) {
      turn.surface.emit({
        type: "notice",
        level: "warning",
        text: "Too many delegations at once: the rest was left out.",
      });
      continue;
    }
    if (one.call.name === "delegate_task") delegations += 1;
    all.push({ ...one, call: withId(turn, one.call, used, callIds) });
  }
  return all;
}
