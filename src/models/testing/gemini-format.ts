import { type FullAnswer, pieces } from "./script.ts";
import { event, type WireFormat } from "./wire-format.ts";

const reasons = { stop: "STOP", "tool-calls": "STOP", length: "MAX_TOKENS", "content-filter": "SAFETY" } as const;
const statuses: Readonly<Record<number, string>> = { 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE" };

/** Google's Gemini. It sends calls as objects, never as text: a call whose text is no JSON goes with empty arguments. */
export const geminiFormat: WireFormat = {
  name: "gemini",
  path: /:streamGenerateContent$/,
  events(answer, model) {
    const chunk = (parts: readonly object[], more: object = {}) =>
      event({
        candidates: [{ index: 0, content: { role: "model", parts }, ...more }],
        modelVersion: model,
        responseId: `r${answer.number}`,
        usageMetadata: usage(answer),
      });
    return [
      ...pieces(answer.reasoning).map((text) => chunk([{ text, thought: true }])),
      ...pieces(answer.text).map((text) => chunk([{ text }])),
      ...answer.calls.map((call, index) =>
        chunk([
          {
            functionCall: { name: call.name, args: argsOf(call.text) },
            ...(answer.signature && index === 0 && { thoughtSignature: answer.signature }),
          },
        ]),
      ),
      chunk([{ text: "" }], { finishReason: reasons[answer.finishReason] }),
    ];
  },
  error: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? "UNKNOWN" } }),
};

function argsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function usage({ usage: { input, output, cacheRead, reasoning } }: FullAnswer): object {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    cachedContentTokenCount: cacheRead,
    totalTokenCount: input + output,
  };
}
