import type { Payload } from "#kernel";
import {
  type Attempt,
  type FailedAttempt,
  isModelError,
  type Model,
  type ModelCall,
  type ModelRequest,
  type ModelResult,
} from "#models";
import { chatBody, chatMessage, chatUsage, requestFromChatBody } from "./chat-form.ts";
import { errorText } from "./error.ts";
import { raced } from "./interrupt.ts";
import { conversationHistory } from "./request.ts";
import { type Ids, idsOf, type RunningTurn, settled } from "./running-turn.ts";
import { estimateTokens } from "./tokens.ts";

type Body = Readonly<Record<string, unknown>>;

interface RouteFacts {
  readonly platform: string;
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiMode: string;
  readonly apiCallCount: number;
}

function routeOf(turn: RunningTurn, model: Model): RouteFacts {
  return {
    platform: turn.context.platform,
    model: model.id,
    provider: model.provider,
    baseUrl: model.baseUrl,
    apiMode: model.apiMode,
    apiCallCount: turn.apiCalls,
  };
}

/** One request in both forms. The body is made when somebody looks at it, and read back only when it was replaced. */
class Draft {
  readonly request: ModelRequest;
  readonly model: string;
  #body: Body | undefined;

  constructor(request: ModelRequest, model: string) {
    this.request = request;
    this.model = model;
  }

  get body(): Body {
    this.#body ??= chatBody(this.request, this.model);
    return this.#body;
  }

  replaced(body: Body): Draft {
    if (body === this.#body) return this;
    const next = new Draft(requestFromChatBody(body, this.request), this.model);
    next.#body = body;
    return next;
  }
}

async function rewritten(turn: RunningTurn, draft: Draft, facts: Ids & RouteFacts) {
  const fire = turn.context.plan.on.llm_request;
  if (fire === undefined) return { draft, trace: [] };
  const original = draft.body;
  const payload = { ...facts, request: original, originalRequest: original };
  const answer = await settled(fire(payload, turn.context), turn.signal);
  return {
    draft: answer?.request === undefined ? draft : draft.replaced(answer.request),
    trace: answer?.trace ?? [],
  };
}

function announcement(
  turn: RunningTurn,
  draft: Draft,
  facts: Ids & RouteFacts,
  trace: readonly Body[],
): Payload<"pre_api_request"> {
  const { messages, tools, maxOutputTokens } = draft.request;
  let tokens: number | undefined;
  const count = () => {
    tokens ??= messages.reduce(
      (sum, message) => sum + estimateTokens(message),
      Math.ceil(draft.request.system.length / 4),
    );
    return tokens;
  };
  return {
    ...facts,
    userMessage: turn.userMessage,
    get conversationHistory() {
      return conversationHistory(turn);
    },
    get requestMessages() {
      return draft.body["messages"] as Record<string, unknown>[];
    },
    messageCount: messages.length,
    toolCount: tools.length,
    get approxInputTokens() {
      return count();
    },
    get requestCharCount() {
      return count() * 4;
    },
    maxTokens: maxOutputTokens ?? null,
    startedAt: turn.ports.now() / 1000,
    middlewareTrace: [...trace],
    get request() {
      return { method: "POST", body: draft.body };
    },
  };
}

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

async function execute(
  turn: RunningTurn,
  attempt: Attempt,
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelResult> {
  const { context } = turn;
  const facts = { ...idsOf(turn), ...routeOf(turn, attempt.model) };
  const first = new Draft(request, attempt.model.id);
  const { draft, trace } = await rewritten(turn, first, facts);
  const announce = context.plan.on.pre_api_request;
  if (announce !== undefined) await settled(announce(announcement(turn, draft, facts, trace), context), turn.signal);
  const fire = context.plan.on.llm_execution;
  if (fire === undefined) return attempt.model.generate(draft.request, call);
  const payload = { ...facts, request: draft.body, originalRequest: first.body, middlewareTrace: [...trace] };
  const core = (given: Payload<"llm_execution">) => attempt.model.generate(draft.replaced(given.request).request, call);
  return fire(payload, core, context, async (changed) => changed);
}

function failure(
  turn: RunningTurn,
  failed: FailedAttempt,
  request: ModelRequest,
  startedAt: number,
): Payload<"api_request_error"> {
  const endedAt = turn.ports.now();
  return {
    ...idsOf(turn),
    ...routeOf(turn, failed.model),
    apiDuration: (endedAt - startedAt) / 1000,
    startedAt: startedAt / 1000,
    endedAt: endedAt / 1000,
    statusCode: failed.statusCode ?? null,
    retryCount: failed.retryCount,
    maxRetries: failed.maxRetries,
    retryable: failed.retryable,
    reason: failed.code,
    error: { type: failed.code, message: failed.message },
    get request() {
      return { method: "POST", body: chatBody(request, failed.model.id) };
    },
  };
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
        const result = await execute(turn, attempt, sent, call);
        const { inputTokens, outputTokens, cacheReadTokens, costUsd } = result.usage;
        span.set({ inputTokens, outputTokens, cacheReadTokens, ...(costUsd === undefined ? {} : { costUsd }) });
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
        const told = plan.on.api_request_error?.(failure(turn, attempt, request, startedAt), turn.context);
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
    finishReason,
    messageCount: request.messages.length,
    responseModel,
    get response() {
      return {
        model: responseModel,
        finish_reason: finishReason,
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
  await settled(fire(failure(turn, failed, request, startedAt), turn.context), turn.signal);
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
