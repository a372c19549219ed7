import { ask, tell, wrap, type Z } from "../event.ts";
import { collected, joined, strongest, threaded, universal } from "../field.ts";
import {
  asSaid,
  chat,
  data,
  exampleIds,
  exampleRoute,
  hermes,
  ids,
  modelRequest,
  modelResult,
  programs,
  route,
  trace,
} from "./view.ts";

type Body = Readonly<Record<string, unknown>>;

const exampleBody = {
  model: "gpt-4o-mini",
  messages: [
    { role: "system", content: "You are a helpful agent." },
    { role: "user", content: "List the files here." },
  ],
  tools: [],
};

const times = (z: Z) => ({ apiDuration: z.number(), startedAt: z.number(), endedAt: z.number() });
const exampleTimes = { apiDuration: 1.5, startedAt: 1_767_268_800, endedAt: 1_767_268_801.5 };

const exchange = (z: Z) =>
  z.object({
    fromModel: z.string(),
    toModel: z.string(),
    requestedModel: z.string().nullable(),
    source: z.enum(["command", "picker", "sdk", "auto", "resume"]),
    contextTokens: z.number().int(),
    promptCacheWarm: z.boolean(),
    cacheTtl: z.enum(["5m", "1h"]),
    estimatedCacheWriteUsd: z.number(),
    pricing: z.enum(["configured", "catalog", "default"]),
  });
const exampleExchange = {
  fromModel: "gpt-4o-mini",
  toModel: "claude-sonnet-4-5",
  requestedModel: "sonnet",
  source: "command",
  contextTokens: 18_250,
  promptCacheWarm: true,
  cacheTtl: "5m",
  estimatedCacheWriteUsd: 0.07,
  pricing: "catalog",
} as const;

