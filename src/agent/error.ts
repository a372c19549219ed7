export type AgentErrorCode =
  | "session_busy"
  | "session_closed"
  | "interrupted"
  | "abandoned"
  | "refused"
  | "unknown_tools"
  | "middleware_failed"
  | "model_failed"
  | "delegation_refused"
  | "compaction_refused";

const mark = Symbol.for("talaria.agent-error");

/** What the loop itself has to say. The message names what failed and what to do; see docs/reference/turn.md. */
export class AgentError extends Error {
  readonly code: AgentErrorCode;
  readonly [mark] = true;

  constructor(code: AgentErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "AgentError";
    this.code = code;
  }
}

export function isAgentError(error: unknown, code?: AgentErrorCode): error is AgentError {
  if (typeof error !== "object" || error === null || !(mark in error)) return false;
  return code === undefined || (error as AgentError).code === code;
}

/** The text of anything that was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  return typeof error === "string" ? error : String(error);
}
