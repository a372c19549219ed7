import type { ContentPart, Layer, Usage } from "#kernel";
import type { ModelRoute } from "#models";
import type { SessionRecord, SessionStore } from "#sessions";
import type { Recorder, Span } from "#trace";
import type { TurnContext } from "./context.ts";
import type { Surface, TurnOutcome } from "./surface.ts";

/** What the loop needs of the machine and the house; `runtime` fills it. */
export interface AgentPorts {
  readonly store: SessionStore;
  readonly layer: Layer<TurnContext>;
  readonly now: () => number;
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
  /** Told of each line of the transcript, for the JSONL file that hooks read. */
  readonly transcript?: (
    sessionId: string,
    turnId: string,
    stored: readonly import("#sessions").StoredMessage[],
  ) => void | PromiseLike<void>;
}

export interface AgentSettings {
  /** Iterations of one turn; 90. */
  readonly maxIterations: number;
  readonly compaction: {
    readonly enabled: boolean;
    readonly threshold: number;
    readonly protectFirst: number;
    readonly protectLast: number;
  };
  readonly delegation: {
    readonly maxConcurrentChildren: number;
    readonly maxIterations: number;
    readonly maxSpawnDepth: number;
    readonly orchestratorEnabled: boolean;
    readonly childTimeoutSeconds: number | undefined;
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

export interface OpenOptions {
  /** Continue this stored session. */
  readonly resume?: SessionRecord;
  readonly cwd: string;
  /** `cli`, `run`, a platform's name. */
  readonly source: string;
  readonly route: ModelRoute;
  readonly senderId?: string;
}

/** A session in memory. One turn at a time; `steer` and `interrupt` act on the running one. */
export interface Session {
  readonly id: string;
  readonly record: SessionRecord;
  readonly route: ModelRoute;
  readonly cwd: string;
  readonly usage: Usage;
  /** Changes the model of the following turns. */
  useRoute(route: ModelRoute): Promise<void>;
  /** A note that the model sees with the next tool result of the running turn, else at the start of the next turn. */
  steer(text: string): void;
  interrupt(reason: string): void;
  /** Summarises the older part now. Resolves with message counts. */
  compact(surface: Surface, instructions?: string): Promise<{ readonly before: number; readonly after: number }>;
  /** Takes the last turn out of the conversation and returns its user text. */
  undo(): Promise<string | undefined>;
  /** Fires the events of a session's end and frees its state. */
  close(reason: string): Promise<void>;
}

export interface TurnInput {
  readonly content: string | readonly ContentPart[];
  readonly signal?: AbortSignal;
  readonly maxIterations?: number;
}

export interface TurnResult {
  readonly outcome: TurnOutcome;
  /** The answer as delivered, or what went wrong. */
  readonly text: string;
  readonly exitReason: string;
  readonly iterations: number;
  readonly usage: Usage;
}

export interface Agent {
  open(options: OpenOptions): Promise<Session>;
  /** Runs one turn to its end; never rejects. */
  runTurn(session: Session, input: TurnInput, surface: Surface): Promise<TurnResult>;
}
