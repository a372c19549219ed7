import type { Agent, Surface } from "#agent";
import type { Log } from "#host";

/** The loop with what a person looks for in the log: turns with their outcome, attempts that failed, models that were asked again. */
export function toldAgent(agent: Agent, log: Log, now: () => number): Agent {
  return {
    open: (options) => agent.open(options),
    async runTurn(session, input, surface) {
      const started = now();
      const { provider, id } = session.route.current;
      log.info(`turn of session ${session.id} begins: ${provider}/${id} in ${session.cwd}`);
      const result = await agent.runTurn(session, input, loud(surface, session.id, log));
      const { outcome, exitReason, iterations, usage } = result;
      const spent = `${iterations} model ${iterations === 1 ? "call" : "calls"}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${((now() - started) / 1000).toFixed(1)} s`;
      const why = outcome === "failed" || outcome === "refused" ? `: ${result.text}` : "";
      log.info(`turn of session ${session.id} ends: ${outcome} (${exitReason}), ${spent}${why}`);
      return result;
    },
  };
}

function loud(surface: Surface, sessionId: string, log: Log): Surface {
  return {
    ...surface,
    emit(event) {
      if (event.type === "retry")
        log.warning(`session ${sessionId}: ${event.reason}; attempt ${event.attempt + 1} in ${event.inMs} ms`);
      if (event.type === "compaction")
        log.info(`session ${sessionId}: ${event.before} messages were summarised, ${event.after} remain`);
      surface.emit(event);
    },
  };
}
