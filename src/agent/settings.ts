import type { Layer } from "#kernel";
import type { ModelRequest, ModelRoute, ReasoningEffort } from "#models";
import type { SessionStore, StoredMessage } from "#sessions";
import type { Recorder, Span } from "#trace";
import type { TurnContext } from "./context.ts";
import type { CompactionEngine } from "./context-engine.ts";
import type { Tool } from "./tool.ts";

/** A model for calls beside the conversation. */
export interface Helper {
  readonly route: ModelRoute;
  /** Milliseconds after which a call is given up. */
  readonly limitMs?: number;
  /** Goes along in each request's body. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** What the loop needs of the machine and the house; `runtime` fills it. */
export interface AgentPorts {
  readonly store: SessionStore;
  readonly layer: Layer<TurnContext>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Runs once after so many milliseconds, unless the result is called before. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** A new unique id: a session's in its stored form, anything else a UUID. */
  readonly id: (kind: "session" | "other") => string;
  readonly recorder: (
    sessionId: string,
    turnId: string,
  ) => Recorder & { readonly flush: () => Promise<void>; readonly spans: () => readonly Span[] };
  /** Writes text that is too long for the transcript into a file of the session; returns its absolute path. */
  readonly spill: (sessionId: string, name: string, text: string) => Promise<string>;
  readonly log: (
    level: "debug" | "info" | "warning" | "error",
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
  /** What makes room in place of the summary; asked for each time it is needed. */
  readonly contextEngine?: () => CompactionEngine | undefined;
  /** Who helps with a task such as `compression`, as the configuration says: another model than the session's own, or that one. */
  readonly helper?: (task: string, own: ModelRoute) => Promise<Helper>;
  /** Told of each line of the transcript, for the JSONL file that hooks read. */
  readonly transcript?: (
    sessionId: string,
    turnId: string,
    stored: readonly StoredMessage[],
  ) => void | PromiseLike<void>;
  /** The models of a sub-agent, by those of its parent; the same by default. Rejects with what is wrong with the settings. */
  readonly childRoute?: (parent: ModelRoute) => Promise<ModelRoute>;
}

export interface AgentSettings {
  /** Iterations of one turn; 90. */
  readonly maxIterations: number;
  /** Times in one turn that `stop` may send the model on; 8. 0: without end. */
  readonly stopContinuations?: number;
  /** Put at the end of the main conversation's system prompt, and not stored with it. */
  readonly systemPrompt?: string;
  /** Goes along with every request of a turn. */
  readonly request?: Pick<ModelRequest, "maxOutputTokens" | "temperature">;
  /** How hard the model thinks until a session says otherwise; absent: as its provider does by itself. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Which tools may be offered; all by default. */
  readonly allows?: (tool: Pick<Tool, "toolset">) => boolean;
  readonly compaction: {
    readonly enabled: boolean;
    readonly threshold: number;
    /** Share of the threshold that the recent part may keep. */
    readonly targetRatio: number;
    readonly protectFirst: number;
    readonly protectLast: number;
  };
  readonly delegation: {
    readonly maxConcurrentChildren: number;
    readonly maxIterations: number;
    readonly maxSpawnDepth: number;
    readonly orchestratorEnabled: boolean;
    readonly childTimeoutSeconds: number | undefined;
    /** Sub-agents in the background at one time. */
    readonly maxBackgroundChildren: number;
    /** A sub-agent whose toolsets are named keeps the parent's MCP tools besides. */
    readonly inheritMcpTools: boolean;
    /** How hard sub-agents think; absent: as their parent. */
    readonly reasoningEffort?: ReasoningEffort;
  };
  readonly guardrails: {
    readonly warnings: boolean;
    readonly hardStop: boolean;
    readonly warnAfter: {
      readonly exactFailure: number;
      readonly sameToolFailure: number;
      readonly idempotentNoProgress: number;
    };
    readonly hardStopAfter: {
      readonly exactFailure: number;
      readonly sameToolFailure: number;
      readonly idempotentNoProgress: number;
    };
  };
}
