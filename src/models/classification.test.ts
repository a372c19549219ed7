import { describe, expect, test } from "vitest";
import { classify, retryAfter } from "./classification.ts";
import type { ModelErrorCode } from "./model.ts";

const failures: readonly [ModelErrorCode, number | undefined, string, string?][] = [
  [
    "context_overflow",
    400,
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  ],
  ["context_overflow", 400, "Please reduce the length of the messages.", "context_length_exceeded"],
  ["context_overflow", 400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"],
  ["context_overflow", 400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
  [
    "context_overflow",
    400,
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "INVALID_ARGUMENT",
  ],
  ["context_overflow", 400, "Input is too long for requested model.", "ValidationException"],
  [
    "context_overflow",
    400,
    "the request exceeds the available context size. try increasing the context size or enable context shift",
  ],
  ["context_overflow", 413, "Request Entity Too Large"],
  ["context_overflow", 500, "Context window exceeded: 9000 tokens"],
  [
    "billing",
    429,
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
  ],
  ["billing", 400, "Your credit balance is too low to access the Anthropic API.", "invalid_request_error"],
  ["billing", 402, "This request requires more credits, or fewer max_tokens."],
  ["billing", 402, "Insufficient Balance"],
  [
    "content_refused",
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    "content_filter",
  ],
  ["content_refused", 400, "Your request was rejected as a result of our safety system.", "content_policy_violation"],
  ["content_refused", 403, "Your input was flagged by moderation"],
  ["content_refused", 400, "Input data may contain inappropriate content.", "data_inspection_failed"],
  ["overloaded", 529, "Overloaded", "overloaded_error"],
  ["overloaded", undefined, "Overloaded", "overloaded_error"],
  ["overloaded", 503, "The model is overloaded. Please try again later.", "UNAVAILABLE"],
  ["overloaded", 503, ""],
  ["overloaded", 429, "The engine is currently overloaded, please try again later"],
  ["rate_limit", 429, ""],
  ["rate_limit", 429, "Rate limit reached for gpt-4o in organization org on tokens per min (TPM)", "tokens"],
  ["rate_limit", 429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED"],
  ["rate_limit", 400, "Too many requests, please wait before trying again.", "ThrottlingException"],
  ["model_not_found", 404, "The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"],
  ["model_not_found", 404, "model: claude-9", "not_found_error"],
  ["model_not_found", 404, 'model "llama9" not found, try pulling it first'],
  ["model_not_found", 400, "foo/bar is not a valid model ID"],
  ["model_not_found", 404, "No endpoints found for foo/bar."],
  ["model_not_found", 404, "models/gemini-9 is not found for API version v1beta", "NOT_FOUND"],
  ["model_not_found", 404, "Not Found"],
  ["authentication", 401, "Incorrect API key provided: sk-***.", "invalid_api_key"],
  ["authentication", 401, "invalid x-api-key", "authentication_error"],
  ["authentication", 400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"],
  ["authentication", 403, "The security token included in the request is invalid.", "UnrecognizedClientException"],
  ["authentication", 403, ""],
  ["bad_request", 400, "Unsupported parameter: 'max_tokens' is not supported with this model."],
  ["bad_request", 422, "tools.0.name: String should match pattern"],
  ["bad_request", 418, ""],
  ["server", 500, "Internal server error", "api_error"],
  ["server", 502, "Bad Gateway"],
  ["server", 504, "upstream request timeout"],
  ["server", 520, ""],
  ["server", 599, ""],
  ["server", undefined, "Internal server error", "api_error"],
  ["network", 408, "Request Timeout"],
  ["network", undefined, "terminated"],
  ["invalid_response", undefined, "something nobody has seen"],
];

describe("the classes of failures", () => {
  test.each(failures)("%s: HTTP %s %s", (code, statusCode, text, type = "") => {
    expect(classify({ statusCode, type, text, systemCodes: [] })).toBe(code);
  });

  test.each([
    "ECONNREFUSED",
    "ECONNRESET",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ETIMEDOUT",
    "EPIPE",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_SOCKET",
    "SELF_SIGNED_CERT_IN_CHAIN",
  ])("%s is a network error", (systemCode) => {
    expect(classify({ statusCode: undefined, type: "", text: "fetch failed", systemCodes: [systemCode] })).toBe(
      "network",
    );
  });
});

test.each<[Record<string, string> | undefined, number | undefined]>([
  [{ "retry-after": "3" }, 3000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:12 GMT" }, 11_000],
  [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-4" }, undefined],
  [{}, undefined],
  [undefined, undefined],
])("the headers %j ask to wait %s ms", (headers, expected) => {
  expect(retryAfter(headers, 1000)).toBe(expected);
});
