import type { ContentPart } from "#kernel";
import type { ToolDefinition } from "#models";
import type { TurnContext } from "./context.ts";

/** What one run of a tool is given besides its arguments. */
export interface ToolRun {
  readonly callId: string;
  readonly context: TurnContext;
  /** Aborts on interrupt; a tool ends what it started and rejects or returns within a second. */
  readonly signal: AbortSignal;
  /** Live output for the person who watches; never part of the result. */
  readonly progress: (chunk: string) => void;
}

/** The text that goes to the model: by Hermes's custom a JSON string, failures as `{"error": …}`. */
export type ToolOutcome = string | { readonly content: string | readonly ContentPart[]; readonly isError?: boolean };

export interface Tool extends ToolDefinition {
  readonly toolset: string;
  /** It changes nothing: calling it again with the same arguments and result is no progress. */
  readonly readOnly?: true;
  /** Of two tools with one name this one is offered, wherever its middleware stands. */
  readonly takesPlace?: true;
  /** Where a tool of an MCP server comes from; hooks see it. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  /** `parallel`: always safe beside others; `by-path`: beside calls whose `paths` do not overlap; absent: alone. */
  readonly concurrency?: "parallel" | "by-path";
  /** Absolute paths that a call touches. */
  readonly paths?: (args: Readonly<Record<string, unknown>>, context: TurnContext) => readonly string[];
  /** Characters of result kept in the transcript; longer ones are spilled to a file. Default 100,000. */
  readonly resultLimit?: number;
  /** Seconds a person would wait: shown beside the name while it runs, never enforced by the loop. */
  readonly summary?: (args: Readonly<Record<string, unknown>>) => string;
  /** Not offered to the model in this context (no such program, wrong surface). */
  readonly available?: (context: TurnContext) => boolean;
  readonly run: (args: Readonly<Record<string, unknown>>, run: ToolRun) => Promise<ToolOutcome>;
}
