import type { Candidate } from "../manifest.ts";
import type { PluginContext } from "../plugin-context.ts";
import type { ProviderKind, Providers } from "../provider.ts";
import type { HookCallback, MiddlewareCallback } from "../registration.ts";
import type { Undo } from "../registry.ts";
import { isMapping, needsText, type Values } from "./checks.ts";
import { registerCliCommand, registerCommand } from "./commands.ts";
import { type Checked, checkedHook, checkedMiddleware } from "./hooks.ts";
import type { ContextParts } from "./parts.ts";
import { registerAuxiliaryTask, registerPlatform, registerSlackAction } from "./platforms.ts";
import { registerContextEngine, registerProvider } from "./providers.ts";
import { registerSkill } from "./skills.ts";
import { registerTool } from "./tools.ts";

export interface ContextFacts {
  readonly candidate: Candidate;
  readonly home: string;
  /** `plugins.entries.<key>`. */
  readonly config: Values;
  /** The whole configuration. */
  readonly settings: Values;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The context that `register` is given: checks what is registered and puts it into the plugin's scope. */
export function pluginContext(facts: ContextFacts, parts: ContextParts): PluginContext {
  const { candidate, home, config, settings, environment } = facts;
  const { owner, scope, reach, log } = parts;
  const provider =
    <K extends ProviderKind>(kind: K) =>
    (given: Providers[K]): Undo =>
      registerProvider(kind, given, parts);
  const told = <T>({ value, remark }: Checked<T>): T => {
    if (remark !== undefined) log(remark.level, remark.text);
    return value;
  };
  const context: PluginContext = {
    manifest: candidate.manifest,
    key: candidate.key,
    folder: "folder" in candidate.code ? candidate.code.folder : "",
    home,
    config,
    settings,
    environment,
    log: {
      debug: (message) => log("debug", message),
      info: (message) => log("info", message),
      warning: (message) => log("warning", message),
      error: (message) => log("error", message),
    },
    signal: owner.signal,
    get llm() {
      return reach.model(owner);
    },
    registerTool: (tool) => registerTool(tool, parts),
    registerHook: (name: string, callback: HookCallback, options?: object) =>
      scope.add("hook", told(checkedHook(name, callback, options))),
    registerMiddleware: (kind: string, callback: unknown, options?: object) =>
      scope.add("middleware", told(checkedMiddleware(kind, callback as MiddlewareCallback, options))),
    registerCommand: (command) => registerCommand(command, parts),
    registerCliCommand: (command) => registerCliCommand(command, parts),
    registerSkill: (skill) => registerSkill(skill, parts),
    registerContextEngine: (engine) => registerContextEngine(engine, parts),
    registerMemoryProvider: provider("memory"),
    registerWebSearchProvider: provider("web"),
    registerImageGenProvider: provider("image"),
    registerVideoGenProvider: provider("video"),
    registerTtsProvider: provider("tts"),
    registerTranscriptionProvider: provider("transcription"),
    registerBrowserProvider: provider("browser"),
    registerPlatform: (platform) => registerPlatform(platform, parts),
    registerSlackActionHandler: (handler) => registerSlackAction(handler, parts),
    registerAuxiliaryTask: (task) => registerAuxiliaryTask(task, parts),
    onUnload: (undo) => scope.onUnload(undo),
    injectMessage: (content, role = "user") => reach.injectMessage(owner, String(content), role),
    async dispatchTool(name, args) {
      needsText("dispatchTool", { name }, "name");
      return reach.dispatchTool(owner, name, isMapping(args) ? args : {});
    },
  };
  return context;
}
