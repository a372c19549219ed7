import type { ModelErrorCode } from "./model.ts";

/** What is known of a failed call before it has a class. */
export interface Failure {
  readonly statusCode: number | undefined;
  /** The provider's own name for it, such as `overloaded_error` or `insufficient_quota`; empty where none was given. */
  readonly type: string;
  readonly text: string;
  /** Codes of the operating system and of the HTTP client, along the chain of causes. */
  readonly systemCodes: readonly string[];
}

interface Rule {
  readonly code: ModelErrorCode;
  readonly status?: readonly number[];
  readonly says?: RegExp;
  readonly system?: RegExp;
}

/**
 * Read from top to bottom; the first row of which every stated column fits decides. `says` looks at type and text.
 * What vendors say is more exact than the status they say it with, so texts come first (docs/reference/model-errors.md).
 */
const rules: readonly Rule[] = [
  {
    code: "context_overflow",
    status: [400, 413, 422, 500],
    says: /context[ _]length|context[ _]window|maximum context|context size|prompt is too long|input is too long|too many (input )?tokens|input token count.*exceeds|exceeds? the (available|maximum|model'?s?) .*(context|tokens)|max_prompt_tokens|reduce the length of the (messages|prompt)|string too long|request_too_large|prompt exceeds|input length and .?max_tokens.? exceed|exceeds the limit of \d+ tokens|上下文.*(超|长)/i,
  },
  { code: "context_overflow", status: [413] },
  {
    code: "billing",
    says: /insufficient[_ ](quota|balance|credits?|funds)|credit balance is too low|billing_(error|hard_limit|not_active)|exceeded your current quota, please check your plan|requires more credits|余额不足|欠费/i,
  },
  { code: "billing", status: [402] },
  {
    code: "content_refused",
    status: [400, 403, 422, 451],
    says: /content[_ ]?(policy|filter|management)|content_policy_violation|responsibleai|safety (system|filter|settings)|usage polic(y|ies)|flagged (as|by|for)|prohibited[_ ]content|moderation|blocked due to|data_inspection_failed|内容安全|敏感/i,
  },
  {
    code: "overloaded",
    says: /overloaded|engine is currently overloaded|model is overloaded|at capacity|no capacity|server is busy|ServiceUnavailableException|ModelNotReadyException/i,
  },
  {
    code: "model_not_found",
    status: [400, 403, 404, 422],
    says: /model[_ ]not[_ ]found|model .*(does not exist|not found|is not (available|supported|found|a valid))|no such model|unknown model|invalid model|not a valid model|models\/.* is not found|(model|deployment).*(doesn't|does not) exist|DeploymentNotFound|try pulling it first|no endpoints found|not_found_error.*model|模型不存在/i,
  },
  {
    code: "rate_limit",
    says: /rate[_ -]?limit|too many requests|resource_exhausted|throttl|quota exceeded|tokens per (minute|day)|请求过于频繁|限流/i,
  },
  { code: "rate_limit", status: [429] },
  {
    code: "authentication",
    status: [400, 401, 403],
    says: /api[_ -]?key|authentication_error|unauthori[sz]ed|invalid[_ ](token|credentials?|authentication)|permission[_ ]?(denied|error)|access ?denied|security token|signature we calculated|credential/i,
  },
  { code: "authentication", status: [401, 403] },
  { code: "overloaded", status: [503, 529] },
  { code: "model_not_found", status: [404, 410] },
  { code: "network", status: [408] },
  { code: "server", status: [409, 425, 500, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530] },
  {
    code: "server",
    says: /\b(api_error|server_error|internal_error|internal server error|internalServerException|upstream (error|connect)|timeout_error)\b/i,
  },
  {
    code: "network",
    system:
      /^(E(CONN(REFUSED|RESET|ABORTED)|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|NETDOWN|PROTO)|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_\w+|ERR_SSL_\w+|HPE_\w+|ConnectionRefused|network|timed_out)$/,
  },
  {
    code: "network",
    says: /^(terminated|fetch failed|network error|socket hang up|other side closed|premature close|cannot connect to api)/i,
  },
];

/** The class of a failure; `undefined` statuses of the 4xx family end as `bad_request`, 5xx as `server`. */
export function classify(failure: Failure): ModelErrorCode {
  const said = `${failure.type} ${failure.text}`.trim();
  const rule = rules.find(
    ({ status, says, system }) =>
      (!status || (failure.statusCode === undefined ? says !== undefined : status.includes(failure.statusCode))) &&
      (!says || says.test(says.source.startsWith("^") ? failure.text : said)) &&
      (!system || failure.systemCodes.some((code) => system.test(code))),
  );
  if (rule) return rule.code;
  const status = failure.statusCode ?? 0;
  if (status >= 500) return "server";
  if (status >= 400) return "bad_request";
  return "invalid_response";
}

/** Milliseconds of a `Retry-After` header, given as seconds, as an HTTP date, or in OpenAI's `retry-after-ms`. */
export function retryAfter(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const exact = Number(headers?.["retry-after-ms"]);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers?.["retry-after"]?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds >= 0 ? Math.round(seconds * 1000) : undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
