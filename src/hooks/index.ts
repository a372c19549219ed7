export type { Executed, Execution, Executor, Executors } from "./executor.ts";
export type { HookContext, HookPorts } from "./hook-context.ts";
export type {
  AgentRule,
  CommandRule,
  DroppedRule,
  HookSource,
  HttpRule,
  McpToolRule,
  PromptRule,
  Rule,
  RuleProblem,
  RuleSet,
  WorkerRule,
} from "./rule.ts";
