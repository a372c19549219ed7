import type { TurnContext } from "#agent";
import type { Payload } from "#kernel";
import { type Fields, formAnswer, type Reply } from "./form.ts";

/** What a server asks the person. */
export interface Elicitation {
  readonly message: string;
  readonly mode: "form" | "url";
  readonly url?: string;
  readonly elicitationId?: string;
  readonly requestedSchema?: Fields;
}

/** Who answers a server's questions while one of its tools runs. Never rejects, except with an interrupt. */
export interface Answerer {
  answer(asked: Elicitation, signal: AbortSignal): Promise<Reply>;
  /** What was asked by an address is done, says the server. */
  completed(elicitationId: string): void;
}

/**
 * `elicitation` → the person, where the hooks leave it to them → `elicitation_result`. Where nobody can be asked the answer
 * is `cancel`, where a hook refuses it is `decline`.
 */
export function answererOf(server: string, context: TurnContext): Answerer {
  return {
    async answer(asked, signal) {
      const { plan } = context;
      const { message, ...rest } = asked;
      const judged = await plan.on.elicitation?.({ mcpServerName: server, message, ...rest }, context);
      if (judged?.verdict?.decision === "deny") return { action: "decline" };
      if (judged?.reply !== undefined) return judged.reply;
      const given = await askedPerson(server, asked, { context, signal });
      if (given === undefined) return { action: "cancel" };
      const { mode, elicitationId } = asked;
      const about = { mcpServerName: server, mode, ...(elicitationId === undefined ? {} : { elicitationId }) };
      const after = await plan.on.elicitation_result?.({ ...about, ...given }, context);
      const reply = after?.verdict?.decision === "deny" ? ({ action: "decline" } as const) : (after?.reply ?? given);
      notify(context, "elicitation_response", `The MCP server ${server} was told: ${reply.action}`);
      return reply;
    },
    completed: () => notify(context, "elicitation_complete", `What the MCP server ${server} asked for is done`),
  };
}

interface Asking {
  readonly context: TurnContext;
  readonly signal: AbortSignal;
}

async function askedPerson(
  server: string,
  asked: Elicitation,
  { context, signal }: Asking,
): Promise<Reply | undefined> {
  const { question } = context.surface;
  if (question === undefined) return undefined;
  const type = asked.mode === "url" ? "elicitation_url_dialog" : "elicitation_dialog";
  notify(context, type, `The MCP server ${server} asks: ${asked.message}`);
  const ask = (text: string, choices: readonly string[]) => question(text, choices, signal);
  const head = `The MCP server ${server} asks: ${asked.message}`;
  if (asked.mode === "form") return formAnswer(head, asked.requestedSchema ?? {}, ask);
  const choice = await ask(`${head}\nIt wants you to open ${asked.url ?? "an address"}`, ["I do", "decline"]);
  if (choice === undefined) return { action: "cancel" };
  return { action: /^(i do|y|yes|ok)$/i.test(choice.trim()) ? "accept" : "decline" };
}

/** Tells hooks that a person is wanted, or was. Nothing waits for them. */
function notify(context: TurnContext, notificationType: string, message: string): void {
  const { plan, sessionId, surface } = context;
  const payload: Payload<"notification"> = { sessionId, message, notificationType };
  void Promise.resolve(plan.on.notification?.(payload, context)).catch((error: unknown) => {
    surface.emit({ type: "notice", level: "warning", text: `A notification hook failed: ${String(error)}` });
  });
}
