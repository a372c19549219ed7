import type { ContentPart, Usage } from "#kernel";
import type { SessionMemory } from "./session-memory.ts";
import type { AgentPorts, AgentSettings } from "./settings.ts";
import type { DeferredCall, Surface, TurnOutcome } from "./surface.ts";

/** What a typed command becomes. */
export interface Expansion {
  readonly type: "slash_command" | "mcp_prompt";
  /** Without the slash. */
  readonly name: string;
  readonly args: string;
  /** Where the command comes from, for hooks. */
  readonly source: string;
  readonly expand: (signal: AbortSignal) => Promise<string | readonly ContentPart[]>;
}

export interface TurnInput {
  /** Empty: the session only takes up the call that was put off. */
  readonly content: string | readonly ContentPart[];
  /** The content is a command that the person typed: what it stands for, once hooks have let it pass. */
  readonly expansion?: Expansion;
  readonly signal?: AbortSignal;
  readonly maxIterations?: number;
}

export interface TurnResult {
  readonly outcome: TurnOutcome;
  /** The answer as delivered, or what went wrong. */
  readonly text: string;
  /** `answer`, `max_iterations`, `interrupted`, `hook_halt`, `session_busy`, …; docs/reference/turn.md lists them. */
  readonly exitReason: string;
  readonly iterations: number;
  readonly usage: Usage;
  readonly deferred?: DeferredCall;
}

/** The loop as its own parts see it: sub-agents are sessions of the same room. */
export interface AgentRoom {
  readonly ports: AgentPorts;
  readonly settings: AgentSettings;
  run(memory: SessionMemory, input: TurnInput, surface: Surface): Promise<TurnResult>;
}
