import type { ConfigFile } from "#config";
import type { SourceNode } from "./source-node.ts";

/** What files said when they could last be used, for a process that reads them again and again. */
export interface SourceMemory {
  readonly json: Map<string, SourceNode>;
  readonly yaml: Map<string, ConfigFile>;
  /** Files whose change was refused: they count as they stood before. */
  readonly held: Set<string>;
}

export const sourceMemory = (): SourceMemory => ({ json: new Map(), yaml: new Map(), held: new Set() });

export const staysAsBefore = "what it said before stays in force until it is corrected";
