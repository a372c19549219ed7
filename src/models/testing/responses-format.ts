import { type FullAnswer, pieces } from "./script.ts";
import { event, type WireFormat } from "./wire-format.ts";

/** OpenAI's Responses. */
export const responsesFormat: WireFormat = {
  name: "responses",
  path: /\/responses$/,
  events(answer, model) {
    let sequence = 0;
    const send = (type: string, fields: object) => event({ type, sequence_number: sequence++, ...fields }, type);
    const response = { id: `resp_${answer.number}`, object: "response", created_at: 1, model, output: [] };
    const items = [reasoningItem(answer), messageItem(answer), ...answer.calls.map(callItem)].filter(
      (item) => item !== undefined,
    );
    return [
      send("response.created", { response: { ...response, status: "in_progress" } }),
      ...items.flatMap((item, index) =>
        item.map(({ type, ...fields }) => send(type, { output_index: index, ...fields })),
      ),
      finished(answer, response, send),
    ];
  },
  error: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_error" : "server_error", param: null, code: null },
  }),
};

type Item = readonly ({ readonly type: string } & Record<string, unknown>)[];

function reasoningItem({ reasoning, signature, number }: FullAnswer): Item | undefined {
  if (!reasoning && !signature) return undefined;
  const id = `rs_${number}`;
  const item = { type: "reasoning", id, encrypted_content: signature || null, summary: [] };
  return [
    { type: "response.output_item.added", item },
    {
      type: "response.reasoning_summary_part.added",
      item_id: id,
      summary_index: 0,
      part: { type: "summary_text", text: "" },
    },
    ...pieces(reasoning).map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      item_id: id,
      summary_index: 0,
      delta,
    })),
    {
      type: "response.reasoning_summary_part.done",
      item_id: id,
      summary_index: 0,
      part: { type: "summary_text", text: reasoning },
    },
    { type: "response.output_item.done", item: { ...item, summary: [{ type: "summary_text", text: reasoning }] } },
  ];
}

function messageItem({ text, number }: FullAnswer): Item | undefined {
  if (!text) return undefined;
  const id = `msg_${number}`;
  const item = { type: "message", id, role: "assistant", status: "in_progress", content: [] };
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    { type: "response.output_item.added", item },
    ...pieces(text).map((delta) => ({ type: "response.output_text.delta", item_id: id, content_index: 0, delta })),
    { type: "response.output_item.done", item: { ...item, status: "completed", content } },
  ];
}

function callItem(call: FullAnswer["calls"][number]): Item {
  const id = `fc_${call.id}`;
  const item = { type: "function_call", id, call_id: call.id, name: call.name, arguments: "", status: "in_progress" };
  return [
    { type: "response.output_item.added", item },
    { type: "response.function_call_arguments.delta", item_id: id, delta: call.text },
    { type: "response.function_call_arguments.done", item_id: id, arguments: call.text },
    { type: "response.output_item.done", item: { ...item, arguments: call.text, status: "completed" } },
  ];
}

function finished(answer: FullAnswer, response: object, send: (type: string, fields: object) => string): string {
  const { input, output, cacheRead, reasoning } = answer.usage;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
  const cut = { length: "max_output_tokens", "content-filter": "content_filter" }[answer.finishReason as string];
  return cut
    ? send("response.incomplete", {
        response: { ...response, status: "incomplete", incomplete_details: { reason: cut }, usage },
      })
    : send("response.completed", { response: { ...response, status: "completed", incomplete_details: null, usage } });
}
