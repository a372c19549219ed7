import type { PluginScope } from "../plugin-scope.ts";
import type { PluginReach } from "../reach.ts";
import type { Owner } from "../registration.ts";
import type { Registry } from "../registry.ts";

/** What the registering methods of one context share. */
export interface ContextParts {
  readonly owner: Owner;
  readonly scope: PluginScope;
  readonly registry: Registry;
  readonly reach: PluginReach;
  readonly log: (level: "debug" | "info" | "warning" | "error", message: string) => void;
}
