import { redactValue } from "#host";
import { type AnyView, encodeClaude, encodeShell, json, type Question } from "#kernel";
import type { HookContext, HookPorts } from "../hook-context.ts";

export interface Encoded {
  readonly wire: Readonly<Record<string, unknown>>;
  readonly json: string;
}

type Form = "full" | "redacted";

/** Encodes what rules are told, once per firing for all that see the same: payloads are made anew for each firing and never change. */
export function wires(ports: HookPorts): (question: Question, context: HookContext, form: Form) => Promise<Encoded> {
  const known = new WeakMap<object, Map<AnyView, Map<Form, Promise<Encoded>>>>();
  return (question, context, form) => {
    const { payload, view } = question;
    const views = known.get(payload) ?? new Map<AnyView, Map<Form, Promise<Encoded>>>();
    known.set(payload, views);
    const forms = views.get(view) ?? new Map<Form, Promise<Encoded>>();
    views.set(view, forms);
    const made = forms.get(form) ?? encoded(question, context, ports, form);
    forms.set(form, made);
    return made;
  };
}

async function encoded(question: Question, context: HookContext, ports: HookPorts, form: Form): Promise<Encoded> {
  const given =
    question.view.dialect === "shell" ? shellWire(question, context) : await claudeWire(question, context, ports);
  const wire = form === "redacted" ? (redactValue(given) as Readonly<Record<string, unknown>>) : given;
  return { wire, json: json(wire) };
}

const shellWire = (question: Question, context: HookContext): Readonly<Record<string, unknown>> => ({
  ...encodeShell(question, context.cwd),
});

async function claudeWire(
  question: Question,
  context: HookContext,
  ports: HookPorts,
): Promise<Readonly<Record<string, unknown>>> {
  const { agentId, agentType, taskId, sessionId, rootSessionId = sessionId } = context;
  return encodeClaude(await withOwnTranscript(question, context, ports), {
    // In this dialect a sub-agent has no session of its own.
    sessionId: rootSessionId,
    transcriptPath: await ports.transcript({ sessionId: rootSessionId }),
    cwd: context.cwd,
    promptId: taskId === "" ? undefined : taskId,
    permissionMode: ports.permissionMode(context),
    agentId,
    agentType,
  });
}

/** What is told of a sub-agent names its own transcript beside the session's. */
async function withOwnTranscript(question: Question, context: HookContext, ports: HookPorts): Promise<Question> {
  const { view, payload } = question;
  if (context.agentId === undefined || view.sends?.includes("agentTranscriptPath" as never) !== true) return question;
  return { ...question, payload: { ...payload, agentTranscriptPath: await ports.transcript(context) } };
}
