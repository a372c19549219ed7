import { plainResponse } from "#host";

/** The same `fetch`, for servers that do not stream: their whole chat completion is handed on as a stream of one piece. */
export function withWholeAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || !response.headers.get("content-type")?.includes("json")) return response;
    const text = await response.text();
    const events = eventsOf(text);
    const headers = events === undefined ? response.headers : { "content-type": "text/event-stream" };
    return plainResponse(events ?? text, { status: response.status, headers });
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Nothing where the text is no chat completion. */
function eventsOf(text: string): string | undefined {
  const answer = parsed(text);
  const [choice] = Array.isArray(answer?.["choices"]) ? (answer["choices"] as readonly (Fields | null)[]) : [];
  const message = choice?.["message"] as Fields | null | undefined;
  if (!answer || !choice || !message) return undefined;
  const calls = Array.isArray(message["tool_calls"]) ? (message["tool_calls"] as readonly Fields[]) : undefined;
  const delta = { ...message, ...(calls && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) };
  const chunk = { ...answer, choices: [{ index: 0, delta, finish_reason: choice["finish_reason"] ?? "stop" }] };
  return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
