import type { EventName } from "#kernel";

/** One source of rules: a file, a plugin, the section of a configuration. A non-empty one is a hook group. */
export interface HookSource {
  readonly kind:
    | "managed"
    | "shell"
    | "claude-plugin"
    | "user"
    | "project"
    | "local"
    | "settings-option"
    | "skill"
    | "agent"
    | "embedder";
  /** How people are told of it: `config.yaml`, `~/.claude/settings.json`, `plugin:formatter`. Unique among the sources of a runtime. */
  readonly name: string;
  /** Absolute; absent where no file stands behind it. */
  readonly file?: string;
  readonly dialect: "shell" | "claude";
  /** What the source's rules call their own folder: `CLAUDE_PLUGIN_ROOT`, and the folder for their data. */
  readonly root?: string;
  readonly dataFolder?: string;
  readonly pluginOptions?: Readonly<Record<string, unknown>>;
  /** Rules of one event start together and fold in declared order. */
  readonly parallel: boolean;
  /** A failed rule of it denies. */
  readonly strict: boolean;
  /** `consent` per (event, command), `folder` trust, or none needed. */
  readonly trust: "none" | "consent" | "folder";
  readonly mode: "enforce" | "shadow";
}

interface RuleBase {
  /** Stable over reloads of an unchanged file: source, event, group and place. */
  readonly id: string;
  readonly source: HookSource;
  readonly event: EventName;
  /** The event as the file names it. */
  readonly eventName: string;
  /** `settings.json:12` or the key where it stands. */
  readonly where: string;
  /** As written; absent or empty matches all. */
  readonly matcher: string | undefined;
  /** The permission rule of the key `if`. */
  readonly condition: string | undefined;
  readonly timeoutMs: number;
  readonly once: boolean;
  readonly statusMessage: string | undefined;
  /** Undefined: what the source, then the view, then the row says. */
  readonly onFailure: "continue" | "block" | undefined;
  readonly mode: "enforce" | "shadow";
  readonly payload: "full" | "redacted";
  /** False: not asked again when a later rule changed what it judged. */
  readonly rejudge: boolean;
  /** Starts together with those rules of its source and event that are parallel too and stand beside it. */
  readonly parallel: boolean;
}

export interface CommandRule extends RuleBase {
  readonly type: "command";
  readonly command: string;
  /** Present: exec form, nothing is interpreted. */
  readonly args: readonly string[] | undefined;
  readonly shell: "bash" | "powershell" | undefined;
  readonly async: boolean;
  readonly asyncRewake: boolean;
}
export interface HttpRule extends RuleBase {
  readonly type: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Variables that headers may name; any other becomes the empty text. */
  readonly allowedEnvVars: readonly string[];
}
export interface PromptRule extends RuleBase {
  readonly type: "prompt";
  readonly prompt: string;
  readonly model: string | undefined;
  readonly continueOnBlock: boolean;
}
export interface AgentRule extends RuleBase {
  readonly type: "agent";
  readonly prompt: string;
  readonly model: string | undefined;
}
export interface McpToolRule extends RuleBase {
  readonly type: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  /** `${tool_input.file_path}` and its like are filled from the payload. */
  readonly input: Readonly<Record<string, unknown>>;
}
export interface WorkerRule extends RuleBase {
  readonly type: "worker";
  readonly command: string;
  readonly args: readonly string[] | undefined;
}

/** One handler as it is configured, in either dialect. */
export type Rule = CommandRule | HttpRule | PromptRule | AgentRule | McpToolRule | WorkerRule;

/** What was wrong with a source; the neighbours of a bad rule stay. */
export interface RuleProblem {
  readonly source: string;
  /** File and line, or key. */
  readonly where: string;
  /** What is wrong, what becomes of it, and what to do. */
  readonly message: string;
  /** A note is worth knowing and no fault. */
  readonly level: "warning" | "note";
}

/** A rule that is written down well and yet never runs. */
export interface DroppedRule {
  readonly rule: Rule;
  /** A copy of another, switched off (with the file that says so), or of a kind that its event does not run. */
  readonly reason: string;
}

/** A source as it was read. */
export interface RuleSet {
  readonly source: HookSource;
  readonly rules: readonly Rule[];
  /** For lists and explanations; nothing of it may run. */
  readonly dropped: readonly DroppedRule[];
  readonly problems: readonly RuleProblem[];
}
