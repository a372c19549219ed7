export { createRoute, type RouteSettings } from "./candidate-route.ts";
export type { Provider } from "./catalogue.ts";
export { type ChoiceProblem, type ModelChoice, type Reference, readChoice, readKeyStrategies } from "./choice.ts";
export type { Connection } from "./connection.ts";
export { isModelError, ModelError } from "./error.ts";
export { testModel } from "./listing.ts";
export {
  type FinishReason,
  type Model,
  type ModelCall,
  type ModelDelta,
  type ModelErrorCode,
  type ModelRequest,
  type ModelResult,
  type ReasoningEffort,
  reasoningEfforts,
  type ToolDefinition,
} from "./model.ts";
export { readProviders } from "./own-providers.ts";
export type { ModelClock, ModelPorts } from "./ports.ts";
export type { Attempt, FailedAttempt, ModelRoute, RouteObserver } from "./route.ts";
export { type Candidate, type Environment, type Selection, selectModel } from "./selection.ts";
export { type ScriptedModel, type ScriptedStep, scriptedModel } from "./testing/scripted-model.ts";
