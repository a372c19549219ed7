import type { ModelErrorCode } from "./model.ts";

const marker = Symbol.for("talaria.ModelError");

/** The address of a model as errors name it; never with a key. */
export interface ModelAddress {
  readonly provider: string;
  readonly id: string;
  readonly baseUrl: string;
}

export interface ModelErrorDetails {
  readonly code: ModelErrorCode;
  readonly address: ModelAddress;
  /** What happened, without the address and without advice. */
  readonly summary: string;
  /** What the person can do; absent where the code's own advice fits. */
  readonly advice?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** What each class of failure means for the route, and what a person can do about it (docs/reference/model-errors.md). */
export const errorClasses: Readonly<
  Record<ModelErrorCode, { readonly retryable: boolean; readonly otherCredential: boolean; readonly advice: string }>
> = {
  rate_limit: { retryable: true, otherCredential: true, advice: "Wait, add a second key, or name a fallback model." },
  overloaded: {
    retryable: true,
    otherCredential: false,
    advice: "The provider is busy: try again, or name a fallback model.",
  },
  authentication: { retryable: false, otherCredential: true, advice: "Check the API key." },
  billing: {
    retryable: false,
    otherCredential: true,
    advice: "The account has no credit left: top it up, or use another key or model.",
  },
  context_overflow: {
    retryable: false,
    otherCredential: false,
    advice: "Shorten the conversation with /compress, or use a model with a larger context.",
  },
  content_refused: {
    retryable: false,
    otherCredential: false,
    advice: "The provider's content policy refused this: rephrase the request, or use another model.",
  },
  bad_request: {
    retryable: false,
    otherCredential: false,
    advice: "The provider does not accept this request: check the model's name and settings.",
  },
  model_not_found: {
    retryable: false,
    otherCredential: false,
    advice: "Check the model's name; `talaria model list` shows what the provider offers.",
  },
  network: { retryable: true, otherCredential: false, advice: "Check the connection and the base URL." },
  server: {
    retryable: true,
    otherCredential: false,
    advice: "The provider failed: try again later, or name a fallback model.",
  },
  invalid_response: {
    retryable: true,
    otherCredential: false,
    advice: "Check that the base URL is that of a model API.",
  },
  not_configured: { retryable: false, otherCredential: false, advice: "Run `talaria model` to choose one." },
};

/** Why a model gave no answer. The message names provider, model and base URL, what happened and what to do. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly provider: string;
  readonly modelId: string;
  readonly baseUrl: string;
  readonly summary: string;
  readonly statusCode: number | undefined;
  /** What the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The same request may succeed later at the same model. */
  readonly retryable: boolean;

  constructor(details: ModelErrorDetails) {
    const { code, address, summary, statusCode } = details;
    const name = address.provider ? `${address.provider}/${address.id}` : `model ${address.id}`;
    const where = address.baseUrl ? `${name} at ${address.baseUrl}` : name;
    const status = statusCode === undefined ? "" : ` (HTTP ${statusCode})`;
    super(`${where}: ${sentence(summary)}${status}. ${details.advice ?? errorClasses[code].advice}`, {
      cause: details.cause,
    });
    this.name = "ModelError";
    this.code = code;
    this.provider = address.provider;
    this.modelId = address.id;
    this.baseUrl = address.baseUrl;
    this.summary = summary;
    this.statusCode = statusCode;
    this.retryAfterMs = details.retryAfterMs;
    this.retryable = errorClasses[code].retryable;
    Object.defineProperty(this, marker, { value: true });
  }
}

export function isModelError(error: unknown): error is ModelError {
  return typeof error === "object" && error !== null && marker in error;
}

function sentence(text: string): string {
  return text.trim().replace(/[.\s]+$/, "");
}
