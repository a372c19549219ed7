import type { TurnContext } from "#agent";
import type { Place } from "./expand.ts";

/** What the config says, read once at the start: nothing that runs inside a turn can change it. See docs/reference/permission.md. */
export interface PermissionSettings {
  readonly mode: "manual" | "smart" | "off";
  /** The whole process was started with it. */
  readonly yolo: boolean;
  /** What happens to a dangerous command in a scheduled run. */
  readonly cronMode: "deny" | "approve";
  readonly timeoutMs: number;
  /** Where commands run. In a container only hardline patterns bind. */
  readonly environment: string;
  /** Sub-agents may run dangerous commands without a person. */
  readonly subagentAutoApprove: boolean;
  /** `sudo` gets its password from the environment, so that `sudo -S` is in order. */
  readonly sudoPassword: boolean;
  readonly home: Place["home"];
  readonly agentHome: Place["agentHome"];
}

/** The permanent list. `has` and `add` speak of our keys; how they are spelled in the file is the port's matter. */
export interface AllowList {
  /** True when the key stands in it in any of its spellings. */
  has(key: string): boolean;
  /** Rejects when it cannot be saved. */
  add(keys: readonly string[]): Promise<void>;
}

/** What the session was allowed so far. */
export interface SessionPermission {
  readonly approved: Set<string>;
  yolo: boolean;
  /** The prompt that is being shown, and those behind it. */
  queue: Promise<unknown>;
}

/** The permission state of the context's session; `/yolo` sets `yolo` here. */
export const sessionPermission = (context: TurnContext): SessionPermission =>
  context.state("permission", () => ({ approved: new Set<string>(), yolo: false, queue: Promise.resolve() }));
