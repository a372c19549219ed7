import { chatMessage, messageOf, type Session } from "#agent";
import { sessionId as newSessionId } from "#host";
import type { PythonServices } from "#plugins";
import type { House } from "../house.ts";
import type { Runtime } from "../runtime.ts";
import { inhabitantOf } from "./program-of-house.ts";

type Program = Pick<Runtime, "open" | "route" | "agent" | "store">;
type Values = Readonly<Record<string, unknown>>;

interface Held {
  readonly session: Session;
  readonly stop: AbortController;
  /** The conversation as the caller knows it. */
  told: readonly Values[];
}

/** What `run_agent.AIAgent` and `gateway.run` ask: turns of a session of their own, with its tools, hooks and permissions. */
export function agentServices(house: House, cwd: string, make?: () => Promise<Program>): PythonServices {
  const sessions = new Map<string, Held>();
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
      const session = continues(known, values) ? known.session : await open(running, values, cwd);
      const stop = new AbortController();
      const held: Held = { session, stop, told: [] };
      sessions.set(session.id, held);
      const result = await turn(running, session, { values, signal: stop.signal });
      held.told = result["messages"] as readonly Values[];
      return result;
    },
    async "sessions.append"({ session, message }) {
      const { store } = await program();
      await store.append(String(session), "appended", [messageOf(message)]);
    },
    async "sessions.messages"({ session }) {
      const { store } = await program();
      return (await store.messages(String(session))).map(({ message }) => chatMessage(message));
    },
    "agent.interrupt": ({ sessionId }) => sessions.get(String(sessionId))?.stop.abort(),
  };
}

/** A conversation that is handed over anew goes on in its session where it is what was said there last. */
function continues(known: Held | undefined, { history }: Values): known is Held {
  if (known === undefined) return false;
  return !Array.isArray(history) || JSON.stringify(spoken(history)) === JSON.stringify(spoken(known.told));
}

const spoken = (history: readonly Values[]): readonly unknown[] => history.map(({ role, content }) => [role, content]);

async function open(running: Program, { model, provider, platform, history }: Values, cwd: string): Promise<Session> {
  const { current } = await running.route();
  const isUsual =
    model === null ||
    model === undefined ||
    (model === current.id && (provider ?? current.provider) === current.provider);
  const source = typeof platform === "string" && platform !== "" ? platform : "python";
  const named = isUsual ? {} : { model: typeof provider === "string" ? `${provider}/${model}` : String(model) };
  if (!Array.isArray(history) || history.length === 0) return running.open({ cwd, source, ...named });
  const route = isUsual ? current : (await running.route(named.model)).current;
  const resume = await seeded(running, history, { source, cwd, model: route.id, provider: route.provider });
  return running.open({ cwd, source, ...named, resume });
}

/** A stored session in which a conversation was already held. What an agent's system prompt was is not part of it. */
async function seeded(
  { store }: Program,
  history: readonly unknown[],
  session: { readonly source: string; readonly cwd: string; readonly model: string; readonly provider: string },
) {
  const messages = history.filter((one) => (one as Values | null)?.["role"] !== "system").map(messageOf);
  const record = await store.create({ id: newSessionId(), ...session });
  await store.append(record.id, "handed-over", messages);
  return (await store.find(record.id)) ?? record;
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
    messages: (await running.store.messages(session.id)).map(({ message }) => chatMessage(message)),
    completed: result.outcome === "completed",
    interrupted: result.outcome === "interrupted",
    failed: !isDone,
    ...(isDone ? {} : { error: result.text }),
    api_calls: result.iterations,
    session_id: session.id,
  };
}
