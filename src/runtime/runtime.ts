import type { Agent, Session } from "#agent";
import type { McpPrompt, Transcription } from "#capabilities";
import type { Environment } from "#host";
import type { ModelRoute } from "#models";
import type { Plugins } from "#plugins";
import type { SessionRecord, SessionStore } from "#sessions";
import type { HookOptions } from "./hooks/hook-options.ts";
import type { PluginCli } from "./plugins/cli-commands.ts";
import type { PluginSlash, ProgramCommand } from "./plugins/slash-commands.ts";
import type { Presentation } from "./presentation.ts";

export interface RuntimeOptions {
  /** `--home`; absent: as docs/reference/home.md says. */
  readonly home?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The person named this folder: `terminal.cwd` does not count. */
  readonly cwdIsNamed?: boolean;
  /** Dangerous commands run without asking; what is never allowed stays so. */
  readonly yolo?: boolean;
  /** Only tools of these toolsets are offered, whatever the settings say. */
  readonly toolsets?: readonly string[] | undefined;
  /** Other than the process's own. */
  readonly environment?: Environment;
  /** The command line that starts this program: children of tools find it as `hermes` where the machine has none. */
  readonly program?: readonly string[];
  /** What the command line says of hooks. */
  readonly hooks?: HookOptions;
  /** Slash commands of the program itself, whose names plugins cannot take. */
  readonly slashCommands?: readonly ProgramCommand[];
  /** Told to trace collectors. */
  readonly version: string;
}

export interface OpenChat {
  readonly cwd: string;
  /** `cli` for the chat, `run` for one task. */
  readonly source: string;
  readonly resume?: SessionRecord;
  /** The session in whose place this one is opened. */
  readonly replaces?: string;
  /** `provider/name`; absent: a resumed session's own, else what the configuration says. */
  readonly model?: string;
}

/** The wired house: what the program, the gateway and embedders hold. */
export interface Runtime extends Presentation {
  /** Absolute path. */
  readonly home: string;
  /** False where the home may only be read: tools and settings can be listed, no turn can be stored. */
  readonly isWritable: boolean;
  /** The folder in which sessions begin, absolute. */
  readonly cwd: string;
  readonly store: SessionStore;
  readonly agent: Agent;
  /** What the configuration got wrong, one sentence each. */
  readonly warnings: readonly string[];
  open(options: OpenChat): Promise<Session>;
  /** Connects to the MCP servers and asks the checks of plugins' tools now, as the first turn would. */
  connected(): Promise<void>;
  /** The plugins; nothing of them is loaded before this is called, unless some are enabled. */
  plugins(): Promise<Plugins>;
  /** What is said in an audio file, given by its absolute path. Rejects only with the signal's reason. */
  transcribe(file: string, signal: AbortSignal): Promise<Transcription>;
  /** Told of a session in which a background hook wants the agent to go on, even when nothing runs. Returns its undo. */
  onWake(listener: (sessionId: string) => void): () => void;
  /** Prompts of MCP servers that a person can type as commands; of servers that are connected, or were. */
  promptCommands(): readonly McpPrompt[];
  /** Slash commands of plugins, of those that are loaded. */
  slashCommands(): readonly PluginSlash[];
  /** How a toolset of plugins is called in lists; undefined for others. */
  toolsetTitle(toolset: string): string | undefined;
  /** Commands that plugins add to the program, of those that are loaded. */
  cliCommands(): readonly PluginCli[];
  /** While a chat is open: takes messages that plugins put in; false when it cannot. Returns its undo. */
  onMessage(taker: (text: string) => boolean): () => void;
  /** The models to use, in order, for a reference such as `openrouter/qwen/qwen3`; rejects when it names nothing usable. */
  route(reference?: string): Promise<ModelRoute>;
  /** The last turn of a session as lines of text. */
  drawTrace(
    sessionId: string,
    size: { readonly columns: number; readonly colour: boolean },
  ): Promise<readonly string[]>;
  /** Whether dangerous commands of a session run without a question; what is never allowed stays so. */
  yolo(sessionId: string, wanted: boolean): void;
  isYolo(sessionId: string): boolean;
  log(level: "debug" | "info" | "warning" | "error", message: string): void;
  /** Ends sessions, flushes traces and closes the store. */
  close(reason: string): Promise<void>;
}
