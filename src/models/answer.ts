import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Reasoning, ToolCall, Usage } from "#kernel";
import { parseArguments } from "./arguments.ts";
import { costOf, type Price } from "./facts.ts";
import type { FinishReason, ModelDelta, ModelRequest, ModelResult } from "./model.ts";

interface Origin {
  readonly provider: string;
  readonly model: string;
  readonly price: Price | undefined;
  /** Whether the server marked the end of its stream, although no finish reason came. */
  readonly saidDone: () => boolean;
}

/** A stream that ended, or broke in the middle, without saying that the answer is whole. */
export class UnfinishedAnswer extends Error {
  /** True when something of the answer had come. */
  readonly begun: boolean;
  constructor(begun: boolean) {
    super(begun ? "the stream ended before the answer was complete" : "the answer was empty");
    this.begun = begun;
  }
}

const finishReasons: Partial<Record<LanguageModelV4FinishReason["unified"], FinishReason>> = {
  stop: "stop",
  "tool-calls": "tool-calls",
  length: "length",
  "content-filter": "content-filter",
};

type Part = LanguageModelV4StreamPart;
type Finish = Extract<Part, { type: "finish" }>;

/** Reads a provider's stream to its end. Throws what the stream reports as its error, and `UnfinishedAnswer`. */
export async function readAnswer(
  stream: AsyncIterable<Part>,
  request: ModelRequest,
  origin: Origin,
  onDelta: (delta: ModelDelta) => void,
): Promise<ModelResult> {
  const collected = collector(origin.provider, callIds(request));
  const ending = endOf(origin, collected.begun);
  for await (const part of stream) {
    if (ending.take(part)) continue;
    const delta = collected.add(part);
    if (delta) onDelta(delta);
  }
  const { finish, responseModel } = ending.whole();
  return resultOf(collected.whole(), finish, responseModel, origin.price);
}

/** What a stream says about itself, and whether that makes its answer whole. */
function endOf(origin: Origin, begun: () => boolean) {
  let responseModel = origin.model;
  let finish: Finish | undefined;
  let reasonMissing = false;
  return {
    /** True for a part that holds nothing of the answer. */
    take(part: Part): boolean {
      if (part.type === "error") {
        if (!isMissingReason(part.error)) throw part.error;
        reasonMissing = true;
      } else if (part.type === "finish") finish = part;
      else if (part.type === "response-metadata") responseModel = part.modelId || responseModel;
      else return false;
      return true;
    },
    whole(): { readonly finish: Finish; readonly responseModel: string } {
      const isWhole = reasonMissing ? origin.saidDone() && begun() : finish && !isUnfinished(finish.finishReason);
      if (!finish || !isWhole) throw new UnfinishedAnswer(begun());
      return { finish, responseModel };
    },
  };
}

function resultOf(content: Content, finish: Finish, responseModel: string, price: Price | undefined): ModelResult {
  const { text, reasoning, toolCalls } = content;
  const usage = usageOf(finish.usage, price);
  const finishReason = reasonOf(finish.finishReason, toolCalls);
  return {
    message: {
      role: "assistant",
      content: text,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(reasoning.length > 0 && { reasoning }),
      finishReason,
      model: responseModel,
      usage,
    },
    finishReason,
    usage,
    responseModel,
  };
}

interface Content {
  readonly text: string;
  readonly reasoning: readonly Reasoning[];
  readonly toolCalls: readonly ToolCall[];
}

function collector(provider: string, used: Set<string>) {
  let text = "";
  const reasoning = new Map<string, Reasoning>();
  const attached: Reasoning[] = [];
  const toolCalls: ToolCall[] = [];

  const think = (id: string, more: string, metadata: unknown) => {
    const known = reasoning.get(id) ?? { text: "", providerData: { provider } };
    const data = metadata
      ? { ...known.providerData, metadata: merged(known.providerData?.["metadata"], metadata) }
      : known.providerData;
    reasoning.set(id, { text: known.text + more, ...(data && { providerData: data }) });
  };

  return {
    add(part: Part): ModelDelta | undefined {
      switch (part.type) {
        case "text-delta":
          text += part.delta;
          return part.delta ? { type: "text", text: part.delta } : undefined;
        case "reasoning-start":
        case "reasoning-end":
          think(part.id, "", part.providerMetadata);
          return undefined;
        case "reasoning-delta":
          think(part.id, part.delta, part.providerMetadata);
          return part.delta ? { type: "reasoning", text: part.delta } : undefined;
        case "tool-call": {
          if (part.providerExecuted) return undefined;
          const id = freshId(part.toolCallId, used);
          const call: ToolCall = { id, name: part.toolName, ...parseArguments(part.input) };
          toolCalls.push(call);
          if (part.providerMetadata) {
            attached.push({ text: "", providerData: { provider, toolCallId: id, metadata: part.providerMetadata } });
          }
          return { type: "tool-call", call };
        }
        default:
          return undefined;
      }
    },
    begun: () => text !== "" || reasoning.size > 0 || toolCalls.length > 0,
    whole: (): Content => ({ text, toolCalls, reasoning: [...reasoning.values(), ...attached].filter(isTelling) }),
  };
}

function isTelling(item: Reasoning): boolean {
  return item.text !== "" || item.providerData?.["metadata"] !== undefined;
}

/** One level deep, as metadata is `{ provider: { field: value } }`. */
function merged(known: unknown, more: unknown): unknown {
  const result: Record<string, unknown> = { ...(known as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(more as Record<string, object>)) {
    result[key] = { ...(result[key] as object | undefined), ...value };
  }
  return result;
}

function callIds(request: ModelRequest): Set<string> {
  return new Set(
    request.messages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    ),
  );
}

/** Some servers number each answer's calls anew, or leave the id empty; in a conversation an id names one call. */
function freshId(given: string, used: Set<string>): string {
  const wanted = given || "call_1";
  let id = wanted;
  for (let count = 2; used.has(id); count++) id = `${wanted}_${count}`;
  used.add(id);
  return id;
}

/** Some servers give no finish reason at all; the provider package reports that as an error at the end. */
function isMissingReason(error: unknown): boolean {
  return error instanceof Error && /without a finish reason/.test(error.message);
}

function isUnfinished(reason: LanguageModelV4FinishReason): boolean {
  return (
    reason.unified === "error" ||
    reason.unified === "interrupted" ||
    (reason.unified === "other" && reason.raw === undefined)
  );
}

/** Some servers say `stop` although they call tools. */
function reasonOf(reason: LanguageModelV4FinishReason, toolCalls: readonly ToolCall[]): FinishReason {
  const known = finishReasons[reason.unified] ?? "other";
  return toolCalls.length > 0 && (known === "stop" || known === "other") ? "tool-calls" : known;
}

function usageOf(usage: LanguageModelV4Usage, price: Price | undefined): Usage {
  const counts = {
    inputTokens: usage.inputTokens.total ?? 0,
    outputTokens: usage.outputTokens.total ?? 0,
    cacheReadTokens: usage.inputTokens.cacheRead ?? 0,
    cacheWriteTokens: usage.inputTokens.cacheWrite ?? 0,
    reasoningTokens: usage.outputTokens.reasoning ?? 0,
  };
  const costUsd = costOf(price, counts);
  return { ...counts, ...(costUsd !== undefined && { costUsd }) };
}
