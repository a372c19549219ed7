export type {
  FinishReason,
  Model,
  ModelCall,
  ModelDelta,
  ModelErrorCode,
  ModelRequest,
  ModelResult,
  ToolDefinition,
} from "./model.ts";
export type { Attempt, FailedAttempt, ModelRoute, RouteObserver } from "./route.ts";
