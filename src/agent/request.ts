import type { Message } from "#kernel";
import type { ModelRequest } from "#models";
import { chatMessage } from "./chat-form.ts";
import { paired } from "./pairing.ts";
import type { RunningTurn } from "./running-turn.ts";
import { appended } from "./tokens.ts";

/** The conversation as the model gets it: results behind their calls, this turn's context with the person's text. */
export function requestMessages(turn: RunningTurn): readonly Message[] {
  const ordered = paired(turn.memory.history.messages);
  return ordered.map(({ seq, message }) => {
    if (seq !== turn.anchorSeq || turn.addedContext === "" || message.role !== "user") return message;
    return { ...message, content: appended(message.content, turn.addedContext) };
  });
}

/** What every request of a turn says besides the conversation. */
export function requestSettings({ settings, memory }: RunningTurn): Partial<ModelRequest> {
  const { reasoningEffort } = memory;
  return { ...settings.request, ...(reasoningEffort === undefined ? {} : { reasoningEffort }) };
}

/** The request of the next model call. `nudge` is said once and never stored. */
export function buildRequest(turn: RunningTurn, nudge?: string): ModelRequest {
  const messages = requestMessages(turn);
  const extra: readonly Message[] = nudge === undefined ? [] : [{ role: "user", synthetic: true, content: nudge }];
  return {
    system: turn.system,
    messages: [...messages, ...extra],
    tools: turn.shelf.definitions,
    ...requestSettings(turn),
  };
}

/** The stored conversation in chat form: a copy, made when a handler reads it. */
export function conversationHistory(turn: RunningTurn): Record<string, unknown>[] {
  return paired(turn.memory.history.messages).map(({ message }) => chatMessage(message));
}
