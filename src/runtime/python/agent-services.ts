import type { Session } from "#agent";
import type { PythonServices } from "#plugins";
import type { House } from "../house.ts";
import type { Runtime } from "../runtime.ts";
import { inhabitantOf } from "./program-of-house.ts";

type Program = Pick<Runtime, "open" | "route" | "agent">;
type Values = Readonly<Record<string, unknown>>;

/** What `run_agent.AIAgent` and `gateway.run` ask: turns of a session of their own, with its tools, hooks and permissions. */
export function agentServices(house: House, cwd: string, make?: () => Promise<Program>): PythonServices {
  const sessions = new Map<string, { readonly session: Session; readonly stop: AbortController }>();
  const program = async (): Promise<Program> => {
    const running = inhabitantOf(house) ?? (await make?.());
    if (running === undefined) throw new Error("no agent can be run here");
    return running;
  };
  return {
    async "model.route"() {
      const { current } = await (await program()).route();
      return { model: current.id, provider: current.provider, baseUrl: null, apiMode: null };
    },
    async "agent.run"(values) {
      const running = await program();
      const known = sessions.get(String(values["sessionId"] ?? ""));
      const session = known?.session ?? (await open(running, values, cwd));
      const stop = new AbortController();
      sessions.set(session.id, { session, stop });
      return turn(running, session, { values, signal: stop.signal });
    },
    "agent.interrupt": ({ sessionId }) => sessions.get(String(sessionId))?.stop.abort(),
  };
}

async function open(running: Program, { model, provider, platform }: Values, cwd: string): Promise<Session> {
  const { current } = await running.route();
  const isUsual =
    model === null ||
    model === undefined ||
    (model === current.id && (provider ?? current.provider) === current.provider);
  const source = typeof platform === "string" && platform !== "" ? platform : "python";
  if (isUsual) return running.open({ cwd, source });
  return running.open({ cwd, source, model: typeof provider === "string" ? `${provider}/${model}` : String(model) });
}

async function turn(
  running: Program,
  session: Session,
  { values, signal }: { readonly values: Values; readonly signal: AbortSignal },
): Promise<Values> {
  const { prompt, system, maxIterations } = values;
  const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
  const content = typeof system === "string" && system !== "" ? `${system}\n\n${text}` : text;
  const limit = typeof maxIterations === "number" && maxIterations > 0 ? { maxIterations } : {};
  const result = await running.agent.runTurn(session, { content, signal, ...limit }, { emit: () => undefined });
  const isDone = result.outcome === "completed" || result.outcome === "limit";
  return {
    final_response: isDone ? result.text : null,
    messages: [
      { role: "user", content: text },
      { role: "assistant", content: result.text },
    ],
    completed: result.outcome === "completed",
    interrupted: result.outcome === "interrupted",
    failed: !isDone,
    ...(isDone ? {} : { error: result.text }),
    api_calls: result.iterations,
    session_id: session.id,
  };
}