export const modelEvents = {
  model_call: wrap((z: Z) => z.object({ ...ids(z), ...route(z), request: modelRequest(z) }), {
    about: "One model answer is wanted: retry, fallback and rotation stand here and may ask many times.",
    since: "0.1",
    scope: "turn",
    method: "wrapModelCall",
    result: modelResult,
    next: "many",
    views: [],
    example: {
      ...exampleIds,
      ...exampleRoute,
      request: {
        system: "You are a helpful agent.",
        messages: [{ role: "user", content: "List the files here." }],
        tools: [],
      },
    },
  }),
  llm_request: ask((z: Z) => z.object({ ...ids(z), ...route(z), request: data(z), originalRequest: data(z) }), {
    about: "What is sent to the model, in OpenAI chat form, may be rewritten before each attempt.",
    since: "0.1",
    scope: "turn",
    method: "modelRequest",
    answer: { request: threaded<Body>()("request"), trace: collected<Body>() },
    draft: true,
    views: [{ dialect: "python", name: "llm_request", middleware: true }],
    example: { ...exampleIds, ...exampleRoute, request: exampleBody, originalRequest: exampleBody },
  }),
  pre_api_request: tell(
    (z: Z) =>
      z.object({
        ...ids(z),
        ...route(z),
        userMessage: z.unknown(),
        conversationHistory: chat(z),
        requestMessages: chat(z),
        messageCount: z.number().int(),
        toolCount: z.number().int(),
        approxInputTokens: z.number().int(),
        requestCharCount: z.number().int(),
        maxTokens: z.number().int().nullable(),
        startedAt: z.number(),
        middlewareTrace: trace(z),
        request: data(z),
      }),
    {
      about: "An attempt at the model is about to be sent.",
      since: "0.1",
      scope: "turn",
      method: "beforeModel",
      views: hermes("pre_api_request"),
      example: {
        ...exampleIds,
        ...exampleRoute,
        userMessage: "List the files here.",
        conversationHistory: [{ role: "user", content: "List the files here." }],
        requestMessages: exampleBody.messages,
        messageCount: 2,
        toolCount: 0,
        approxInputTokens: 14,
        requestCharCount: 44,
        maxTokens: null,
        startedAt: exampleTimes.startedAt,
        middlewareTrace: [],
        request: { method: "POST", body: exampleBody },
      },
    },
  ),
  llm_execution: wrap(
    (z: Z) =>
      z.object({ ...ids(z), ...route(z), request: data(z), originalRequest: data(z), middlewareTrace: trace(z) }),
    {
      about: "One attempt at the model runs, once.",
      since: "0.1",
      scope: "turn",
      result: modelResult,
      next: "once",
      views: [{ dialect: "python", name: "llm_execution", middleware: true }],
      example: {
        ...exampleIds,
        ...exampleRoute,
        request: exampleBody,
        originalRequest: exampleBody,
        middlewareTrace: [],
      },
    },
  ),
  post_api_request: tell(
    (z: Z) =>
      z.object({
        ...ids(z),
        ...route(z),
        ...times(z),
        finishReason: z.string(),
        messageCount: z.number().int(),
        responseModel: z.string(),
        response: data(z),
        usage: data(z).nullable(),
        assistantMessage: data(z),
        assistantContentChars: z.number().int(),
        assistantToolCallCount: z.number().int(),
      }),
    {
      about: "The model has answered and the answer is valid.",
      since: "0.1",
      scope: "turn",
      method: "afterModel",
      views: hermes("post_api_request"),
      example: {
        ...exampleIds,
        ...exampleRoute,
        ...exampleTimes,
        finishReason: "stop",
        messageCount: 2,
        responseModel: "gpt-4o-mini-2024-07-18",
        response: {
          model: "gpt-4o-mini-2024-07-18",
          finish_reason: "stop",
          assistant_message: { role: "assistant", content: "Two files.", tool_calls: [] },
          usage: { prompt_tokens: 14, completion_tokens: 3, total_tokens: 17 },
        },
        usage: { prompt_tokens: 14, completion_tokens: 3, total_tokens: 17 },
        assistantMessage: { role: "assistant", content: "Two files.", tool_calls: [] },
        assistantContentChars: 10,
        assistantToolCallCount: 0,
      },
    },
  ),
  api_request_error: tell(
    (z: Z) =>
      z.object({
        ...ids(z),
        ...route(z),
        ...times(z),
        statusCode: z.number().int().nullable(),
        retryCount: z.number().int(),
        maxRetries: z.number().int(),
        retryable: z.boolean(),
        reason: z.string(),
        error: z.object({ type: z.string(), message: z.string() }),
        request: data(z),
      }),
    {
      about: "An attempt at the model failed.",
      since: "0.1",
      scope: "turn",
      views: hermes("api_request_error"),
      example: {
        ...exampleIds,
        ...exampleRoute,
        ...exampleTimes,
        statusCode: 429,
        retryCount: 0,
        maxRetries: 3,
        retryable: true,
        reason: "rate_limit",
        error: { type: "RateLimitError", message: "Too many requests" },
        request: { method: "POST", body: exampleBody },
      },
    },
  ),
  pre_model_switch: ask(exchange, {
    about: "Somebody asked for another model.",
    since: "0.1",
    scope: "session",
    matchOn: "toModel",
    answer: { verdict: strongest, ...universal },
    closed: { verdict: { decision: "deny", reason: "a hook failed before it decided" } },
    views: [
      {
        dialect: "claude",
        name: "PreModelSwitch",
        exit2: "verdict",
        timeout: "verdict",
        limitSeconds: 30,
        executors: programs,
        permission: { ...asSaid, defer: "none" },
      },
    ],
    example: exampleExchange,
  }),
  post_model_switch: ask(exchange, {
    about: "The session's model has changed.",
    since: "0.1",
    scope: "session",
    matchOn: "toModel",
    answer: { reminder: joined, ...universal },
    views: [
      {
        dialect: "claude",
        name: "PostModelSwitch",
        exit2: "user",
        plainText: "context",
        limitSeconds: 30,
        executors: programs,
      },
    ],
    example: exampleExchange,
  }),
};
