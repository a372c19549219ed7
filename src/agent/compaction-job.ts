import type { TurnContext } from "./context.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { AgentPorts, AgentSettings } from "./settings.ts";
import type { Surface } from "./surface.ts";

/** One occasion to make room: whose conversation, and why. */
export interface Compaction {
  readonly memory: SessionMemory;
  readonly ports: AgentPorts;
  readonly settings: AgentSettings["compaction"];
  readonly context: TurnContext;
  readonly surface: Surface;
  readonly trigger: "manual" | "auto";
  readonly instructions?: string | undefined;
  /** The request does not fit: room must be made even if no summary can be had. */
  readonly forced: boolean;
}

export interface Compacted {
  /** Message counts. */
  readonly before: number;
  readonly after: number;
  readonly seqs: ReadonlySet<number>;
  /** Where the summary is stored. */
  readonly summarySeq: number;
}
