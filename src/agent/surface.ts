import type { ToolCall, Usage } from "#kernel";

/** What a turn shows while it runs. `talaria run --json` prints these, one per line (docs/reference/run-json.md). */
export type TurnEvent =
  | { readonly type: "session"; readonly sessionId: string; readonly resumed: boolean }
  | { readonly type: "turn-start"; readonly turnId: string }
  | { readonly type: "iteration"; readonly number: number; readonly maximum: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** What was streamed of this model call so far is void. */
  | { readonly type: "reset"; readonly reason: string }
  /** A model call is complete; `text` is all of it. */
  | { readonly type: "message"; readonly text: string; readonly toolCalls: readonly ToolCall[]; readonly usage: Usage }
  | {
      readonly type: "tool-start";
      readonly callId: string;
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "tool-output"; readonly callId: string; readonly chunk: string }
  | {
      readonly type: "tool-end";
      readonly callId: string;
      readonly name: string;
      readonly status: "ok" | "error" | "blocked" | "cancelled";
      readonly result: string;
      readonly durationMs: number;
    }
  | { readonly type: "notice"; readonly level: "info" | "warning" | "error"; readonly text: string }
  /** A title, a notification or a bell of a hook, as an escape sequence; for a terminal with a person at it. */
  | { readonly type: "terminal"; readonly sequence: string }
  | { readonly type: "retry"; readonly reason: string; readonly attempt: number; readonly inMs: number }
  | { readonly type: "compaction"; readonly before: number; readonly after: number }
  | {
      readonly type: "approval";
      readonly callId: string;
      readonly command: string;
      readonly description: string;
      readonly choice: ApprovalChoice;
    }
  /** An event of a child agent. */
  | { readonly type: "child"; readonly agentId: string; readonly event: TurnEvent }
  | {
      readonly type: "turn-end";
      readonly outcome: TurnOutcome;
      readonly text: string;
      readonly usage: Usage;
      readonly iterations: number;
      /** Only where the outcome is `deferred`. */
      readonly stopReason?: "tool_deferred";
      readonly deferredToolUse?: DeferredCall;
    };

/**
 * How a turn ended. `completed`: an answer; `limit`: the iteration budget ran out, the text sums up;
 * `deferred`: a hook has put a call off;
 * `refused`: the model or a hook refused; `interrupted`: the person or the embedder stopped it; `failed`: an error, named in `text`.
 */
export type TurnOutcome = "completed" | "limit" | "deferred" | "refused" | "interrupted" | "failed";

/** A call that a hook has put off: it is judged again when its session is resumed. */
export interface DeferredCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The hook's words. */
  readonly reason?: string;
}

export type ApprovalChoice = "once" | "session" | "always" | "deny" | "timeout";

export interface ApprovalRequest {
  readonly callId: string;
  readonly toolName: string;
  /** Exactly what will run. */
  readonly command: string;
  readonly description: string;
  readonly patternKeys: readonly string[];
  /** `always` may be offered. */
  readonly permanent: boolean;
  readonly timeoutMs: number;
}

/** Where a turn is shown and where people are asked. Stateless towards the loop: a surface that throws is reported and ignored. */
export interface Surface {
  emit(event: TurnEvent): void;
  /** Whoever has begun the turn takes up a call that a hook puts off, by resuming the session. */
  readonly defers?: true;
  /** Absent: nobody can be asked. Resolves `timeout` when nobody answered in time; rejects only with the signal's reason. */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalChoice>;
  /** Free question of a tool or hook. */
  readonly question?: (text: string, choices: readonly string[], signal: AbortSignal) => Promise<string | undefined>;
}
