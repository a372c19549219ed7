import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** An answer that came in one piece, as the stream that it would have been. */
export async function* asStream(result: LanguageModelV4GenerateResult): AsyncGenerator<LanguageModelV4StreamPart> {
  if (result.response !== undefined) yield { type: "response-metadata", ...result.response };
  for (const [index, content] of result.content.entries()) {
    const id = String(index);
    const metadata = content.providerMetadata === undefined ? {} : { providerMetadata: content.providerMetadata };
    if (content.type === "text") yield { type: "text-delta", id, delta: content.text };
    else if (content.type === "reasoning") {
      yield { type: "reasoning-start", id, ...metadata };
      yield { type: "reasoning-delta", id, delta: content.text };
    } else if (content.type === "tool-call") yield content;
  }
  yield { type: "finish", finishReason: result.finishReason, usage: result.usage };
}
