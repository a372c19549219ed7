import type { HookContext } from "#hooks";
import type { House } from "../house.ts";
import { modelRoute } from "../model-route.ts";

/** The surroundings of events that are only tried: a session of its own, whose notices are kept. */
export function deskContext(
  house: House,
  cwd: string,
  sessionId = "test-session",
): HookContext & { readonly notices: string[] } {
  const slots = new Map<string, unknown>();
  const notices: string[] = [];
  return {
    sessionId,
    turnId: "test-turn",
    taskId: "test-task",
    depth: 0,
    platform: "cli",
    cwd,
    signal: new AbortController().signal,
    notices,
    surface: { emit: (event) => void (event.type === "notice" && notices.push(event.text)) },
    state<T>(slot: string, create: () => T): T {
      if (!slots.has(slot)) slots.set(slot, create());
      return slots.get(slot) as T;
    },
    async askModel(system, question, signal) {
      const route = await modelRoute(house);
      const request = { system, messages: [{ role: "user", content: question } as const], tools: [] };
      const result = await route.generate(
        request,
        { signal },
        (attempt, sent, call) => attempt.model.generate(sent, call),
        {
          failed: () => undefined,
        },
      );
      return result.message.content;
    },
  };
}
