import type { Message, ToolCall, ToolMessage } from "#kernel";
import type { StoredMessage } from "#sessions";

function callsOf(message: Message): readonly ToolCall[] {
  return message.role === "assistant" ? (message.toolCalls ?? []) : [];
}

/**
 * Messages in the order providers demand: the results of a batch follow its calls, in call order, whatever the
 * order they were stored in; a result whose call is gone is left out. Calls without a result are reported by `unanswered`.
 */
export function paired(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  if (inOrder(messages)) return messages;
  const results = new Map<string, StoredMessage>();
  for (const stored of messages) {
    if (stored.message.role === "tool" && !results.has(stored.message.toolCallId))
      results.set(stored.message.toolCallId, stored);
  }
  const ordered: StoredMessage[] = [];
  for (const stored of messages) {
    if (stored.message.role === "tool") continue;
    ordered.push(stored);
    for (const call of callsOf(stored.message)) {
      const result = results.get(call.id);
      if (result !== undefined && result.seq > stored.seq) {
        ordered.push(result);
        results.delete(call.id);
      }
    }
  }
  return ordered;
}

function inOrder(messages: readonly StoredMessage[]): boolean {
  let open: readonly ToolCall[] = [];
  let next = 0;
  for (const { message } of messages) {
    if (message.role === "tool") {
      if (open[next]?.id !== message.toolCallId) return false;
      next += 1;
    } else {
      if (next < open.length) return false;
      open = callsOf(message);
      next = 0;
    }
  }
  return next >= open.length;
}

/** Calls that no stored message answers, in order. */
export function unanswered(messages: readonly StoredMessage[]): readonly ToolCall[] {
  const answered = new Set<string>();
  const calls: ToolCall[] = [];
  for (const { message } of messages) {
    if (message.role === "tool") answered.add(message.toolCallId);
    else if (message.role === "assistant" && message.toolCalls !== undefined) calls.push(...message.toolCalls);
  }
  return calls.filter((call) => !answered.has(call.id));
}

/** Runs of messages that must stay together: a user message alone, an assistant message with all its results. */
export function groups(messages: readonly StoredMessage[]): readonly (readonly StoredMessage[])[] {
  const all: StoredMessage[][] = [];
  for (const stored of messages) {
    const last = all.at(-1);
    if (stored.message.role === "tool" && last !== undefined) last.push(stored);
    else all.push([stored]);
  }
  return all;
}

export const unknownOutcome =
  "The outcome of this call is unknown: the program ended while it ran. It may have done all, part or none of its work. Check before repeating it.";

/** The result of a call that has none of its own. */
export function toolFailure(call: ToolCall, text: string): ToolMessage {
  return {
    role: "tool",
    toolCallId: call.id,
    toolName: call.name,
    content: JSON.stringify({ error: text }),
    isError: true,
  };
}
