import { guardedPost, isHostError } from "#host";
import { allows, decodeHttp } from "#kernel";
import type { Executed, Execution, Executor } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import type { HttpRule } from "../rule.ts";
import { leash } from "./leash.ts";
import { failed, headOf, messageOf } from "./outcome.ts";

/** Bytes of an answer; a longer one is a failure. */
const longestAnswer = 8 << 20;

/** Set by the request itself; a rule may not. */
const reserved = new Set(["content-length", "transfer-encoding", "connection", "host", "upgrade", "te", "trailer"]);
const variable = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const validName = /^[!#$%&'*+\-.^`|~\w]+$/;
/** Visible characters, blanks and those of Latin-1. */
const invalidValue = /[^\t\x20-\x7e\x80-\xff]/;

type Environment = Readonly<Record<string, string>>;

/** Headers with the variables that the rule may read; a line break cannot get in, neither from the rule nor from a variable. */
function filledHeaders(
  { headers, allowedEnvVars }: Pick<HttpRule, "headers" | "allowedEnvVars">,
  env: Environment,
): { readonly headers: Readonly<Record<string, string>>; readonly remarks: readonly string[] } {
  const filled: Record<string, string> = { "content-type": "application/json" };
  const remarks: string[] = [];
  for (const [name, text] of Object.entries(headers)) {
    const value = text
      .replaceAll(variable, (_, braced: string | undefined, bare: string | undefined) => {
        const wanted = braced ?? bare ?? "";
        return allowedEnvVars.includes(wanted) ? (env[wanted] ?? "") : "";
      })
      .replaceAll(/[\r\n]/g, "");
    const lower = name.trim().toLowerCase();
    if (!validName.test(lower) || invalidValue.test(value))
      remarks.push(`the header ${JSON.stringify(name)} is not valid`);
    else if (!reserved.has(lower)) filled[lower] = value;
  }
  return { headers: filled, remarks };
}

/** An address may name variables that the rule may read, as `${NAME}`. */
function filledAddress({ url, allowedEnvVars }: HttpRule, env: Environment): { url: string } | { problem: string } {
  let problem: string | undefined;
  const filled = url.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (given, name: string) => {
    if (!allowedEnvVars.includes(name)) return given;
    if (!env[name]) problem ??= `the address names the variable ${name}, which is not set`;
    return env[name] ?? "";
  });
  return problem === undefined ? { url: filled } : { problem };
}

/** A refused address refuses the event, whatever the rule says of failures: a guard that is skipped in silence is worse. */
function refusal({ question, rule }: Execution<HttpRule>, why: string): Executed {
  const reason = `the address of an http hook in ${rule.where} was refused (SSRF guard): ${why}`;
  return allows(question, "verdict")
    ? { decoded: { kind: "answer", answer: { verdict: { decision: "deny", reason } }, remarks: [reason] } }
    : failed(reason);
}

/** Posts the payload. `allowHosts` may have private addresses. */
export const httpExecutor =
  (ports: HookPorts, allowHosts: readonly string[]): Executor<HttpRule> =>
  async (execution) => {
    const { rule, question, json: body, context } = execution;
    const env = ports.environment(context);
    const address = filledAddress(rule, env);
    if ("problem" in address) return failed(address.problem);
    const { headers, remarks } = filledHeaders(rule, env);
    const held = leash(execution);
    try {
      const request = { headers, body, signal: held.signal, maxBytes: longestAnswer, allowHosts };
      const answer = await guardedPost(address.url, request);
      if (answer.kind === "refused") return refusal(execution, answer.reason);
      const decoded = decodeHttp(question, answer.status, answer.body);
      return { decoded: { ...decoded, remarks: [...remarks, ...decoded.remarks] }, stdout: headOf(answer.body) };
    } catch (error) {
      if (!isHostError(error)) throw new Error(`the hook in ${rule.where} could not be asked`, { cause: error });
      return failed(held.why() ?? messageOf(error), remarks);
    } finally {
      held.release();
    }
  };
