import type { DisplaySettings, Runtime } from "#runtime";
import type { Conversation } from "./conversation.ts";
import type { PluginCommandRuns } from "./plugin-command.ts";

/** How this chat is shown: begins as the settings say and follows the person's commands. */
export type ChangeableDisplay = { -readonly [Name in keyof DisplaySettings]: DisplaySettings[Name] };

/** What a slash command may reach. `say` prints lines beside the conversation. */
export interface SlashContext {
  readonly conversation: Conversation;
  readonly runtime: Runtime;
  readonly columns: number;
  readonly colour: boolean;
  readonly display: ChangeableDisplay;
  /** Whether what was said may be put away; yes where nobody can be asked. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly pluginCommands: PluginCommandRuns;
  say(text: string): void;
  quit(): void;
}
