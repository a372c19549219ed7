export { type Desk, type DeskOptions, openDesk } from "./desk.ts";
export { examineHooks, type HookFinding } from "./examination.ts";
export { type Explanation, explain } from "./explanation.ts";
export { type ImportedSource, importable } from "./import-list.ts";
export { type Occasion, occasion } from "./occasion.ts";
export { type ReplayedEvent, replay } from "./replay.ts";
export { eventWords, type ListedEvent, type ListedRule, listEvents, listRules } from "./rule-list.ts";
export { type Trial, tryRules } from "./trial.ts";
