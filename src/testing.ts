export type { ScriptedAnswer, ScriptedCall } from "./models/testing/script.ts";
export {
  type ScriptedModel,
  type ScriptedOptions,
  type ScriptedStep,
  scriptedModel,
} from "./models/testing/scripted-model.ts";
