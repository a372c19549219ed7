import { after } from "#host";
import type { ToolCall, Usage } from "#kernel";
import { parseArguments } from "../arguments.ts";
import { ModelError } from "../error.ts";
import type { Model, ModelCall, ModelErrorCode, ModelRequest, ModelResult } from "../model.ts";
import type { ScriptedAnswer, ScriptedCall } from "./script.ts";

/** An answer, a failure, or a function of the request that gives one. */
export type ScriptedStep =
  | ScriptedAnswer
  | {
      readonly error: ModelErrorCode;
      readonly message?: string;
      readonly statusCode?: number;
      readonly retryAfterMs?: number;
      readonly after?: ScriptedAnswer;
    }
  | ((request: ModelRequest, call: ModelCall) => ScriptedStep | Promise<ScriptedStep>);

export interface ScriptedModel extends Model {
  /** Every request so far, in order. */
  readonly requests: readonly ModelRequest[];
  /** Steps that were not yet asked for. */
  readonly left: number;
  /** Appends to the script. */
  push(...steps: readonly ScriptedStep[]): void;
}

export interface ScriptedOptions {
  readonly provider?: string;
  readonly id?: string;
  readonly contextWindow?: number;
  readonly acceptsImages?: boolean;
}

/** A model that plays a script, one step per call. Beyond the end it rejects with `bad_request`. */
export function scriptedModel(script: readonly ScriptedStep[], options: ScriptedOptions = {}): ScriptedModel {
  const steps = [...script];
  const requests: ModelRequest[] = [];
  const model = {
    provider: options.provider ?? "scripted",
    id: options.id ?? "scripted",
    baseUrl: "",
    apiMode: "scripted",
    contextWindow: options.contextWindow ?? 128_000,
    acceptsImages: options.acceptsImages ?? true,
  };
  return {
    ...model,
    requests,
    get left() {
      return steps.length;
    },
    push: (...more) => void steps.push(...more),
    async generate(request, call) {
      call.signal.throwIfAborted();
      requests.push(structuredClone(request));
      let step = steps.shift() ?? {
        error: "bad_request" as const,
        message: `the script has no answer number ${requests.length}`,
      };
      while (typeof step === "function") step = await step(request, call);
      if (!("error" in step)) return play(step, requests.length, model.id, call);
      if (step.after) await play(step.after, requests.length, model.id, call);
      throw new ModelError({
        code: step.error,
        address: model,
        summary: step.message ?? `scripted ${step.error}`,
        statusCode: step.statusCode,
        retryAfterMs: step.retryAfterMs,
      });
    },
  };
}

async function play(answer: ScriptedAnswer, number: number, id: string, call: ModelCall): Promise<ModelResult> {
  if (answer.delayMs) await wait(answer.delayMs, call.signal);
  const say = call.onDelta ?? (() => undefined);
  if (answer.reasoning) say({ type: "reasoning", text: answer.reasoning });
  for (const text of answer.text?.match(/\S+\s*|\s+/g) ?? []) say({ type: "text", text });
  const toolCalls: ToolCall[] = [];
  for (const [index, scripted] of (answer.calls ?? []).entries()) {
    const made = toolCall(scripted, `call_${number}_${index + 1}`);
    toolCalls.push(made);
    say({ type: "tool-call", call: made });
  }
  call.signal.throwIfAborted();
  const usage = usageOf(answer);
  const finishReason = answer.finishReason ?? (toolCalls.length > 0 ? "tool-calls" : "stop");
  return {
    message: {
      role: "assistant",
      content: answer.text ?? "",
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(answer.reasoning && { reasoning: [{ text: answer.reasoning }] }),
      finishReason,
      model: id,
      usage,
    },
    finishReason,
    usage,
    responseModel: id,
  };
}

function toolCall(scripted: ScriptedCall, id: string): ToolCall {
  const parsed = scripted.text === undefined ? { args: scripted.args ?? {} } : parseArguments(scripted.text);
  return { id: scripted.id ?? id, name: scripted.name, ...parsed };
}

function usageOf({ usage = {} }: ScriptedAnswer): Usage {
  return {
    inputTokens: usage.input ?? 10,
    outputTokens: usage.output ?? 5,
    cacheReadTokens: usage.cacheRead ?? 0,
    cacheWriteTokens: usage.cacheWrite ?? 0,
    reasoningTokens: usage.reasoning ?? 0,
  };
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, resolve, true);
    signal.addEventListener("abort", () => {
      cancel();
      reject(signal.reason);
    });
  });
}
