import type { Payload } from "#kernel";
import { type FailedAttempt, isModelError, type ModelCall, type ModelRequest, type ModelResult } from "#models";
import { attemptFailure, routeOf, runAttempt } from "./attempt.ts";
import { chatMessage, chatReason, chatUsage } from "./chat-form.ts";
import { errorText } from "./error.ts";
import { raced } from "./interrupt.ts";
import { idsOf, type RunningTurn, settled } from "./running-turn.ts";

/** What the model streams goes to the surface; text of an attempt that is made anew is declared void. */
function deltas(turn: RunningTurn): {
  readonly onDelta: NonNullable<ModelCall["onDelta"]>;
  readonly reset: (reason: string) => void;
} {
  let shown = false;
  const reset = (reason: string) => {
    if (shown) turn.surface.emit({ type: "reset", reason });
    shown = false;
    turn.streamed = "";
  };
  return {
    reset,
    onDelta(delta) {
      if (turn.signal.aborted) return;
      if (delta.type === "reset") return reset(delta.reason);
      if (delta.type === "tool-call") return;
      shown = true;
      if (delta.type === "text") turn.streamed += delta.text;
      turn.surface.emit(delta);
    },
  };
}

/** What a model span says of an answer: docs/reference/trace.md. */
function spanFacts({ usage, finishReason, responseModel }: ModelResult) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  return { ...tokens, ...(costUsd === undefined ? {} : { costUsd }), finishReason, responseModel };
}

function routed(turn: RunningTurn, request: ModelRequest): Promise<ModelResult> {
  const { onDelta, reset } = deltas(turn);
  let startedAt = turn.ports.now();
  let attempts = 0;
  return turn.memory.route.generate(
    request,
    { signal: turn.signal, onDelta },
    async (attempt, sent, call) => {
      if (attempts > 0) reset("the model is asked again");
      attempts += 1;
      startedAt = turn.ports.now();
      const span = turn.recorder.start("model", attempt.model.id, {
        parent: turn.span,
        attributes: { provider: attempt.model.provider, attempt: attempts, iteration: turn.iterations },
      });
      try {
        const result = await runAttempt(turn, attempt, sent, call);
        span.set(spanFacts(result));
        span.end("ok");
        return result;
      } catch (error) {
        span.set({ error: errorText(error).slice(0, 200) });
        span.end(turn.signal.aborted ? "cancelled" : "error");
        throw error;
      }
    },
    {
      async failed(attempt) {
        const { plan } = turn.context;
        const told = plan.on.api_request_error?.(attemptFailure(turn, attempt, request, startedAt), turn.context);
        if (attempt.retryInMs !== undefined)
          turn.surface.emit({
            type: "retry",
            reason: attempt.message,
            attempt: attempt.retryCount + 1,
            inMs: attempt.retryInMs,
          });
        await settled(told, turn.signal);
      },
      switched(from, to, reason) {
        const text = `${from.provider}/${from.id} did not answer (${reason}); ${to.provider}/${to.id} takes over.`;
        turn.surface.emit({ type: "notice", level: "warning", text });
      },
    },
  );
}

function completion(
  turn: RunningTurn,
  request: ModelRequest,
  result: ModelResult,
  startedAt: number,
): Payload<"post_api_request"> {
  const endedAt = turn.ports.now();
  const { message, finishReason, usage, responseModel } = result;
  return {
    ...idsOf(turn),
    ...routeOf(turn, turn.memory.route.current),
    apiDuration: (endedAt - startedAt) / 1000,
    startedAt: startedAt / 1000,
    endedAt: endedAt / 1000,
    finishReason: chatReason(finishReason),
    messageCount: request.messages.length,
    responseModel,
    get response() {
      return {
        model: responseModel,
        finish_reason: chatReason(finishReason),
        assistant_message: chatMessage(message),
        usage: chatUsage(usage),
      };
    },
    get usage() {
      return chatUsage(usage);
    },
    get assistantMessage() {
      return chatMessage(message);
    },
    assistantContentChars: message.content.length,
    assistantToolCallCount: message.toolCalls?.length ?? 0,
  };
}

/**
 * One answer of the model: `model_call` around the route, and per attempt `llm_request`, `pre_api_request`,
 * `llm_execution`; at the end `post_api_request`, or `api_request_error` for each attempt that failed.
 * Rejects with a `ModelError`, or `interrupted`.
 */
export async function callModel(turn: RunningTurn, request: ModelRequest): Promise<ModelResult> {
  turn.apiCalls += 1;
  turn.streamed = "";
  const startedAt = turn.ports.now();
  const { context } = turn;
  const fire = context.plan.on.model_call;
  let asked = 0;
  const core = (wanted: ModelRequest) => {
    if (asked > 0 && turn.streamed !== "") {
      turn.surface.emit({ type: "reset", reason: "the model is asked again" });
    }
    asked += 1;
    return routed(turn, wanted);
  };
  const facts = { ...idsOf(turn), ...routeOf(turn, turn.memory.route.current) };
  const answer =
    fire === undefined
      ? core(request)
      : fire(
          { ...facts, request },
          (given) => core(given.request as ModelRequest),
          context,
          async (changed) => changed,
        );
  const result = await raced(answer, turn.signal);
  if (result.finishReason === "content-filter") await refusal(turn, request, result, startedAt);
  const told = context.plan.on.post_api_request;
  if (told !== undefined) await settled(told(completion(turn, request, result, startedAt), context), turn.signal);
  return result;
}

async function refusal(
  turn: RunningTurn,
  request: ModelRequest,
  result: ModelResult,
  startedAt: number,
): Promise<void> {
  const fire = turn.context.plan.on.api_request_error;
  if (fire === undefined) return;
  const failed: FailedAttempt = {
    model: turn.memory.route.current,
    retryCount: 0,
    maxRetries: 0,
    code: "content_refused",
    message: result.message.content || "the provider's content policy stopped the answer",
    statusCode: 200,
    retryable: false,
    retryInMs: undefined,
  };
  await settled(fire(attemptFailure(turn, failed, request, startedAt), turn.context), turn.signal);
}

/** Why a model gave no answer, in the words that `stop_failure` matches on. */
export function failureKind(error: unknown): string {
  if (!isModelError(error)) return "unknown";
  const kinds: Readonly<Record<string, string>> = {
    rate_limit: "rate_limit",
    overloaded: "overloaded",
    authentication: "authentication_failed",
    billing: "billing_error",
    model_not_found: "model_not_found",
    network: "server_error",
    server: "server_error",
    invalid_response: "server_error",
    not_configured: "authentication_failed",
  };
  return kinds[error.code] ?? "invalid_request";
}
