import type { PluginModel } from "./plugin-context.ts";
import type { Owner } from "./registration.ts";

/** What contexts of plugins reach beyond this room; `runtime` fills it. */
export interface PluginReach {
  /** The host's model for one plugin, under its policy. */
  model(owner: Owner): PluginModel;
  /** Runs a tool on its whole path on behalf of a plugin. */
  dispatchTool(owner: Owner, name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** False where no conversation is open. */
  injectMessage(owner: Owner, content: string, role: string): boolean;
  /** The toolset of a tool of the program itself, undefined for other names. */
  toolsetOf(tool: string): string | undefined;
  /** Whether a slash command, or an alias of one, belongs to the program itself. */
  isBuiltInCommand(name: string): boolean;
}
