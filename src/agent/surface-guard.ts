import { errorText } from "./error.ts";
import type { AgentPorts } from "./settings.ts";
import type { ApprovalChoice, ApprovalRequest, Surface } from "./surface.ts";

export const silent: Surface = { emit: () => undefined };

/** The surface as the loop uses it: a failure to show something is logged, never thrown; approvals are asked one after another. */
export function guardedSurface(surface: Surface, log: AgentPorts["log"]): Surface {
  let reported = false;
  let queue: Promise<unknown> = Promise.resolve();
  const { approve, question, defers } = surface;
  const inTurn = (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalChoice> => {
    const ask = async () => {
      if (signal.aborted) throw signal.reason;
      return approve === undefined ? ("timeout" as const) : approve(request, signal);
    };
    const answer = queue.then(ask, ask);
    queue = answer.catch(() => undefined);
    return answer;
  };
  return {
    emit(event) {
      try {
        surface.emit(event);
      } catch (error) {
        if (!reported) log("warning", `the surface failed to show "${event.type}": ${errorText(error)}`);
        reported = true;
      }
    },
    ...(defers === undefined ? {} : { defers }),
    ...(approve === undefined ? {} : { approve: inTurn }),
    ...(question === undefined ? {} : { question }),
  };
}
