import type { Decoded, Question } from "#kernel";
import type { HookContext } from "./hook-context.ts";
import type { Rule } from "./rule.ts";

/** One run of one rule. */
export interface Execution<R extends Rule = Rule> {
  readonly rule: R;
  readonly question: Question;
  /** What the rule's dialect says of the event, encoded once for all rules that see the same. */
  readonly wire: Readonly<Record<string, unknown>>;
  /** `wire` as compact JSON. */
  readonly json: string;
  readonly context: HookContext;
  /** Aborts at the rule's time limit and when the turn is interrupted. */
  readonly signal: AbortSignal;
}

/** What came of a run: the answer as the kernel reads it, and what people who look for a fault want to see. */
export interface Executed {
  readonly decoded: Decoded;
  readonly exitCode?: number | null;
  /** Heads of what was printed, for `hooks test` and the trace. */
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Runs rules of one type. Never rejects: a failure is a `Decoded` of kind `failed` that says what failed and where. */
export type Executor<R extends Rule> = (execution: Execution<R>) => Promise<Executed>;

export type Executors = { readonly [T in Rule["type"]]: Executor<Extract<Rule, { readonly type: T }>> };
