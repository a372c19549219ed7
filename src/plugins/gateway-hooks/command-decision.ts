import { type CommandDecision, decodeGateway, named } from "#kernel";

export interface Decided {
  readonly decision?: CommandDecision;
  /** What was said in vain. */
  readonly remarks: readonly string[];
}

/** What a handler's return value comes to. Only commands can be decided (docs/reference/gateway-hooks.md). */
export function decided(event: string, context: Readonly<Record<string, unknown>>, returned: unknown): Decided {
  const row = named("gateway", event);
  if (row === undefined) return { remarks: [] };
  const typed = context["raw_command"] ?? context["command"] ?? event.slice(event.indexOf(":") + 1);
  const decoded = decodeGateway({ ...row, payload: { rawCommand: typed } }, returned);
  if (decoded.kind === "failed") return { remarks: [decoded.reason] };
  const decision = decoded.answer["command"] as CommandDecision | undefined;
  return decision === undefined ? { remarks: decoded.remarks } : { decision, remarks: decoded.remarks };
}
