import type { ContentPart, Message, Usage } from "#kernel";

/** Tokens that one image is taken for. */
const imageTokens = 1_500;

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export function addUsage(left: Usage, right: Usage): Usage {
  const cost = left.costUsd === undefined ? right.costUsd : left.costUsd + (right.costUsd ?? 0);
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

function contentTokens(content: string | readonly ContentPart[]): number {
  if (typeof content === "string") return Math.ceil(content.length / 4);
  let sum = 0;
  for (const part of content) sum += part.type === "text" ? Math.ceil(part.text.length / 4) : imageTokens;
  return sum;
}

/** A rough count where no provider has reported one: four characters to a token. */
export function estimateTokens(message: Message): number {
  let sum = 4 + contentTokens(message.content);
  if (message.role !== "assistant") return sum;
  for (const call of message.toolCalls ?? [])
    sum += 8 + Math.ceil((call.malformed ?? JSON.stringify(call.args)).length / 4);
  for (const part of message.reasoning ?? []) sum += Math.ceil(part.text.length / 4);
  return sum;
}

export function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
}

/** Text after the content's own text, a blank line between; a multimodal message gets a text part more. */
export function appended(content: string | readonly ContentPart[], text: string): string | readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? text : `${content}\n\n${text}`;
  return [...content, { type: "text", text }];
}
