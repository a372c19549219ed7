import type { TurnContext } from "#agent";

/** What the config says, read once at the start: nothing that runs inside a turn can change it. See docs/reference/permission.md. */
export interface PermissionSettings {
  readonly mode: "manual" | "smart" | "off";
  /** The whole process was started with it. */
  readonly yolo: boolean;
  /** Whether the person has switched it on for one session. */
  readonly sessionYolo: (sessionId: string) => boolean;
  /** What happens to a dangerous command in a scheduled run. */
  readonly cronMode: "deny" | "approve";
  readonly timeoutMs: number;
  /** Where commands run: `local`, `docker`, … In a container only hardline patterns bind. */
  readonly environment: string;
  /** Sub-agents may run dangerous commands without a person. */
  readonly subagentAutoApprove: boolean;
  /** `sudo` gets its password from the environment, so that `sudo -S` is in order. */
  readonly sudoPassword: boolean;
  /** Absolute: the person's home, and the agent's. */
  readonly home: string;
  readonly agentHome: string;
}

/** The permanent list. Both speak of our keys; how they are spelled in a file is the port's matter (`allowedKeys`, `writtenKey`). */
export interface AllowList {
  has(key: string): boolean;
  /** Rejects when the list cannot be saved. */
  add(keys: readonly string[]): Promise<void>;
}

/** What one session was allowed so far. */
export interface SessionPermission {
  readonly approved: Set<string>;
  /** By call id: arguments that a permission hook put in the place of others, and approved. */
  readonly edited: Map<string, string>;
}

export const sessionPermission = (context: TurnContext): SessionPermission =>
  context.state("permission", () => ({ approved: new Set<string>(), edited: new Map<string, string>() }));
