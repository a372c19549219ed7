import type { ContentPart, Message, Usage } from "#kernel";
import type { ModelRequest, ModelResult, ModelRoute } from "#models";
import { errorText } from "./error.ts";
import { raced } from "./interrupt.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { AgentPorts, Helper } from "./settings.ts";

/** Who answers a side question: what the configuration names for the task, else the session's own model. */
export async function helperFor(
  memory: Pick<SessionMemory, "route">,
  ports: Pick<AgentPorts, "helper" | "log" | "after">,
  task: string | undefined,
): Promise<Helper & Pick<AgentPorts, "after">> {
  const { after } = ports;
  const own = { route: memory.route, after };
  if (task === undefined || ports.helper === undefined) return own;
  try {
    return { ...own, ...(await ports.helper(task, memory.route)) };
  } catch (error) {
    ports.log("warning", `auxiliary.${task} cannot be used, so the session's own model answers: ${errorText(error)}`);
    return own;
  }
}

/** A model call beside the conversation: no hooks, no transcript, nothing streamed. Rejects as the route does. */
export async function sideCall(route: ModelRoute, request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
  const work = route.generate(request, { signal }, (attempt, sent, call) => attempt.model.generate(sent, call), {
    failed: () => undefined,
  });
  return raced(work, signal);
}

/** One question and its answer as text. */
export async function sideQuestion(
  { route, limitMs, extraBody, after }: Helper & Pick<AgentPorts, "after">,
  question: { readonly system: string; readonly text: string | readonly ContentPart[] },
  signal: AbortSignal,
  spent: (usage: Usage) => void,
): Promise<string> {
  const messages: readonly Message[] = [{ role: "user", content: question.text }];
  const request = { system: question.system, messages, tools: [], ...(extraBody && { extraBody }) };
  const limit = new AbortController();
  const stop =
    limitMs === undefined
      ? undefined
      : after(limitMs, () => limit.abort(new Error(`${route.current.id} did not answer within ${limitMs / 1000} s`)));
  try {
    const result = await sideCall(route, request, AbortSignal.any([signal, limit.signal]));
    spent(result.usage);
    return result.message.content;
  } finally {
    stop?.();
  }
}
