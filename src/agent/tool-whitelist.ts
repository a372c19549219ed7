import type { TurnContext } from "./context.ts";

/** The only tools that one agent run may use until it ends; see docs/reference/plugins-in-use.md. */
export interface ToolWhitelist {
  /** Undefined: every tool. */
  current:
    | {
        readonly turnId: string;
        readonly allowed: ReadonlySet<string>;
        /** `{tool_name}` stands for the tool. */
        readonly denial: string;
      }
    | undefined;
}

/** The whitelist of a session's runs; one that was set in a run that has ended counts no more. */
export function toolWhitelist(context: Pick<TurnContext, "state">): ToolWhitelist {
  return context.state<ToolWhitelist>("tool-whitelist", () => ({ current: undefined }));
}

/** Why a tool may not run in this run, before any hook is asked. */
export function notWhitelisted(context: Pick<TurnContext, "state" | "turnId">, toolName: string): string | undefined {
  const { current } = toolWhitelist(context);
  if (current === undefined || current.turnId !== context.turnId || current.allowed.has(toolName)) return undefined;
  return current.denial.replaceAll("{tool_name}", toolName);
}
