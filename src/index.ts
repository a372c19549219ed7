export type {
  Agent,
  ApprovalChoice,
  ApprovalRequest,
  Session,
  Surface,
  Tool,
  ToolOutcome,
  ToolRun,
  TurnContext,
  TurnEvent,
  TurnInput,
  TurnOutcome,
  TurnResult,
} from "#agent";
export { AgentError, isAgentError } from "#agent";
export { ConfigError, isConfigError } from "#config";
export {
  blueprint,
  createKernel,
  type Entry,
  type HookGroup,
  type Layer,
  lifecycle,
  type Message,
  type Middleware,
  type Plan,
} from "#kernel";
export { isModelError, type Model, ModelError, type ModelRoute } from "#models";
export { createRuntime, type OpenChat, type Runtime, type RuntimeOptions } from "#runtime";
export { isSessionError, SessionError, type SessionRecord, type SessionStore } from "#sessions";
