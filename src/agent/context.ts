import type { Call, ContentPart, OnBehalf, Plan } from "#kernel";
import type { Recorder } from "#trace";
import type { Surface } from "./surface.ts";

/**
 * What every handler, middleware and tool is given: whose turn it is and what it may reach.
 * One per session and agent run; middlewares keep nothing of a session elsewhere.
 */
export interface TurnContext extends OnBehalf {
  readonly sessionId: string;
  /** Set inside a sub-agent. */
  readonly agentId?: string;
  readonly agentType?: string;
  readonly parentSessionId?: string;
  /** The session of the main agent, inside a sub-agent. */
  readonly rootSessionId?: string;
  /** Spawn depth: 0 for the main agent. */
  readonly depth: number;
  readonly taskId: string;
  readonly turnId: string;
  /** `<turnId>:api:<n>` of the current model call, `""` before the first. */
  readonly apiRequestId: string;
  /** Where the session came from: `cli`, `run`, `subagent`, a platform's name. */
  readonly platform: string;
  readonly senderId: string;
  readonly model: string;
  readonly provider: string;
  /** The session's folder; the terminal tool moves it. Absolute. */
  cwd: string;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
  readonly surface: Surface;
  /** Read anew at each firing. */
  readonly plan: Plan<TurnContext>;
  readonly trace: Recorder;
  /** State of one slot for this session; made on first use, gone when the session is unloaded. `tree:…` is shared with its sub-agents. */
  state<T>(slot: string, create: () => T): T;
  /** Runs a child agent; see `delegate.ts`. */
  readonly delegate: Delegate;
  /** Runs a tool that something else than the model asks for; see `dispatch.ts`. */
  readonly dispatch: Dispatch;
  /** Who asked for the call at hand, where it was not the model: `plugin:<key>`. */
  readonly origin?: string;
  /** How many calls caused the call at hand. */
  readonly dispatchDepth?: number;
  /**
   * One side question, without tools, hooks or transcript: `smart` approvals, page summaries. To the session's model, or to
   * what the configuration's `auxiliary.<task>` names.
   */
  readonly askModel: (
    system: string,
    question: string | readonly ContentPart[],
    signal: AbortSignal,
    task?: string,
  ) => Promise<string>;
}

export interface ChildTask {
  readonly goal: string;
  readonly context?: string;
  readonly toolsets?: readonly string[];
  readonly role?: "leaf" | "orchestrator";
}

export interface ChildResult {
  readonly taskIndex: number;
  readonly sessionId: string;
  readonly status: "completed" | "failed" | "interrupted" | "timeout" | "error";
  readonly summary: string | undefined;
  readonly apiCalls: number;
  readonly durationSeconds: number;
  readonly model: string;
  readonly exitReason: string;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly toolTrace: readonly { readonly tool: string; readonly status: string }[];
  readonly error?: string;
}

/** Builds and runs children for one `delegate_task` call: all are built before any runs; results come in task order. */
export type Delegate = (
  tasks: readonly ChildTask[],
  options: { readonly callId: string; readonly signal: AbortSignal; readonly background?: boolean },
) => Promise<readonly ChildResult[] | { readonly dispatched: string }>;

export interface DispatchOptions {
  /** Who wants it: `plugin:<key>`. */
  readonly origin: string;
  /** The hook's call in which it is wanted: that hook is not asked about it. */
  readonly behalf?: Call | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs one tool outside of the model's own calls, on the whole path: `tool_request`, `pre_tool_call`, `permit`,
 * `tool_execution`, `transform_tool_result`, `post_tool_call`. Nothing of it is stored. The text is what the model would
 * see; whatever goes wrong is in it as `{"error": …}`. Never rejects, except with an interrupt.
 */
export type Dispatch = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: DispatchOptions,
) => Promise<string>;
