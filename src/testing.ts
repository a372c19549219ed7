export { type MakeModel, type ModelCase, type ModelTraits, modelContract } from "./models/testing/model-contract.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  modelServer,
  type RecordedRequest,
  type ServerFault,
  type ServerStep,
} from "./models/testing/model-server.ts";
export type { ScriptedAnswer, ScriptedCall } from "./models/testing/script.ts";
export {
  type ScriptedModel,
  type ScriptedOptions,
  type ScriptedStep,
  scriptedModel,
} from "./models/testing/scripted-model.ts";
export type { CliInput, CliOutcome, PluginTester, TesterOptions } from "./runtime/plugin-desk/plugin-tester.ts";
export { pluginTester } from "./runtime/plugin-desk/tester-door.ts";
export type { LogLine, TrialOptions } from "./runtime/plugin-desk/trial-room.ts";
