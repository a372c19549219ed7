export type {
  Agent,
  ApprovalChoice,
  ApprovalRequest,
  Session,
  Surface,
  Tool,
  TurnContext,
  TurnEvent,
  TurnInput,
  TurnResult,
} from "#agent";
export { createKernel, type Layer, lifecycle, type Middleware, type Plan } from "#kernel";
export { createRuntime, type Runtime, type RuntimeOptions } from "#runtime";
