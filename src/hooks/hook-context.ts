import type { Recorder } from "#trace";

/** What hooks need of the context that the loop hands to every handler; the loop's own context has it all. */
export interface HookContext {
  readonly sessionId: string;
  readonly turnId: string;
  /** The id of the prompt that this turn works on. */
  readonly taskId?: string;
  /** Set inside a sub-agent. */
  readonly agentId?: string;
  readonly agentType?: string;
  /** The session of the main agent, inside a sub-agent. */
  readonly rootSessionId?: string;
  readonly depth: number;
  readonly platform: string;
  readonly cwd: string;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  readonly surface: {
    emit(
      event:
        | { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
        | { readonly type: "terminal"; readonly sequence: string },
    ): void;
  };
  /** Where breakers and used-up budgets are noted. */
  readonly trace?: Pick<Recorder, "record">;
  /** State of one slot for this session. */
  state<T>(slot: string, create: () => T): T;
  /** One question to a model, without tools, hooks or transcript. */
  readonly askModel: (system: string, question: string, signal: AbortSignal) => Promise<string>;
}

/** What hooks need of the house and cannot reach themselves; `runtime` fills it. */
export interface HookPorts {
  /** Absolute path of the home. */
  readonly home: string;
  /** `CLAUDE_PROJECT_DIR`: the project's root at the session's start. */
  projectFolder(context: HookContext): string;
  /** Brings the JSONL transcript up to date and gives its path; an empty text where none is kept. */
  transcript(context: Pick<HookContext, "sessionId">): Promise<string>;
  permissionMode(context: HookContext): "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions";
  /** The whole environment of a hook's process. */
  environment(context: HookContext): Readonly<Record<string, string>>;
  /** One question to a named model (absent: the session's small one). Rejects where no model can be reached. */
  ask(question: {
    readonly model: string | undefined;
    readonly text: string;
    readonly context: HookContext;
    readonly signal: AbortSignal;
  }): Promise<string>;
  /** A sub-agent with read-only tools and no hooks; its final text. Absent where no loop is there. */
  readonly judge?: (task: {
    readonly model: string | undefined;
    readonly text: string;
    readonly context: HookContext;
    readonly signal: AbortSignal;
  }) => Promise<string>;
  /** Calls a tool of an MCP server; `isError` as the server said. Absent where no server is configured. */
  readonly callTool?: (call: {
    readonly server: string;
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly signal: AbortSignal;
  }) => Promise<{ readonly text: string; readonly isError: boolean }>;
  /** Hands a text of a background hook to the session: it reaches the model with its next request. */
  deliver(context: HookContext, text: string, wake: boolean): void;
  /** A rule names files to watch; `firing` is the same for all rules of one event. Absent where none are watched. */
  readonly watch?: (context: HookContext, firing: object, paths: readonly string[]) => void;
  /** Writes a long text into a file of the session; its absolute path. */
  spill(sessionId: string, name: string, text: string): Promise<string>;
  log(level: "debug" | "info" | "warning" | "error", message: string): void;
}
