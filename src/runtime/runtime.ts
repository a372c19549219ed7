import type { Agent, Session } from "#agent";
import type { ModelRoute } from "#models";
import type { SessionRecord, SessionStore } from "#sessions";

export interface OpenChat {
  readonly cwd: string;
  /** `cli` for the chat, `run` for one task. */
  readonly source: string;
  readonly resume?: SessionRecord;
  /** `provider/name`; absent: what the configuration says. */
  readonly model?: string;
  /** Dangerous commands run without asking; the hardline still binds. */
  readonly yolo?: boolean;
}

export interface ToolListing {
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
}

/** The wired house: what the program, the gateway and embedders hold. */
export interface Runtime {
  /** Absolute path. */
  readonly home: string;
  readonly store: SessionStore;
  readonly agent: Agent;
  /** What the configuration got wrong, one sentence each. */
  readonly warnings: readonly string[];
  open(options: OpenChat): Promise<Session>;
  /** The models to use, in order, for a reference such as `openrouter/qwen/qwen3`; rejects when it names nothing known. */
  route(reference?: string): Promise<ModelRoute>;
  tools(session: Session): readonly ToolListing[];
  /** The last turn of a session as lines of text. */
  drawTrace(
    sessionId: string,
    size: { readonly columns: number; readonly colour: boolean },
  ): Promise<readonly string[]>;
  log(level: "debug" | "info" | "warning" | "error", message: string): void;
  /** Ends sessions, flushes traces and closes the store. */
  close(reason: string): Promise<void>;
}
