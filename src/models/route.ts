import type { Model, ModelCall, ModelErrorCode, ModelRequest, ModelResult } from "./model.ts";

/** One attempt as the loop sees it: the loop fires `llm_request`, `pre_api_request` and `llm_execution` around `send`. */
export interface Attempt {
  readonly model: Model;
  /** 0 for the first attempt of a call. */
  readonly retryCount: number;
  readonly maxRetries: number;
}

export interface FailedAttempt extends Attempt {
  readonly code: ModelErrorCode;
  readonly message: string;
  readonly statusCode: number | undefined;
  readonly retryable: boolean;
  /** Milliseconds until the next attempt; undefined when there is none. */
  readonly retryInMs: number | undefined;
}

export interface RouteObserver {
  failed(attempt: FailedAttempt): void | PromiseLike<void>;
  switched?(from: Model, to: Model, reason: string): void;
}

/**
 * An ordered list of models with credentials. `generate` runs `send` per attempt and does the
 * rest: retry with back-off and `Retry-After`, rotation of credentials, fallback to the next model.
 * Context overflow and content refusals are not retried here: the loop handles them.
 */
export interface ModelRoute {
  /** The model that the next attempt would use. */
  readonly current: Model;
  generate(
    request: ModelRequest,
    call: ModelCall,
    send: (attempt: Attempt, request: ModelRequest, call: ModelCall) => Promise<ModelResult>,
    observer: RouteObserver,
  ): Promise<ModelResult>;
}
