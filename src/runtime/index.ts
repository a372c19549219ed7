export type { McpPrompt } from "#capabilities";
export { reasoningEfforts, testModel } from "#models";
export type { PluginReport, Plugins } from "#plugins";
export { createRuntime } from "./create-runtime.ts";
export { examine } from "./examination.ts";
export type { Finding } from "./finding.ts";
export type { HandFired } from "./gateway-hooks.ts";
export type {
  Desk,
  DeskOptions,
  Explanation,
  HookFinding,
  ImportedSource,
  ListedEvent,
  ListedRule,
  Occasion,
  ReplayedEvent,
  Trial,
} from "./hook-desk/index.ts";
export { type House, type HouseOptions, openHouse } from "./house.ts";
export { modelRoute, offeredModels } from "./model-route.ts";
export type { Offer, Origin, PluginDesk, PluginTrial, Switched, Update } from "./plugin-desk/index.ts";
export type { PluginCli } from "./plugins/cli-commands.ts";
export type { PluginSlash } from "./plugins/slash-commands.ts";
export type { DisplaySettings } from "./presentation.ts";
export type { OpenChat, Runtime, RuntimeOptions } from "./runtime.ts";
export { openSessions, type SessionLibrary } from "./session-library.ts";
/** Lists, trials and explanations of hooks; loaded only when asked for. */
export const hookDesk = () => import("./hook-desk/index.ts");
/** Fires gateway hooks by hand; loaded only when asked for. */
export const gatewayDesk = () => import("./gateway-hooks.ts");
/** Plugins as files: what is installed, switched and removed; loaded only when asked for. */
export const pluginDesk = () => import("./plugin-desk/index.ts");
