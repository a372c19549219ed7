import { type FullAnswer, pieces } from "./script.ts";
import { event, type WireFormat } from "./wire-format.ts";

const reasons = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
} as const;
const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic's Messages. */
export const anthropicFormat: WireFormat = {
  name: "anthropic",
  path: /\/messages$/,
  events(answer, model) {
    const send = (data: { readonly type: string } & Record<string, unknown>) => event(data, data.type);
    const { input, output, cacheRead, cacheWrite } = answer.usage;
    const usage = {
      input_tokens: input - cacheRead - cacheWrite,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
    };
    const message = {
      id: `msg_${answer.number}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    return [
      send({ type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } }),
      send({ type: "ping" }),
      ...blocks(answer).flatMap(({ start, deltas }, index) => [
        send({ type: "content_block_start", index, content_block: start }),
        ...deltas.map((delta) => send({ type: "content_block_delta", index, delta })),
        send({ type: "content_block_stop", index }),
      ]),
      send({
        type: "message_delta",
        delta: { stop_reason: reasons[answer.finishReason], stop_sequence: null },
        usage: { output_tokens: output },
      }),
      send({ type: "message_stop" }),
    ];
  },
  error: (status, message) => ({ type: "error", error: { type: errorTypes[status] ?? "api_error", message } }),
};

interface Block {
  readonly start: object;
  readonly deltas: readonly object[];
}

function blocks({ reasoning, signature, text, calls }: FullAnswer): readonly Block[] {
  const result: Block[] = [];
  if (reasoning) {
    result.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...pieces(reasoning).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: signature || "c2lnbmVk" },
      ],
    });
  }
  if (text) {
    const deltas = pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
    result.push({ start: { type: "text", text: "" }, deltas });
  }
  for (const call of calls) {
    const half = Math.ceil(call.text.length / 2);
    const parts = [call.text.slice(0, half), call.text.slice(half)];
    result.push({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      deltas: parts.map((part) => ({ type: "input_json_delta", partial_json: part })),
    });
  }
  return result;
}
