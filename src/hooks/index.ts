export type { CompiledRule, CompiledSource, OmittedRule } from "./engine/compiled-rule.ts";
export { type Skipped, skipped } from "./engine/consideration.ts";
export {
  type Compiled,
  type EngineParts,
  type EngineSettings,
  type HookEngine,
  hookEngine,
} from "./engine/hook-engine.ts";
export { type LiveHooks, liveHooks } from "./engine/live-hooks.ts";
export { execute, type Outcome } from "./engine/rule-run.ts";
export type { Executed, Execution, Executor, Executors } from "./executor.ts";
export { type ExecutorsOptions, executors, type HookExecutors } from "./executors/executors.ts";
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
export { shlex } from "./shlex.ts";
export { readSources, type SourcesRead } from "./sources/read-sources.ts";
export type { SourceSearch } from "./sources/settings-layers.ts";
export { type RuleWatch, type SourceChange, type WatchOptions, watchSources } from "./sources/watch-sources.ts";
export { type Approval, isDrifted, scriptModified } from "./trust/allow-list.ts";
export type { TrustOptions } from "./trust/consent.ts";
export { folderList as trustedFolders } from "./trust/folder-list.ts";
export type { Pin } from "./trust/pin.ts";
export { type HookTrust, hookTrust } from "./trust/trust.ts";
