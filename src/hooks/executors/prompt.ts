import { decodeJudgement } from "#kernel";
import type { Executed, Execution, Executor } from "../executor.ts";
import type { HookPorts } from "../hook-context.ts";
import type { AgentRule, PromptRule } from "../rule.ts";
import { leash } from "./leash.ts";
import { failed, messageOf } from "./outcome.ts";

const argument = /(\\?)\$(?:ARGUMENTS\b|\{ARGUMENTS\})/g;

/** The text of a rule with the payload in the place of `$ARGUMENTS`, or after it where the text has no such place. */
export function filledPrompt(prompt: string, json: string): string {
  let placed = false;
  const text = prompt.replaceAll(argument, (given: string, escaped: string) => {
    if (escaped !== "") return given.slice(1);
    placed = true;
    return json;
  });
  return placed ? text : `${text}\n\n${json}`;
}

const form = [
  "Answer with one JSON object and nothing else:",
  '{"ok": true} if nothing speaks against it, or',
  '{"ok": false, "reason": "why not, and what to do instead"}.',
].join("\n");
const impossible = 'If it cannot be reached at all, answer {"ok": false, "impossible": true, "reason": "why"}.';

/** Models like to put JSON into a fence or a sentence. */
function bareAnswer(text: string): string {
  const trimmed = text.trim();
  const fenced = /^```[a-z]*\s*\n([\s\S]*?)\n?\s*```$/i.exec(trimmed)?.[1]?.trim();
  if (fenced !== undefined) return fenced;
  if (trimmed.startsWith("{")) return trimmed;
  const start = trimmed.indexOf("{");
  return start >= 0 && trimmed.endsWith("}") ? trimmed.slice(start) : trimmed;
}

type Judge = NonNullable<HookPorts["judge"]>;

async function judged(
  execution: Execution<PromptRule | AgentRule>,
  judge: Judge,
  facts: { readonly continued: boolean; readonly remarks: readonly string[] },
): Promise<Executed> {
  const { rule, question, json, context } = execution;
  const held = leash(execution);
  const ended = Promise.withResolvers<never>();
  held.signal.addEventListener("abort", () => ended.reject(new Error(held.why())), { once: true });
  try {
    const mayGiveUp = question.view.refusal === undefined && rule.type === "prompt" ? `\n${impossible}` : "";
    const text = `${filledPrompt(rule.prompt, json)}\n\n${form}${mayGiveUp}`;
    if (held.signal.aborted) return failed(held.why() ?? "was interrupted", facts.remarks);
    const answer = await Promise.race([
      judge({ model: rule.model, text, context, signal: held.signal }),
      ended.promise,
    ]);
    if (answer.trim() === "") return failed("the model answered nothing", facts.remarks);
    const decoded = decodeJudgement(question, bareAnswer(answer), facts.continued);
    return { decoded: { ...decoded, remarks: [...facts.remarks, ...decoded.remarks] }, stdout: answer };
  } catch (error) {
    return failed(held.why() ?? `the model could not be asked: ${messageOf(error)}`, facts.remarks);
  } finally {
    held.release();
  }
}

/** One question to a model. */
export const promptExecutor =
  (ports: HookPorts): Executor<PromptRule> =>
  (execution) =>
    judged(execution, ports.ask, { continued: execution.rule.continueOnBlock, remarks: [] });

const degraded = "no sub-agent can be started here: the agent rule was one question to a model, without tools";

/** A sub-agent with read-only tools; where none can be started, one question, and a remark that says so. */
export const agentExecutor =
  (ports: HookPorts): Executor<AgentRule> =>
  (execution) =>
    ports.judge === undefined
      ? judged(execution, ports.ask, { continued: true, remarks: [degraded] })
      : judged(execution, ports.judge, { continued: true, remarks: [] });
