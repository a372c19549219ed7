import type { Payload } from "#kernel";
import type { Attempt, FailedAttempt, Model, ModelCall, ModelRequest, ModelResult } from "#models";
import { chatBody, requestFromChatBody } from "./chat-form.ts";
import { conversationHistory } from "./request.ts";
import { type Ids, idsOf, type RunningTurn, settled } from "./running-turn.ts";
import { estimateTokens } from "./tokens.ts";

type Body = Readonly<Record<string, unknown>>;

export interface RouteFacts {
  readonly platform: string;
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly apiMode: string;
  readonly apiCallCount: number;
}

/** Which model an event is about. */
export function routeOf(turn: RunningTurn, model: Model): RouteFacts {
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

/** One attempt: `llm_request` → `pre_api_request` → `llm_execution` around the model itself. */
export async function runAttempt(
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

/** What `api_request_error` says of a failed attempt. */
export function attemptFailure(
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
