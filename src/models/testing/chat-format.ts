import { type FullAnswer, pieces } from "./script.ts";
import { event, type WireFormat } from "./wire-format.ts";

const reasons = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
} as const;

/** OpenAI's chat completions. */
export const chatFormat: WireFormat = {
  name: "chat",
  path: /\/chat\/completions$/,
  events(answer, model) {
    const chunk = (delta: object, finish: string | null = null) =>
      event({
        id: `chatcmpl-${answer.number}`,
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    return [
      chunk({ role: "assistant", content: "" }),
      ...pieces(answer.reasoning).map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(answer.text).map((piece) => chunk({ content: piece })),
      ...answer.calls.flatMap((call, index) => toolCall(call, index).map((piece) => chunk({ tool_calls: [piece] }))),
      chunk({}, reasons[answer.finishReason]),
      event({
        id: `chatcmpl-${answer.number}`,
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [],
        usage: usage(answer),
      }),
      "data: [DONE]\n\n",
    ];
  },
  error: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_error" : "server_error", code: null },
  }),
};

function toolCall(call: FullAnswer["calls"][number], index: number): readonly object[] {
  const half = Math.ceil(call.text.length / 2);
  return [
    { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
    { index, function: { arguments: call.text.slice(0, half) } },
    { index, function: { arguments: call.text.slice(half) } },
  ];
}

function usage({ usage: { input, output, cacheRead, reasoning } }: FullAnswer): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
