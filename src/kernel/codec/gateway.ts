import { isRecord } from "../data.ts";
import type { CommandDecision } from "../events/gateway.ts";
import { gathering } from "./answer.ts";
import { type Decoded, noOpinion, project, type Question, type Wire } from "./question.ts";

/**
 * The names under which an event is told to gateway hooks: its own, or one for each spelling of a family's member
 * (`command:new` and, where it was typed so, `command:reset`), each once.
 */
export function gatewayNames({ view, payload }: Question): readonly string[] {
  if (view.family === undefined) return [view.name];
  const prefix = view.name.slice(0, view.name.indexOf(":") + 1);
  const members = view.family.map((key) => `${prefix}${String((payload as Wire)[key])}`);
  return [...new Set(members)];
}

/**
 * Whether what a hook subscribed to, an exact name or `prefix:*`, covers an event name.
 * `*` alone, `*:start` and `command:m*` are no patterns.
 */
export const subscribed = (subscription: string, name: string): boolean =>
  subscription === name || (name.includes(":") && subscription === `${name.slice(0, name.indexOf(":"))}:*`);

/** The `context` of a gateway hook; its own copy for each. */
export const encodeGateway = (question: Question): Record<string, unknown> => project(question);

/** What a handler of a gateway event returned. Only commands can be decided. */
export function decodeGateway(question: Question, returned: unknown): Decoded {
  if (!isRecord(returned) || typeof returned["decision"] !== "string") return noOpinion();
  const decision = readDecision(returned["decision"].trim().toLowerCase(), returned, question.payload as Wire);
  if (typeof decision === "string") return noOpinion(...(decision === "" ? [] : [decision]));
  const gather = gathering(question);
  gather.give("command", decision, "decision");
  return gather.result();
}

function readDecision(decision: string, returned: Wire, payload: Wire): CommandDecision | string {
  const { message } = returned;
  const spoken = typeof message === "string" && message !== "" ? message : undefined;
  if (decision === "deny")
    return { decision, message: spoken ?? `Command \`/${String(payload["rawCommand"])}\` was blocked by a hook.` };
  if (decision === "handled") return spoken === undefined ? { decision } : { decision, message: spoken };
  if (decision === "rewrite") return readRewrite(returned);
  return decision === "" || decision === "allow" ? "" : `no such decision: ${decision}`;
}

function readRewrite({ command_name: name, raw_args: rawArgs }: Wire): CommandDecision | string {
  const commandName = typeof name === "string" ? name.trim().replace(/^\/+/, "").trim() : "";
  if (commandName === "") return "a rewrite needs command_name";
  const decision = "rewrite";
  return typeof rawArgs === "string" ? { decision, commandName, rawArgs } : { decision, commandName };
}
