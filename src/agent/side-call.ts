import type { Message, Usage } from "#kernel";
import type { ModelRequest, ModelResult, ModelRoute } from "#models";
import { raced } from "./interrupt.ts";

/** A model call beside the conversation: no hooks, no transcript, nothing streamed. Rejects as the route does. */
export async function sideCall(route: ModelRoute, request: ModelRequest, signal: AbortSignal): Promise<ModelResult> {
  const work = route.generate(request, { signal }, (attempt, sent, call) => attempt.model.generate(sent, call), {
    failed: () => undefined,
  });
  return raced(work, signal);
}

/** One question and its answer as text. */
export async function sideQuestion(
  route: ModelRoute,
  question: { readonly system: string; readonly text: string },
  signal: AbortSignal,
  spent: (usage: Usage) => void,
): Promise<string> {
  const messages: readonly Message[] = [{ role: "user", content: question.text }];
  const result = await sideCall(route, { system: question.system, messages, tools: [] }, signal);
  spent(result.usage);
  return result.message.content;
}
