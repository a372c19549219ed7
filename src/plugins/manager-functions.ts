import { currentManager, type PluginManager } from "./manager.ts";
import type { PluginReport } from "./plugin-report.ts";
import type { ContextEngine } from "./provider.ts";

type Values = Readonly<Record<string, unknown>>;

/** All plugins of the program in which the calling code runs. Throws where no program runs it. */
export const getPluginManager = (): PluginManager => currentManager();

/** Looks for plugins; once, unless forced: then all are loaded anew. */
export const discoverPlugins = (force = false): Promise<void> => currentManager().discover({ force });

export const listPlugins = (): readonly PluginReport[] => currentManager().list();

/** Calls every callback of a hook's name and gives what they answer, beside nothing. */
export const invokeHook = (name: string, payload: Values = {}): Promise<readonly unknown[]> =>
  currentManager().invokeHook(name, payload);

export const invokeMiddleware = (kind: string, payload: Values = {}): Promise<readonly unknown[]> =>
  currentManager().invokeMiddleware(kind, payload);

export const hasHook = (name: string): boolean => currentManager().hasHook(name);
export const hasMiddleware = (kind: string): boolean => currentManager().hasMiddleware(kind);

/** The engine that the configuration names and a plugin has registered. */
export const getPluginContextEngine = (): ContextEngine | undefined => currentManager().contextEngine();

export const getPluginCommandHandler = (name: string): ReturnType<PluginManager["commandHandler"]> =>
  currentManager().commandHandler(name);
export const getPluginCommands = (): ReturnType<PluginManager["commands"]> => currentManager().commands();
export const getPluginAuxiliaryTasks = (): ReturnType<PluginManager["auxiliaryTasks"]> =>
  currentManager().auxiliaryTasks();
export const getPluginToolsets = (): ReturnType<PluginManager["toolsets"]> => currentManager().toolsets();

/** Until the agent run at hand ends, it may use these tools only. `{tool_name}` in the text stands for the tool. */
export const setThreadToolWhitelist = (allowed: Iterable<string>, denial?: string): void =>
  currentManager().setToolWhitelist(allowed, denial);

export const clearThreadToolWhitelist = (): void => currentManager().setToolWhitelist(undefined);

/** Why a tool may not run now: the whitelist, else the first refusal of a `pre_tool_call` hook. */
export const getPreToolCallBlockMessage = (toolName: string, args: Values = {}): Promise<string | undefined> =>
  currentManager().blockMessage(toolName, args);
